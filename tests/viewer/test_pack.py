"""Packed arrays give the same numbers again."""

import base64
import gzip

import numpy as np
import pytest

from armillary.viewer.pack import packed, unpacked


@pytest.mark.parametrize("kind", ["f4", "f8", "u2", "u4"])
@pytest.mark.parametrize("shape", [(1,), (7,), (5, 3), (4, 2, 7), (0, 3), (3, 0)])
def test_a_packed_array_comes_back(kind, shape):
    rng = np.random.default_rng(1)
    values = rng.integers(0, 60_000, shape) if kind[0] == "u" else rng.normal(size=shape)
    part = packed(values, kind)
    assert part.shape == shape
    assert np.array_equal(unpacked(part), np.asarray(values, f"<{kind}"))


def test_numbers_that_are_none_come_back():
    values = np.array([[np.nan, np.inf], [-0.0, -np.inf]])
    assert np.array_equal(unpacked(packed(values, "f8")), values, equal_nan=True)


def test_columns_stand_before_instants_and_high_bytes_together():
    """The layout that the client reads: column by column, one plane of bytes after the other."""
    part = packed(np.array([[1, 2], [258, 3], [5, 4]]), "u2")
    data = gzip.decompress(base64.b64decode(part.gz))
    assert list(data) == [1, 2, 5, 2, 3, 4, 0, 1, 0, 0, 0, 0]


def test_smooth_columns_take_a_fraction():
    t = np.linspace(0.0, 10.0, 601)
    values = np.sin(t[:, None] + np.arange(700))
    assert len(packed(values).gz) < 0.75 * 4 * values.size
