"""The page of accuracy is current, and every digit that it states is reached."""

import numpy as np
import pytest

from accuracy.comparison import Comparison
from accuracy.page import COMPARISONS, PAGE, page

CASES = [pytest.param(row, id=f"{row.what} | {row.against}") for row in COMPARISONS]


@pytest.mark.parametrize("row", CASES)
def test_digits_are_reached(row):
    assert row.measured() >= row.digits


def test_the_page_is_current():
    """`make accuracy` writes it."""
    assert PAGE.read_text(encoding="utf-8") == page()


def test_digits_are_counted_against_the_largest():
    def measured(ours, theirs):
        return Comparison("", "", "", 0, lambda: (np.array(ours), np.array(theirs))).measured()

    assert measured([100.0, 1e-3], [100.0, 2e-3]) == pytest.approx(5.0)
    assert measured([1.0, 2.0], [1.0, 2.0]) == 16.0
    assert measured([np.nan, 1.0], [1.0, 1.0]) == measured([9.0], [1.0]) == 0.0
    with pytest.raises(ValueError, match="shapes"):
        measured([1.0, 2.0], [1.0])
