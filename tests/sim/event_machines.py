"""Small mechanisms on which events have closed forms."""

import armillary as am


def lift(**options):
    """A mass that falls."""
    b = am.Builder("lift")
    b.body("cage", joint="prismatic", axis="z", mass=1.0, inertia=(0.1, 0.1, 0.1), **options)
    return b.build()


def carts(tied):
    """Two masses of 1 kg on one track, tied together or not."""
    b = am.Builder("carts")
    b.body("first", joint="prismatic", axis="x", mass=1.0)
    b.body("second", "world", "prismatic", axis="x", mass=1.0)
    if tied:
        b.coupling(am.Coupling("tie", "second", "first", 1.0, 0.0))
    return b.build()
