"""Run every comparison; write the page if all of them keep what they state."""

import sys

from accuracy.page import COMPARISONS, PAGE, page


def say(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def main() -> int:
    missed = 0
    for row in COMPARISONS:
        digits = row.measured()
        missed += digits < row.digits
        mark = "" if digits >= row.digits else "   <- fewer than stated"
        say(f"{digits:6.1f}  ({row.digits} stated)  {row.what}{mark}")
    if missed:
        say(f"{missed} comparisons agree to fewer digits than stated: {PAGE} was not written.")
        return 1
    PAGE.write_text(page(), encoding="utf-8")
    say(f"wrote {PAGE}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
