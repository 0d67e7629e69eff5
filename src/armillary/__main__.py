"""python -m armillary: the same as the command `armillary`."""

from armillary.cli import main

if __name__ == "__main__":
    main()
