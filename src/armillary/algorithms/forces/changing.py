"""Force elements whose numbers change along a run: own states, and inputs over time.

All other algorithms take an element at the states that its law holds, and without inputs.  What
other ones give beyond that comes out here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from armillary.algorithms.closed.variational import Numbers
from armillary.algorithms.forces.elements import (
    READINGS,
    JointEnd,
    MovingTree,
    PathEnd,
    acting,
    ends_of,
    joint_forces,
    reading,
)
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, ElementStep, GlobalStep, Inward, Outward
from armillary.algorithms.tree.kinematics import place
from armillary.model.elements.element import OUTPUTS
from armillary.model.lowering.elements import KernelElement
from armillary.scalar import Scalar
from armillary.spatial import Force

# number of an element; how many own states, inputs and given numbers it has
Changing = tuple[tuple[int, int, int, int], ...]


def _add_forces(
    run: Run, element: KernelElement, sign: int, force: list[Scalar], driven: list[Scalar]
) -> None:
    """What an element exerts: forces along joints, those along coordinates alone, wrenches."""
    ends, offsets = acting(element, run.tree), run.tables.v_offsets
    for dof, x in joint_forces(ends, run.tree, offsets).items():
        force[dof] = force[dof] + x * sign
    for end in ends:
        if isinstance(end, PathEnd) and end.body >= 0:
            body = run.bodies[end.body]
            body.wrench = body.wrench + end.wrench * sign
        elif isinstance(end, JointEnd) and end.body >= 0:
            row = offsets[end.body] + end.number
            driven[row] = driven[row] + end.force * sign


def _stored(base: KernelElement, state: Sequence[Scalar], tree: MovingTree) -> Scalar:
    """Its energy at the state, less that at the state it holds; inputs store none."""
    ends = ends_of(base, tree)
    return replace(base, law=base.law.changed(state, ())).potential(ends) - base.potential(ends)


@cache
def changing_elements(changing: Changing) -> Algorithm:
    """(q, v, states, inputs) -> what the elements give at these states and with these inputs
    beyond what others take (numbers that are given instead of the model's stand behind all own
    states, and stay): forces along the joints, or wrenches on the bodies and forces along
    coordinates; energy (inputs do work, and store none); rates of the states; full readings,
    and what tyres say of themselves."""
    own_count = sum(own for _, own, *_ in changing)
    count = own_count + sum(numbers for *_, numbers in changing)

    def step(run: Run) -> None:
        tree = run.tree
        force, driven = ([0] * run.tables.nv for _ in range(2))
        rates, shown, outputs = list[Scalar](), list[Scalar](), list[Scalar]()
        energy: Scalar = 0
        states, inputs = list(run.inputs["states"]), list(run.inputs["inputs"])
        values = states[own_count:]
        for b in run.bodies:
            b.wrench = Force.zero()
        for number, own, given, numbers in changing:
            base = run.tables.elements[number]
            if numbers:
                base, values = base.given(values[:numbers]), values[numbers:]
            state, states = states[:own], states[own:]
            added, inputs = inputs[:given], inputs[given:]
            now = replace(base, law=base.law.changed(state, added))
            for element, sign in ((now, 1), (base, -1)):
                _add_forces(run, element, sign, force, driven)
            energy = energy + _stored(base, state, tree)
            rates += now.rates(ends_of(now, tree))
            shown += reading(now, ends_of(now, tree))
            outputs += now.law.outputs(ends_of(now, tree))
        rates += [0] * (count - own_count)
        run.write("force", force)
        run.write("along", driven)
        run.world.rates, run.world.energy = Numbers(rates), Numbers([energy])
        run.world.readings, run.world.outputs = Numbers(shown), Numbers(outputs)

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
            "outputs": "world",
        },
        shapes={
            "wrench": Force,
            "rates": Numbers(size=count),
            "energy": Numbers(size=1),
            "readings": Numbers(size=READINGS * len(changing)),
            "outputs": Numbers(size=len(OUTPUTS) * len(changing)),
        },
    )


def _outward(b, p, j):
    place(b, p, j)
    b.f = b.wrench = j.external


def _inward(b, p, j):
    j.along = j.driven
    push = (f + x for f, x in zip(b.S.T @ b.f, j.driven, strict=True))
    j.force = tuple(t + x for t, x in zip(j.tau, push, strict=True))
    p.f += b.X.T @ b.f


@cache
def changing_in_loops(states: int, elements: int, told: bool, inputs: int = 0) -> Algorithm:
    """The same in loops over bodies and elements, so that its cost grows with their number:
    (q, v, states, time, tau, inputs) -> tau + forces along the joints, rates; told: all results of
    `changing_elements`, energy by element.

    A mechanism that is given to it has no other elements; states: of all of them; inputs: a row of
    so many numbers for each, of which it takes as many as it has (0: none are given)."""
    writes = {"force": "dof", "rates": "world"}
    shapes: dict[str, object] = {"rates": Numbers(size=states)}
    if told:
        writes |= {"along": "dof", "wrench": "body", "energy": "world"}
        writes |= {"readings": "element", "outputs": "tyre"}
        shapes |= {"wrench": Force, "energy": Numbers(size=elements)}
    return Algorithm(
        f"changing_in_loops_{'told' if told else 'forces'}",
        (ElementStep("change", inputs), Outward(_outward), Inward(_inward)),
        lambda g: {"f": Force.zero()},
        ("q", "v", "states", "time", "tau", *("inputs",) * bool(inputs)),
        writes,
        shapes,
    )
