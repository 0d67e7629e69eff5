"""Everything a run can record: names, labels, units, and how a block of states gives the numbers.

One row of `QUANTITIES` per quantity.  Numbers are computed for a whole block of states at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.moving import RowMotion
from armillary.constraints.notes import nearness
from armillary.constraints.solution import ConstrainedSolution
from armillary.errors import ArmillaryError, InputError, unknown_name
from armillary.evaluate.inputs import Array
from armillary.mechanism.mechanism import Mechanism
from armillary.units import FORCE, WRENCH_UNITS
from armillary.units import WRENCH as WRENCH_LABELS

Extras = Mapping[str, Any] | None  # arrays by name; "external": wrenches by frame
Columns = tuple[tuple[str, str], ...]  # (label, unit) of every column

WRENCH = tuple(zip(WRENCH_LABELS, WRENCH_UNITS, strict=True))
TWIST = (*((f"w{x}", "rad/s") for x in "xyz"), *((f"v{x}", "m/s") for x in "xyz"))
MOMENTUM = (*((f"L{x}", "N m s") for x in "xyz"), *((f"p{x}", "N s") for x in "xyz"))


@dataclass
class States:
    """S states of one mechanism, with what was known when they were met."""

    mechanism: Mechanism
    q: Array  # (S, nq)
    v: Array  # (S, nv)
    tau: Array  # (S, nv)
    given_a: Array | None = None
    external: Mapping[str, Array] = field(default_factory=dict)  # (S, 6) by frame
    moving: RowMotion | None = None  # prescribed motion of constraint rows
    baumgarte: tuple[float, float] | None = None  # rates that draw constraints back, 1/s

    @cached_property
    def a(self) -> Array:
        if self.given_a is not None:
            return self.given_a
        options: dict[str, Any] = {} if self.moving is None else {"prescribed": self.moving}
        if self.baumgarte is not None and self.mechanism.constraints:
            options["baumgarte"] = self.baumgarte
        return self.mechanism.forward_dynamics(self.q, self.v, self.tau, self.external, **options)

    @cached_property
    def energies(self) -> tuple[Array, Array]:
        return self.mechanism.energy(self.q, self.v)

    @cached_property
    def solution(self) -> ConstrainedSolution:
        """All forces of a mechanism with constraints."""
        return self._solved(self.baumgarte)

    def worst_closure(self) -> list[tuple[int, str]]:
        """The state with the largest condition number and a remark, where the forces of closures
        were asked for and one of them is nearly singular; else empty."""
        if "solution" not in vars(self) or not self.mechanism.constraints:
            return []
        k = int(np.argmax(self.solution.condition))
        equations = self.mechanism.constraint_solver.equations
        text = nearness(equations, equations.factor(equations.terms(self.q[k : k + 1])))
        return [(k, text)] if text else []

    def _solved(self, baumgarte: tuple[float, float] | None) -> ConstrainedSolution:
        given = (self.q, self.v, self.tau, self.external)
        found = self.mechanism.solve(*given, prescribed=self.moving, baumgarte=baumgarte)
        assert isinstance(found, ConstrainedSolution)
        return found

    @property
    def reactions(self) -> Array:
        if self.mechanism.constraints:
            return self.solution.reactions.total
        return self.mechanism.reactions(self.q, self.v, self.a, external=self.external).total

    @property
    def constraint_forces(self) -> Array:
        return _of_constraints(self.solution)

    @property
    def corrective_forces(self) -> Array:
        """What the drawing back of open constraints adds to their forces."""
        return _of_constraints(self.solution) - _of_constraints(self._solved(None))

    @property
    def prescribed_forces(self) -> Array:
        rows = self.mechanism.constraint_rows
        driven = [rows.index(name) for name in _prescribed_rows(self.mechanism)]
        return np.asarray(self.solution.multipliers[:, driven])

    @property
    def constraint_power(self) -> Array:
        """λ · J v of every constraint (S, constraints): not zero where motion is prescribed."""
        rate = np.einsum("smn,sn->sm", self.mechanism.constraint_jacobian(self.q), self.v)
        rows = self.solution.multipliers * rate
        constraints = self.mechanism.constraint_solver.equations.constraints
        own = [rows[:, constraints.slices[c.name]].sum(axis=1) for c in constraints.all]
        return np.stack(own, axis=1)

    @property
    def condition(self) -> Array:
        if self.mechanism.constraints:
            return self.mechanism.conditions(self.q, self.moving)
        return np.linalg.cond(self.mechanism.mass_matrix(self.q))


@dataclass(frozen=True)
class Quantity:
    """columns: of a mechanism (none: one number per state, with this unit); values: (S, n)."""

    columns: Callable[[Mechanism], Columns]
    values: Callable[[States], Array]
    unit: str = ""
    of_constraints: bool = False
    text: str = ""

    def columns_of(self, mechanism: Mechanism) -> Columns:
        """None where there are no constraints, of quantities of theirs."""
        known = mechanism.constraints or not self.of_constraints
        return self.columns(mechanism) if known else ()


def _of_constraints(solution: ConstrainedSolution) -> Array:
    return np.concatenate(
        [_flat(solution.constraint_forces.wrench), solution.constraint_forces.axis], axis=1
    )


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
    return tuple((row.removesuffix(".f"), FORCE[units[row]]) for row in _prescribed_rows(m))


def _prescribed_rows(m: Mechanism) -> tuple[str, ...]:
    return (*(d.name for d in m.model.prescribed), *m.model.moved)


def _powers(m: Mechanism) -> Columns:
    return tuple((c.name, "W") for c in m.constraint_solver.equations.constraints.all)


def _none(_: Mechanism) -> Columns:
    return ()


QUANTITIES: dict[str, Quantity] = {
    "q": Quantity(_positions, lambda s: s.q, text="positions"),
    "v": Quantity(_along("{}/s"), lambda s: s.v, text="velocities"),
    "a": Quantity(_along("{}/s²"), lambda s: s.a, text="accelerations"),
    "tau": Quantity(_forces, lambda s: s.tau, text="joint forces"),
    "body_velocity": Quantity(
        lambda m: _each(m.bodies, TWIST),
        lambda s: _flat(s.mechanism.body_forces(s.q, s.v, np.zeros_like(s.v)).velocity),
        text="velocity of every body, in its own frame",
    ),
    "reactions": Quantity(
        lambda m: _each(m.joints, WRENCH),
        lambda s: _flat(s.reactions),
        text="wrench in every joint, by the parent on the body, in the body's frame",
    ),
    "constraint_forces": Quantity(
        _wrenches,
        lambda s: s.constraint_forces,
        of_constraints=True,
        text="wrench of every constraint on its second body, in its second frame",
    ),
    "corrective_force": Quantity(
        _wrenches,
        lambda s: s.corrective_forces,
        of_constraints=True,
        text="part of the constraint forces that draws open constraints back",
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
    "drift": Quantity(
        _rows,
        lambda s: s.mechanism.constraint_residual(s.q, s.moving),
        of_constraints=True,
        text="how far each constraint row is open",
    ),
    "kinetic": Quantity(_none, lambda s: s.energies[0], "J", text="kinetic energy"),
    "potential": Quantity(_none, lambda s: s.energies[1], "J", text="potential energy"),
    "energy": Quantity(_none, lambda s: s.energies[0] + s.energies[1], "J", text="energy"),
    "momentum": Quantity(
        lambda m: MOMENTUM,
        lambda s: s.mechanism.momentum(s.q, s.v),
        text="momentum about the centre of mass, world axes",
    ),
    "condition": Quantity(
        _none, lambda s: s.condition, "1",
        text="condition number of the constraint matrix, or of the mass matrix of a tree",
    ),
}  # fmt: skip

# What only the parts of a run know; the loop hands these over as extras, and further signals.
EXTRAS: dict[str, Quantity] = {
    "voltage": Quantity(_along("V"), lambda s: s.v, text="voltages of the motors"),
    "current": Quantity(_along("A"), lambda s: s.v, text="currents of the motors"),
    "electrical_power": Quantity(_along("W"), lambda s: s.v, text="power into the motors"),
}

NAMES = (*QUANTITIES, *EXTRAS)


def listed(names: str | Iterable[str]) -> tuple[str, ...]:
    """Single names, each once, of "q,v" or ("q", "v")."""
    given = (names,) if isinstance(names, str) else names
    found = (name.strip() for text in given for name in str(text).split(","))
    return tuple(dict.fromkeys(name for name in found if name))


def check_names(names: str | Iterable[str], more: Iterable[str] = ()) -> tuple[str, ...]:
    """Names of quantities, "q,v" or ("q", "v"); unknown ones are refused."""
    wanted = listed(names)
    if not wanted:
        raise InputError(f"record: nothing is named. Choose among {', '.join(NAMES)}.")
    known = (*NAMES, *more)
    for name in wanted:
        if name not in known:
            raise unknown_name("quantity to record", name, known, len(known))
    return wanted


def columns(name: str, mechanisms: Iterable[Mechanism]) -> Columns:
    """Columns of a quantity: of the first mechanism, and what the others have beyond it."""
    mechanisms = tuple(mechanisms)
    quantity = QUANTITIES.get(name) or EXTRAS[name]
    found = {column: None for m in mechanisms for column in quantity.columns_of(m)}
    if quantity.of_constraints and not found:
        about = "prescribed" if name == "prescribed_force" else "constraints"
        raise InputError(
            f"record: '{name}' is about {about}, and '{mechanisms[0].name}' has none. Leave it out."
        )
    return tuple(found)


def compute(name: str, states: States, labels: tuple[str, ...]) -> Array:
    """(S, n) or (S,); columns that only other mechanisms have are NaN."""
    quantity = QUANTITIES[name]
    own = tuple(label for label, _ in quantity.columns_of(states.mechanism))
    spread = np.full((len(states.q), len(labels)), np.nan)
    if labels and not own:
        return spread
    values = np.asarray(quantity.values(states), float)
    if own == labels:
        return values
    spread[:, [labels.index(label) for label in own]] = values
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
            wrenches = (values or {}).items()
            found |= {f"external.{frame}": np.asarray(w, float) for frame, w in wrenches}
        elif name not in found:
            found[name] = np.asarray(values, float)
    return found


def probe(mechanism: Mechanism) -> tuple[float, ...]:
    """Accelerations at one state; empty where there are none."""
    v = 0.1 * np.arange(1.0, mechanism.nv + 1)
    try:
        a = mechanism.forward_dynamics(np.array(mechanism.initial), v, np.zeros_like(v))
    except ArmillaryError:
        return ()
    return tuple(a.tolist()) if np.isfinite(a).all() else ()
