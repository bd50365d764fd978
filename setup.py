"""The compiled helpers, which are optional: without a compiler carob is installed without them."""

from setuptools import Extension, setup

setup(
    ext_modules=[
        Extension(
            f"carob.arrays.{name}",
            sources=[f"src/carob/arrays/{name}.c"],
            optional=True,
            py_limited_api=True,
        )
        for name in ("_draw", "_scan", "_weigh")
    ],
    options={"bdist_wheel": {"py_limited_api": "cp311"}},
)
