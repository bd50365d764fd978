"""`python -m carob`, and the command `carob`."""

import sys


def main() -> int:
    """Run the command line. Ctrl-C ends it without a traceback, even while it is being loaded."""
    try:
        from carob.cli import main

        return main()
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main())
