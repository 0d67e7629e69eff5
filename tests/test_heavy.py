"""The list of the dear tests, which `make test` leaves out, names tests that are there."""

from pathlib import Path

TESTS = Path(__file__).parent


def test_every_name_is_that_of_a_test():
    names = (TESTS / "heavy.txt").read_text().splitlines()
    assert names == sorted(set(names))
    for name in names:
        file, _, test = name.partition("::")
        text = (TESTS.parent / file).read_text()
        assert f"def {test.partition('[')[0]}(" in text, name
