"""Everything a run can record: names, labels, units, and how a block of states gives the numbers.

One row of `QUANTITIES` per quantity.  Numbers are computed for a whole block of states at once.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from armillary.errors import ArmillaryError, InputError, Remedy, unknown_name
from armillary.evaluate.axes import Axes
from armillary.evaluate.inputs import Array
from armillary.evaluate.tyre_forces import TyreForces, tyre_names
from armillary.mechanism.mechanism import Mechanism
from armillary.model.elements.element import OUTPUTS, READINGS
from armillary.sim.motion.step_dynamics import step_dynamics
from armillary.sim.record.cross_check import check_columns, checked, period
from armillary.sim.record.recorded_states import States, prescribed_rows
from armillary.units import FORCE, WRENCH_UNITS
from armillary.units import WRENCH as WRENCH_LABELS

Extras = Mapping[str, object] | None  # arrays by name; "external": wrenches by frame
Columns = tuple[tuple[str, str], ...]  # (label, unit) of every column
Labels = tuple[str, ...]
EXTERNAL = "external."  # then the frame: a wrench that was handed over

WRENCH = tuple(zip(WRENCH_LABELS, WRENCH_UNITS, strict=True))
_OWN = Axes()
TWIST = (*((f"w{x}", "rad/s") for x in "xyz"), *((f"v{x}", "m/s") for x in "xyz"))
MOMENTUM = (*((f"L{x}", "N m s") for x in "xyz"), *((f"p{x}", "N s") for x in "xyz"))


@dataclass(frozen=True)
class Quantity:
    """columns: of a mechanism (none: one number per state, with this unit); values: (S, n)."""

    columns: Callable[[Mechanism], Columns]
    values: Callable[[States], Array]
    unit: str = ""
    of_constraints: bool = False
    needs: str = ""  # what a mechanism must have, beside constraints
    text: str = ""
    of_state: bool = False  # q and v say it all: neither forces nor accelerations are needed
    of_blocks: str = ""  # the signal of blocks that it is

    def columns_of(self, mechanism: Mechanism) -> Columns:
        """None where there are no constraints, of quantities of theirs."""
        known = mechanism.constraints or not self.of_constraints
        return self.columns(mechanism) if known else ()


def _flat(values: Array) -> Array:
    return np.reshape(values, (len(values), -1))


def _along(template: str) -> Callable[[Mechanism], Columns]:
    """One column per degree of freedom; the unit of the motion stands for {}."""
    return lambda m: tuple(
        (label, template.format(unit)) for label, unit in zip(m.v_labels, m.v_units, strict=True)
    )


def _positions(m: Mechanism) -> Columns:
    return tuple(zip(m.q_labels, m.q_units, strict=True))


def _forces(m: Mechanism) -> Columns:
    return tuple((label, FORCE[u]) for label, u in zip(m.v_labels, m.v_units, strict=True))


def _each(names: Iterable[str], parts: Columns) -> Columns:
    return tuple((f"{name}.{part}", unit) for name in names for part, unit in parts)


def _rows(m: Mechanism) -> Columns:
    units = m.constraint_solver.equations.constraints.units
    return tuple(zip(m.constraint_rows, units, strict=True))


def _wrenches(m: Mechanism) -> Columns:
    constraints = m.constraint_solver.equations.constraints
    axes = tuple((constraint.name, FORCE[constraint.unit]) for constraint in constraints.axes)
    return _each((constraint.name for constraint in constraints.frames), WRENCH) + axes


def _prescribed(m: Mechanism) -> Columns:
    units = dict(_rows(m))
    return tuple((row.removesuffix(".f"), FORCE[units[row]]) for row in prescribed_rows(m))


def _wheels(m: Mechanism) -> Columns:
    return tuple((f"{wheel.name}.{row}", "N") for wheel in m.model.wheels for row in wheel.rows)


def _powers(m: Mechanism) -> Columns:
    return tuple((c.name, "W") for c in m.constraint_solver.equations.constraints.all)


def _elements(m: Mechanism) -> Columns:
    """Wrenches, and what an element with a coordinate of its own says along it."""
    found: list[tuple[str, str]] = []
    for part in m.model.elements:
        along = zip(READINGS, part.law.units, strict=True) if any(part.law.units) else ()
        found += [(f"{part.name}.{x}", u) for x, u in (*WRENCH, *along, ("power", "W"))]
    return tuple(found)


def element_columns(m: Mechanism, readings: Array) -> Array:
    """(S, columns) of (S, elements, 10): wrench, what it says along its coordinate, power."""
    own = [any(part.law.units) for part in m.model.elements]
    blocks = [
        readings[:, k, [*range(6), *(range(6, 9) if has else ()), 9]] for k, has in enumerate(own)
    ]
    return np.concatenate(blocks, axis=1)


def _external(s: States) -> Array:
    """(S, 6 frames): zero where nothing acts."""
    none = np.zeros((len(s.q), 6))
    return np.concatenate([s.external.get(frame, none) for frame in s.mechanism.frames], axis=1)


def acting(
    names: Iterable[str], frames: Sequence[str], who: str = "record"
) -> dict[str, tuple[Labels, Labels]]:
    """Labels and units of `external`, where it is asked for: the frames that wrenches act on."""
    if "external" not in names:
        return {}
    if not frames:
        raise InputError(
            f"{who}: 'external' is about wrenches on frames, and none act in this run. Leave it "
            f"out,",
            Remedy("load a frame"),
        )
    labels, units = zip(*_each(frames, WRENCH), strict=True)
    return {"external": (labels, units)}


def _tyres(s: States) -> Array:
    if s.tyre_outputs is not None:
        return TyreForces(s.mechanism.model, s.tyre_outputs).values
    return s.mechanism.tyre_forces(s.q, s.v, **s.bodies).values


def _none(_: Mechanism) -> Columns:
    return ()


def _energy(values: Callable[[States], Array], text: str) -> Quantity:
    return Quantity(_none, values, "J", text=text, of_state=True)


QUANTITIES: dict[str, Quantity] = {
    "q": Quantity(_positions, lambda s: s.q, text="positions", of_state=True),
    "v": Quantity(_along("{}/s"), lambda s: s.v, text="velocities", of_state=True),
    "a": Quantity(_along("{}/s²"), lambda s: s.a, text="accelerations"),
    "tau": Quantity(_forces, lambda s: s.tau, text="joint forces"),
    "body_velocity": Quantity(
        lambda m: _each(m.bodies, TWIST),
        lambda s: _flat(
            s.mechanism.body_forces(s.q, s.v, np.zeros_like(s.v), **s.bodies).velocity
        ),
        text="velocity of every body, in its own frame",
        of_state=True,
    ),
    "reactions": Quantity(
        lambda m: _each(m.joints, WRENCH),
        lambda s: _flat(s.reactions(_OWN)),
        text="wrench in every joint, by the parent on the body, in the body's frame",
    ),
    "constraint_forces": Quantity(
        _wrenches,
        lambda s: s.constraint_forces(_OWN),
        of_constraints=True,
        text="wrench of every constraint on its second body, in its second frame, with what draws "
        "it back (corrective_force)",
    ),
    "wheel_forces": Quantity(
        _wheels,
        lambda s: s.wheel_forces,
        of_constraints=True,
        text="force of the ground on every wheel, along its rows, in the ground's axes",
    ),
    "corrective_force": Quantity(
        _wrenches,
        lambda s: s.corrective_forces,
        of_constraints=True,
        text="part of the constraint forces that draws open constraints back",
    ),
    "external": Quantity(
        lambda m: _each(m.frames, WRENCH),
        _external,
        text="external wrench on every frame that one acts on, in its axes at its origin",
    ),
    "prescribed_force": Quantity(
        _prescribed,
        lambda s: s.prescribed_forces,
        of_constraints=True,
        text="forces of prescribed motions along their coordinates, of other driven rows",
    ),
    "constraint_power": Quantity(
        _powers,
        lambda s: s.constraint_power,
        of_constraints=True,
        text="power of every constraint: of prescribed motions and of ground that moves",
    ),
    "element_forces": Quantity(
        _elements,
        lambda s: element_columns(s.mechanism, s.elements(_OWN)),
        needs="force elements",
        text="wrench of every force element on its second end, in that frame; along its own "
        "coordinate; and its power",
    ),
    "tyres": Quantity(
        lambda m: _each(tyre_names(m.model), OUTPUTS),
        lambda s: _flat(_tyres(s)),
        needs="tyres",
        text="slips, deflection, forces and moments of every tyre, in its axes (ISO 8855); radius, "
        "friction and point of contact",
    ),
    "drift": Quantity(
        _rows,
        lambda s: s.mechanism.constraint_residual(s.q, s.moving),
        of_constraints=True,
        text="how far each constraint row is open",
        of_state=True,
    ),
    "kinetic": _energy(lambda s: s.energies[0], "kinetic energy"),
    "potential": _energy(lambda s: s.energies[1], "potential energy"),
    "energy": _energy(lambda s: s.energies[0] + s.energies[1], "energy"),
    "momentum": Quantity(
        lambda m: MOMENTUM,
        lambda s: s.mechanism.momentum(s.q, s.v, **s.bodies),
        text="momentum about the centre of mass, world axes",
        of_state=True,
    ),
    "check": Quantity(
        check_columns,
        checked(None),
        text="greatest disagreement of the formulations, how many contradict, and each one's",
    ),
    "condition": Quantity(
        _none, lambda s: s.condition, "1",
        text="condition number of the constraint matrix, or of the mass matrix of a tree",
        of_state=True,
    ),
}  # fmt: skip

# What only the parts of a run know; the loop hands these over as extras, and further signals.
EXTRAS: dict[str, Quantity] = {
    "voltage": Quantity(_along("V"), lambda s: s.v, text="voltages of the motors"),
    "current": Quantity(_along("A"), lambda s: s.v, text="currents of the motors"),
    "electrical_power": Quantity(_along("W"), lambda s: s.v, text="power into the motors"),
    "external_force": Quantity(_forces, lambda s: s.v, text="forces seen by a momentum observer"),
}

NAMES = (*QUANTITIES, *EXTRAS)
_ABOUT = {"prescribed_force": "prescribed motions", "wheel_forces": "wheels"}

# -- with a frame or axes in the name: "pose:tool", "velocity:tool:world", "reactions:world_aligned"

_PLACE = (*((x, "m") for x in "xyz"), *((f"R{i}{k}", "1") for i in "xyz" for k in "xyz"))
_RATE = (*((f"al{x}", "rad/s²") for x in "xyz"), *((f"a{x}", "m/s²") for x in "xyz"))


def _known_frame(parts: Columns, frame: str) -> Callable[[Mechanism], Columns]:
    def columns(m: Mechanism) -> Columns:
        m.evaluator.place(frame)  # refuses unknown ones
        return tuple((f"{frame}.{part}", unit) for part, unit in parts)

    return columns


def _pose(frame: str) -> Quantity:
    def values(s: States) -> Array:
        R, origin = s.mechanism.pose(s.q, frame, **s.places)
        return np.concatenate([origin, _flat(R)], axis=1)

    text = f"origin and axes (rotation, row by row) of '{frame}' in the world"
    return Quantity(_known_frame(_PLACE, frame), values, text=text, of_state=True)


def _velocity(frame: str, coordinates: str = "local") -> Quantity:
    Axes(coordinates)  # refuses unknown words
    return Quantity(
        _known_frame(TWIST, frame),
        lambda s: s.mechanism.velocity(s.q, s.v, frame, coordinates, **s.places),
        text=f"velocity of '{frame}', {coordinates}",
        of_state=True,
    )


def _acceleration(frame: str, coordinates: str = "local") -> Quantity:
    Axes(coordinates)
    return Quantity(
        _known_frame(_RATE, frame),
        lambda s: s.mechanism.acceleration(s.q, s.v, s.a, frame, coordinates, **s.places),
        text=f"acceleration of '{frame}' (its origin as a point), {coordinates}",
    )


def _condition(frame: str) -> Quantity:
    def columns(m: Mechanism) -> Columns:
        m.evaluator.place(frame)
        return ()

    text = f"condition number of the Jacobian of '{frame}', lengths over the size of the machine"
    return Quantity(columns, lambda s: s.frame_condition(frame), "1", text=text, of_state=True)


def _point_known(m: Mechanism, about: str | None) -> bool:
    """It is; an unknown frame is refused."""
    if about is not None:
        m.evaluator.place(about)
    return True


def _reactions(coordinates: str, about: str | None = None) -> Quantity:
    axes = Axes(coordinates, about)
    return Quantity(
        lambda m: _each(m.joints, WRENCH) if _point_known(m, about) else (),
        lambda s: _flat(s.reactions(axes)),
        text=f"wrench in every joint, by the parent on the body, {axes.words}",
    )


def _constraint_forces(coordinates: str, about: str | None = None) -> Quantity:
    axes = Axes(coordinates, about)
    return Quantity(
        lambda m: _wrenches(m) if _point_known(m, about) else (),
        lambda s: s.constraint_forces(axes),
        of_constraints=True,
        text=f"wrench of every constraint on its second body, {axes.words}",
    )


def _element_forces(coordinates: str, about: str | None = None) -> Quantity:
    axes = Axes(coordinates, about)
    return Quantity(
        lambda m: _elements(m) if _point_known(m, about) else (),
        lambda s: element_columns(s.mechanism, s.elements(axes)),
        needs="force elements",
        text=f"wrench of every force element on its second end, {axes.words}; along its own "
        f"coordinate; and its power",
    )


def _check(seconds: str) -> Quantity:
    every = period(seconds)
    text = f"cross-check by all formulations, every {every:g} s"
    return Quantity(check_columns, checked(every), text=text)


# by the word before the colon: how the words after it make a quantity, and how they read
FAMILIES: dict[str, tuple[Callable[..., Quantity], str]] = {
    "pose": (_pose, "pose:FRAME"),
    "velocity": (_velocity, "velocity:FRAME or velocity:FRAME:COORDINATES"),
    "acceleration": (_acceleration, "acceleration:FRAME or acceleration:FRAME:COORDINATES"),
    "condition": (_condition, "condition:FRAME"),
    "check": (_check, "check:SECONDS"),
    "reactions": (_reactions, "reactions:COORDINATES or reactions:COORDINATES:FRAME"),
    "constraint_forces": (
        _constraint_forces, "constraint_forces:COORDINATES or constraint_forces:COORDINATES:FRAME"
    ),
    "element_forces": (
        _element_forces, "element_forces:COORDINATES or element_forces:COORDINATES:FRAME"
    ),
}  # fmt: skip


@cache
def quantity_of(name: str) -> Quantity | None:
    """A row of `QUANTITIES`, or one with a frame or axes in its name; None: neither."""
    family, *words = name.split(":")
    if not words or family not in FAMILIES:
        return QUANTITIES.get(name)
    make, usage = FAMILIES[family]
    try:
        inspect.signature(make).bind(*words)
    except TypeError:
        words = []
    if not all(words) or not words or any(x in name for x in " /\t"):
        raise InputError(
            f"record: '{name}' cannot be read. Expected {usage}, names without blanks and slashes "
            f"(give such a place a frame of its own with a plain name)."
        )
    return make(*words)


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Single names, each once, of "q,v" or ("q", "v")."""
    given = (names,) if isinstance(names, str) else names
    if not isinstance(given, Iterable):
        raise InputError(
            f"record: expected names such as 'q,v' or ('q', 'energy'), found {names!r:.60}."
        )
    found = (name.strip() for text in given for name in str(text).split(","))
    return tuple(dict.fromkeys(name for name in found if name))


def check_names(names: str | Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of quantities, "q,v" or ("q", "v"); unknown ones are refused."""
    wanted = listed(names)
    if not wanted:
        raise InputError(f"record: nothing is named. Choose among {', '.join(NAMES)}.")
    known = (*NAMES, *more)
    for name in wanted:
        if name not in known and quantity_of(name) is None:
            raise unknown_name("quantity to record", name, known, len(known))
    return wanted


def columns(
    name: str,
    mechanisms: Iterable[Mechanism],
    quantity: Quantity | None = None,
    who: str = "record: ",
) -> Columns:
    """Columns of a quantity: of the first mechanism, and what the others have beyond it."""
    mechanisms = tuple(mechanisms)
    quantity = quantity or quantity_of(name) or EXTRAS[name]
    found = {column: None for m in mechanisms for column in quantity.columns_of(m)}
    about = quantity.needs or (_ABOUT.get(name, "constraints") if quantity.of_constraints else "")
    if about and not found:
        raise InputError(
            f"{who}'{name}' is about {about}, and '{mechanisms[0].name}' has none. Leave it out."
        )
    return tuple(found)


def _known(name: str) -> Quantity:
    quantity = quantity_of(name)
    if quantity is None:
        raise unknown_name("quantity to record", name, NAMES, len(NAMES))
    return quantity


def compute(name: str, states: States, labels: tuple[str, ...]) -> Array:
    """(S, n) or (S,); columns that only other mechanisms have are NaN."""
    quantity = _known(name)
    own = [label for label, _ in quantity.columns_of(states.mechanism)]
    spread = np.full((len(states.q), len(labels)), np.nan)
    if labels and not own:
        return spread
    values = np.asarray(quantity.values(states), float)
    if own == list(labels):
        return values
    shared = [label for label in labels if label in own]
    spread[:, [labels.index(x) for x in shared]] = values[:, [own.index(x) for x in shared]]
    return spread


def given(
    q: ArrayLike, v: ArrayLike, a: ArrayLike | None, tau: ArrayLike | None, extras: Extras
) -> dict[str, Array]:
    """Everything an instant brings, by flat names."""
    found = {"q": np.asarray(q, float), "v": np.asarray(v, float)}
    if tau is not None:
        found["tau"] = np.asarray(tau, float)
    if a is not None:
        found["a"] = np.asarray(a, float)
    for name, values in (extras or {}).items():
        if name == "external":
            wrenches = values if isinstance(values, Mapping) else {}
            found |= {EXTERNAL + frame: np.asarray(w, float) for frame, w in wrenches.items()}
        elif name not in found:
            found[name] = np.asarray(values, dtype=float)
    return found


def probe(mechanism: Mechanism) -> tuple[float, ...]:
    """Accelerations at one state; empty where there are none."""
    v = 0.1 * np.arange(1.0, mechanism.nv + 1)
    try:
        a = step_dynamics(mechanism)(np.array(mechanism.initial), v, np.zeros_like(v))
    except ArmillaryError:
        return ()
    return tuple(a.tolist()) if np.isfinite(a).all() else ()
