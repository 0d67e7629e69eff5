"""Accelerations of constrained mechanisms: a traced kernel first, the robust one behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.algorithms import forward_dynamics
from armillary.functions.calls import Question
from armillary.functions.inputs import Array

if TYPE_CHECKING:
    from collections.abc import Mapping

    from armillary.functions.core import External


class ConstrainedForwardDynamics(Question):
    """Accelerations a (nv) for the joint forces tau; every constraint is kept.

    Rows may be redundant, the configuration singular: the motion is exact where it is unique.
    Rows that contradict each other give the least-squares motion (`solve` names them).
    drives: prescribed accelerations by constraint name."""

    algorithm = forward_dynamics.forward_dynamics
    result = "a"

    def __call__(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        external: External = None,
        passive: bool = True,
        out: Array | None = None,
        drives: Mapping[str, ArrayLike] | None = None,
    ) -> Array:
        engine: Any = self._owner._engine  # type: ignore[attr-defined]
        arrays, single = engine.check_states(q=q, v=v, tau=tau)
        system = engine.system(**arrays, external=external, passive=passive, drives=drives)
        a = np.array([engine.answer(system, k).a for k in range(len(system.q))])
        return a[0] if single else a
