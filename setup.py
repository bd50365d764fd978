"""The compiled line scanner is optional: without a compiler carob is installed without it.

`CAROB_PURE=1 pip wheel --no-deps .` leaves it out: one wheel for every system, py3-none-any.
"""

import os

from setuptools import Extension, setup

scanner = Extension(
    "carob.arrays._scan",
    sources=["src/carob/arrays/_scan.c"],
    optional=True,
    py_limited_api=True,
)
if os.environ.get("CAROB_PURE") == "1":
    setup()
else:
    setup(ext_modules=[scanner], options={"bdist_wheel": {"py_limited_api": "cp311"}})
