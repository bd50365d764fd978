"""`python -m carob`."""

import sys

from carob.cli import main

if __name__ == "__main__":
    sys.exit(main())
