"""The compiled helper, which is optional: without a compiler karat is installed without it."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            "karat.arrays._scan",
            sources=["src/karat/arrays/_scan.c"],
            optional=True,
            py_limited_api=True,
        )
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
