"""Inertias of the bodies other than the model's, for all runs or one row per run."""

from __future__ import annotations

from typing import Any

import numpy as np

from armillary.errors import InputError
from armillary.evaluate.inputs import Array, as_floats
from armillary.mechanism.mechanism import Mechanism


def checked_parameters(mechanism: Mechanism, given: Any) -> Array | None:
    """Inertias (10 bodies,) or (B, 10 bodies), in the order of `mechanism.parameters`."""
    if given is None:
        return None
    numbers = as_floats("parameters", given)
    size = len(mechanism.parameters)
    if numbers.ndim not in (1, 2) or numbers.shape[-1] != size or not np.isfinite(numbers).all():
        raise InputError(
            f"parameters: expected {size} finite numbers (10 per body, see "
            f"mechanism.parameter_names) or (B, {size}); found shape {numbers.shape}."
        )
    return numbers
