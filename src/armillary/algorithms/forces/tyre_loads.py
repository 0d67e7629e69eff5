"""Contact forces of tyres at a state, for blocks that listen to them."""

from __future__ import annotations

from functools import cache
from typing import Any

from armillary.algorithms.closed.variational import Numbers
from armillary.algorithms.forces.elements import ends_of
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.model.elements.turning import Between


@cache
def tyre_loads(tyres: tuple[int, ...]) -> Algorithm:
    """(q, v) -> forces of these elements along the road's normal, N."""

    def step(run: Run) -> None:
        loads = []
        for number in tyres:
            element = run.tables.elements[number]
            law: Any = element.law
            ends: Any = ends_of(element, run.tree)
            loads.append(law.forces(law.contact(Between(ends))).fz)
        run.world.loads = Numbers(loads)

    return Algorithm(
        name="tyre_loads",
        passes=(GlobalStep(step),),
        world=lambda g: {},
        reads=("q", "v"),
        writes={"loads": "world"},
        shapes={"loads": Numbers(size=len(tyres))},
    )
