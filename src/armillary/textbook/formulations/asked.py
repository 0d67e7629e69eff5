"""Every matrix of a formulation, for people: at one state of a mechanism."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import ModelError
from armillary.textbook.formulations import operators as stacked
from armillary.textbook.formulations import quasi_coordinates as chains
from armillary.textbook.formulations.domain import GROUND, SERIAL, TURNING
from armillary.textbook.formulations.tree_state import TreeState
from armillary.textbook.parts import tree_state

if TYPE_CHECKING:
    from armillary.mechanism.mechanism import Mechanism


def _state(mechanism: Mechanism, q: ArrayLike, v: ArrayLike | None, passive: bool) -> TreeState:
    machine: Any = mechanism
    rate = np.zeros(mechanism.nv) if v is None else v
    position, velocity = tree_state(mechanism, q=q, v=rate)
    return TreeState(machine, position, velocity, passive)


def quasi_coordinates(
    chain: Mechanism, q: ArrayLike, v: ArrayLike | None = None, passive: bool = True
) -> chains.QuasiCoordinates:
    """A chain of turning joints in inertial, relative and joint coordinates, one state (22-39).

    The base is fixed or free to translate (the first joint floats).  v: at rest by default."""
    if reason := (SERIAL & TURNING & GROUND).refusal(chain.model):
        raise ModelError(f"quasi-coordinates of '{chain.name}': {reason}.")
    return chains.quasi_coordinates(_state(chain, q, v, passive))


def operators(
    tree: Mechanism, q: ArrayLike, v: ArrayLike | None = None, passive: bool = True
) -> stacked.Operators:
    """The stacked operators of a tree at one state: H, Phi, M, I_AB, D, K, Psi, V, a, b, bias."""
    return stacked.Operators(_state(tree, q, v, passive))
