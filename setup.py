"""The compiled line scanner is optional: without a compiler carob is installed without it."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "carob.arrays._scan",
            sources=["src/carob/arrays/_scan.c"],
            optional=True,
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
