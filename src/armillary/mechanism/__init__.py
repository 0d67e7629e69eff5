"""Where algorithms and compiler meet: mechanisms that answer questions."""

from armillary.mechanism.making import Builder, dh, example, example_names, load, sixparameter
from armillary.mechanism.mechanism import Mechanism

__all__ = ["Builder", "Mechanism", "dh", "example", "example_names", "load", "sixparameter"]
