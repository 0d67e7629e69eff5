"""Where algorithms and compiler meet: mechanisms that answer questions."""

from armillary.mechanism.mechanism import (
    Builder,
    Mechanism,
    dh,
    example,
    example_names,
    load,
    sixparameter,
)

__all__ = ["Builder", "Mechanism", "dh", "example", "example_names", "load", "sixparameter"]
