"""docs/accuracy.md from the comparisons."""

from itertools import groupby
from pathlib import Path

from accuracy.closed_forms import CLOSED_FORMS
from accuracy.comparison import Comparison
from accuracy.engines import ENGINES
from accuracy.published import PUBLISHED

PAGE = Path(__file__).resolve().parents[2] / "docs" / "accuracy.md"
COMPARISONS: list[Comparison] = [*CLOSED_FORMS, *PUBLISHED, *ENGINES]

HEAD = """# How accurate are the numbers?

Numbers of the library, and of others who have the same mechanism. *Digits* says how many decimal
digits of the largest number agree, at least, in all numbers of a row: -log10 of the largest
difference over the largest number. Published numbers are as good as their print, double precision
ends at 16, and motions end at the error of the integrator that is named. The page is made by

```console
$ make accuracy
```

which runs every comparison (they are in `tests/accuracy`) and writes the page only if every row
keeps what it says; the tests run them, too.
"""


def page() -> str:
    """The text, which depends on what is stated, not on the machine."""
    lines = [HEAD]
    for group, rows in groupby(COMPARISONS, key=lambda row: row.group):
        lines += [f"## {group}\n", "| what | compared with | digits |", "|---|---|---|"]
        lines += [f"| {row.what} | {row.against} | {row.digits} |" for row in rows]
        lines.append("")
    return "\n".join(lines)
