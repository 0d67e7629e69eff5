"""Force elements whose numbers change along a run: own states, and inputs over time.

All other algorithms take an element at the states that its law holds, and without inputs.  What
other ones give beyond that comes out here.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from armillary.algorithms.closed.variational import Numbers
from armillary.algorithms.forces.elements import (
    READINGS,
    JointEnd,
    PathEnd,
    acting,
    ends_of,
    joint_forces,
    reading,
)
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep
from armillary.scalar import Scalar
from armillary.spatial import Force

# number of an element, of its own states, of its inputs
Changing = tuple[tuple[int, int, int], ...]


@cache
def changing_elements(changing: Changing) -> Algorithm:
    """(q, v, states, inputs) -> what the elements give at these states and with these inputs
    beyond what others take: forces along the joints, or wrenches on the bodies and forces along
    coordinates; energy (inputs do work, and store none); rates of the states; full readings."""
    count = sum(states for _, states, _ in changing)

    def step(run: Run) -> None:
        tree, offsets = run.tree, run.tables.v_offsets
        force: list[Scalar] = [0] * run.tables.nv
        driven: list[Scalar] = [0] * run.tables.nv
        rates: list[Scalar] = []
        shown: list[Scalar] = []
        energy: Scalar = 0
        states, inputs = list(run.inputs["states"]), list(run.inputs["inputs"])
        for b in run.bodies:
            b.wrench = Force.zero()
        for number, own, given in changing:
            base = run.tables.elements[number]
            state, states = states[:own], states[own:]
            added, inputs = inputs[:given], inputs[given:]
            now = replace(base, law=base.law.changed(state, added))
            for element, law, sign in ((now, base.law.changed(state, ()), 1), (base, base.law, -1)):
                ends = acting(element, tree)
                for dof, x in joint_forces(ends, tree, offsets).items():
                    force[dof] = force[dof] + x * sign
                for end in ends:
                    if isinstance(end, PathEnd) and end.body >= 0:
                        body = run.bodies[end.body]
                        body.wrench = body.wrench + end.wrench * sign
                    elif isinstance(end, JointEnd) and end.body >= 0:
                        row = offsets[end.body] + end.number
                        driven[row] = driven[row] + end.force * sign
                energy = energy + law.potential(ends) * sign
            rates += now.law.rates(ends_of(now, tree))
            shown += reading(now, ends_of(now, tree))
        run.write("force", force)
        run.write("along", driven)
        run.world.rates, run.world.energy = Numbers(rates), Numbers([energy])
        run.world.readings = Numbers(shown)

    return Algorithm(
        name="changing_elements",
        passes=(GlobalStep(step),),
        world=lambda g: {},
        reads=("q", "v", "states", "inputs"),
        writes={
            "force": "dof",
            "along": "dof",
            "wrench": "body",
            "rates": "world",
            "energy": "world",
            "readings": "world",
        },
        shapes={
            "wrench": Force,
            "rates": Numbers(size=count),
            "energy": Numbers(size=1),
            "readings": Numbers(size=READINGS * len(changing)),
        },
    )
