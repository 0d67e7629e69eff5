"""The equations of a constrained mechanism: rows and inertias at states, rank, solutions."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from armillary.algorithms.closed.row_terms import row_motion
from armillary.algorithms.closed.state_equations import state_equations
from armillary.algorithms.tree import inverse_dynamics, mass_matrix
from armillary.constraints.compiled_rows import RowKernels, program_over_rows
from armillary.constraints.drift import (
    AnyPenalty,
    CorrectiveForce,
    DrawnBack,
    baumgarte_rates,
    penalized,
)
from armillary.constraints.moving import Prescribed, RowMotion, prescribed_rows
from armillary.constraints.nullspace import RANK_TOLERANCE, Answer, Factor, Scaling, answer, solve
from armillary.constraints.rows import FORCE, PlacedBodies, Rows, Terms, of_kernel
from armillary.constraints.table import STEPS, options_for
from armillary.errors import InputError, SingularError
from armillary.evaluate.arrays import diameter
from armillary.evaluate.inputs import Array, BoundQuestion, common_rows, is_none
from armillary.evaluate.memo import Memo
from armillary.evaluate.named_states import State
from armillary.evaluate.tree import Tree
from armillary.model.checks import principal_moments
from armillary.model.constraint_parts import Contact, Distance, Loop, Surface
from armillary.model.lowering.constraint_table import ConstraintTable
from armillary.model.lowering.constraints import lower_constraints

if TYPE_CHECKING:
    from armillary.evaluate.evaluator import Evaluator, External
    from armillary.evaluate.lean_call import OneOrMany

Baumgarte = DrawnBack | None
_SEVERAL = 20.0  # rounded numbers that make up one row
_COARSEST = 1e-3  # geometry tolerance by the digits of a file
OPEN_SAMPLES = 6  # random configurations that tell what holds everywhere
_OPEN = 30.0  # a loop that is open by e counts as singular within 30 e / L


@dataclass(frozen=True)
class System:
    """Equations of motion at B states:  M a = force + G^T λ,  J a = target."""

    q: Array
    v: Array
    M: Array  # (B, n, n)
    force: Array  # (B, n): tau - h + known forces of contacts, friction and springs of loops
    target: Array  # (B, m)
    terms: Terms

    def of(self, k: int) -> System:
        """State k alone, as a batch of one."""
        one = slice(k, k + 1)
        return System(
            q=self.q[one],
            v=self.v[one],
            M=self.M[one],
            force=self.force[one],
            target=self.target[one],
            terms=Terms(**{name: x[one] for name, x in vars(self.terms).items()}),
        )


class Equations:
    """Everything numerical about the constraints of one mechanism."""

    def __init__(self, evaluator: Evaluator):
        self.evaluator, self.model = evaluator, evaluator.model
        self.tree = Tree(evaluator)
        self.tables = evaluator.tables()
        self.constraints: ConstraintTable = lower_constraints(self.model, self.tables)
        self.rows = Rows(self.constraints, self.tables)
        self.memo = Memo()  # plans, closed samples, laws of actuators
        self._at_once: dict[tuple[str, ...], BoundQuestion] = {}
        self._rest = np.zeros(self.tables.nv)

    @cached_property
    def length(self) -> float:
        """Size L of the machine (m): half of the largest distance between two of its joints,
        centres and constrained points, and no less than the radius of a wheel.

        It depends neither on which joint closes a loop nor on where the machine stands."""
        model = self.model
        placed = self.placed(np.array(model.start())[None])
        points = placed.points(self.constraints, self.tables)
        size = max([diameter(points) / 2, *(wheel.radius for wheel in model.wheels)])
        if size > 0.0:
            return float(size)
        gyration = [sum(b.mass.tensor[:3]) / (2 * b.mass.mass) for b in model.bodies if b.mass.mass]
        return float(np.sqrt(max(gyration, default=0.0))) or 1.0

    @cached_property
    def geometry_tolerance(self) -> float:
        """How exactly the geometry is known, as a part of the machine's size: as given, or by the
        digits of the file.  Errors of several numbers add up."""
        given = self.evaluator.options.geometry_tolerance
        if given is not None:
            return given
        return min(_SEVERAL * self.model.accuracy / min(self.length, 1.0), _COARSEST)

    @cached_property
    def negative(self) -> bool:
        """Has some body a negative moment of inertia, as no body has?"""
        moments = (principal_moments(body.mass.tensor)[0] for body in self.model.bodies)
        return any(low < 0.0 for low in moments)

    @cached_property
    def scaling(self) -> Scaling:
        return Scaling.of(self.length, self.constraints.units, self.model.v_units)

    @cached_property
    def ends(self) -> list[tuple[int, int]]:
        """Model bodies (not kernel bodies) that every frame constraint stands on; -1: the world."""
        model, index = self.model, self.model.index
        parts: tuple[Loop | Distance | Surface | Contact, ...] = (
            *model.loops,
            *model.distances,
            *model.surfaces,
            *model.contacts,
        )
        pairs = [(index[part.first.body], index[part.second.body]) for part in parts]
        return pairs + [(index[wheel.ground], index[wheel.body]) for wheel in model.wheels]

    # -- states ----------------------------------------------------------------------------------

    def placed(self, q: Array) -> PlacedBodies:
        """Where all bodies and their axes are; q (B, nq)."""
        still = np.zeros((len(q), self.tables.nv))
        found = self.evaluator.run(row_motion, {"q": q, "v": still})
        return PlacedBodies.of(found["motion"], found["S"])

    def spring_energy(self, q: Array) -> Array:
        """(B,) potential energy of springs in the joints that close loops, J."""
        return self.row_kernels().springs(q)

    def energy(
        self,
        q: ArrayLike,
        v: ArrayLike,
        *,
        parameters: ArrayLike | None = None,
        offsets: ArrayLike | None = None,
    ) -> tuple[Array, Array]:
        """Kinetic and potential energy, J: that of the tree, and springs in loops."""
        if offsets is not None:
            raise InputError(
                f"energy: `offsets` are not known where springs close loops, as in "
                f"'{self.model.name}'. Ask mechanism.tree.energy for the energy without them."
            )
        q, v = self.evaluator.complete({"q": q, "v": v}).values()
        kinetic, potential = self.tree.energy(q, v, parameters=parameters)
        if any(loop.joint.passive for loop in self.model.loops):
            arrays, single = self.check_states(q=q)
            stored = self.spring_energy(arrays["q"])
            potential = potential + (stored[0] if single else stored)
        return kinetic, potential

    def terms(self, q: Array, v: Array | None = None, moving: RowMotion | None = None) -> Terms:
        """All rows at B states; moving: residuals and rates count from this motion."""
        v = np.zeros((len(q), self.tables.nv)) if v is None else v
        terms = self._terms(q, v)
        if not isinstance(moving, RowMotion | None):
            raise InputError(
                f"prescribed: expected a RowMotion of the rows or None, found {moving!r:.60}."
            )
        return terms if moving is None else moving.shifted(terms)

    def _terms(self, q: Array, v: Array, passive: bool = True) -> Terms:
        return of_kernel(self.row_kernels(passive).all({"q": q, "v": v}, len(q)))

    def interpreted_terms(self, q: Array, v: Array, passive: bool = True) -> Terms:
        """All rows at B states by equations that no compiler has touched."""
        interpreter, base = self.row_kernels(passive).interpreter, self.evaluator.base_numbers
        return of_kernel(interpreter({"q": q, "v": v}, len(q), base))

    def row_kernels(self, passive: bool = True) -> RowKernels:
        """Code of all rows.  passive: with friction and springs of loops."""

        def make() -> RowKernels:
            tables = self.evaluator.tables(True, passive)
            rows = self.rows if passive else Rows(self.constraints.bare, tables)
            return RowKernels(self.evaluator, rows)

        return self.memo.once(("rows", passive), make)

    def row_entries(self, q: Array) -> Array:
        """(B, pairs) entries of J at `rows.pairs`, of few configurations."""
        return self.row_kernels().entries(q)

    def at_once(self, names: tuple[str, ...], q: object, v: object = None) -> Any:
        """J, `rate` or `residual` of all rows at one state of plain arrays, by a native call: one
        array or several.  None: there is no compiler, or it cannot take the state."""
        ask = self._at_once.get(names)
        if ask is None:
            found = self.row_kernels().chosen(names) if self.constraints.count else None
            ask = self._at_once[names] = found or (lambda *_: None)
        return ask(q, self._rest if v is None else v)

    def place(self, q: Array) -> tuple[Array, Array]:
        """J (m, n) and residual (m) of one place."""
        found: tuple[Array, Array] | None = self.at_once(("J", "residual"), q)
        if found is None:
            terms = self.terms(q[None])
            found = terms.J[0], terms.residual[0]
        return found

    def system(
        self,
        q: Array,
        v: Array,
        tau: Array,
        external: External = None,
        passive: bool = True,
        prescribed: Prescribed = None,
        baumgarte: Baumgarte = None,
        parameters: ArrayLike | None = None,
    ) -> System:
        """q, v, tau: (B, ·) arrays."""
        if passive:
            self.evaluator.refuse_load_friction("constraints and actuator forces")
        plain = is_none(external) and parameters is None
        found = self._at_once_system(q, v, tau, passive) if plain else None
        M, force, terms = found or self._system(q, v, tau, external, passive, parameters)
        if isinstance(prescribed, RowMotion):
            terms = prescribed.shifted(terms)
        target = terms.gamma + self.prescribed_rows(prescribed, len(q))
        if isinstance(baumgarte, AnyPenalty):  # rows move as their penalty lets them
            a, _ = penalized(M, force, target, terms, baumgarte)
            target = (terms.J @ a[..., None])[..., 0]
        else:
            target = target + self.baumgarte_terms(q, terms, baumgarte)
        return System(q, v, M, force, target, terms)

    def _at_once_system(
        self, q: Array, v: Array, tau: Array, passive: bool
    ) -> tuple[Array, Array, Terms] | None:
        """M (B, n, n), force (B, n) and rows of B states by one code; None where there is none."""
        code = self.whole_code(("q", "v", "tau"), passive, len(q)) if len(q) else None
        if code is None:
            return None
        found = code({"q": q, "v": v, "tau": tau}, len(q))
        force = found["pushes"][:, FORCE]
        # a joint whose axes coincide is marked there: the null space names its motion
        return (found["M"], force, of_kernel(found)) if np.isfinite(force).all() else None

    def whole_code(
        self, reads: tuple[str, ...], passive: bool, states: int = 0
    ) -> OneOrMany | None:
        """Straight-line code of the whole equations of states that are given by `reads`
        (algorithms/closed/state_equations.py), made once; None where there is none.  states: that
        are asked for at once."""
        owner = self.evaluator
        if "parameters" in reads or (passive and owner.model.load_dependent_joints):
            return None
        constraints = self.constraints if passive else self.constraints.bare
        options = replace(options_for(owner.options, STEPS, states), optimize=0)  # used seldom

        def make() -> OneOrMany | None:
            from armillary.evaluate.lean_call import OneOrMany

            program = program_over_rows(
                owner, state_equations, reads, constraints, passive, options
            )
            return None if program is None else OneOrMany(program, owner.base_numbers)

        return self.memo.once(("equations", reads, passive, options.budget), make)

    def _system(
        self,
        q: Array,
        v: Array,
        tau: Array,
        external: External,
        passive: bool,
        parameters: ArrayLike | None,
    ) -> tuple[Array, Array, Terms]:
        """M, force and rows by one call for each."""
        run, given = self.evaluator.run, {"parameters": parameters}
        M = run(mass_matrix.mass_matrix, {"q": q}, passive=passive, bodies=given)["M"]
        algorithm = inverse_dynamics.bias_forces
        h = run(algorithm, {"q": q, "v": v}, external, passive=passive, bodies=given)["tau"]
        terms = self._terms(q, v, passive)
        return M, tau - h + terms.given, terms

    def prescribed_rows(self, prescribed: Prescribed, count: int) -> Array:
        """Of all rows (count, m), on top of what the model says: see moving.py."""
        return prescribed_rows(self.constraints, prescribed, count)

    def baumgarte_terms(
        self, q: Array, terms: Terms, baumgarte: tuple[float, float] | CorrectiveForce | None
    ) -> Array:
        """Baumgarte's pull on rows that drift:  -2 alpha rate - beta² residual  (1/s, 1/s), or the
        accelerations that a corrective force gives them (drift.py)."""
        if baumgarte is None:
            return np.zeros_like(terms.gamma)
        if isinstance(baumgarte, CorrectiveForce):
            force = -baumgarte.kv * terms.rate - baumgarte.kp * terms.residual
            M = self.evaluator.run(mass_matrix.mass_matrix, {"q": q})["M"]
            a = np.linalg.solve(M, np.einsum("bmn,bm->bn", terms.J, force)[..., None])
            return np.asarray((terms.J @ a)[..., 0])
        alpha, beta = baumgarte_rates(baumgarte)
        return -2.0 * alpha * terms.rate - beta * beta * terms.residual

    def check_states(self, **arrays: State) -> tuple[dict[str, Array], bool]:
        """(B, ·) arrays of one length, and whether a single state was given."""
        parts = self.evaluator.checked(arrays)
        count, single = common_rows(parts)
        full = {
            name: x if len(x) == count else np.tile(x, (count, 1)) for name, (x, _) in parts.items()
        }
        return {name: x.astype(np.float64, copy=False) for name, x in full.items()}, single

    def random_configurations(self, rng: np.random.Generator, count: int) -> Array:
        """(count, nq) about the initial one; loops may be open."""
        start = np.tile(self.tree.initial, (count, 1))
        kick = rng.normal(size=(count, self.tables.nv)) * self.scaling.columns
        return self.tree.integrate(start, kick)

    @cached_property
    def idle_rows(self) -> NDArray[np.bool_]:
        """(m,) rows without content: the tree fulfils them already, in every configuration.

        A wheel whose axle slides along the ground can neither rise nor sink: its normal row moves
        no joint.  What stands in such a row of J is rounding, and so is its residual; divided by
        each other they are anything.  Rows are measured against the size that a row has when it
        moves something, in a few random configurations, not against each other."""
        if not self.constraints.count:
            return np.zeros(0, bool)
        q = self.random_configurations(np.random.default_rng(0), OPEN_SAMPLES)
        entries = np.abs(self.row_entries(q)).max(axis=0, initial=0.0)
        s, (rows, columns, *_) = self.scaling, self.rows.pairs
        largest = np.zeros(self.constraints.count)
        np.maximum.at(largest, rows, entries * s.rows[rows] * s.columns[columns] / s.length)
        for axis in self.constraints.axes:
            row = self.constraints.slices[axis.name].start
            sizes = [abs(x) * s.columns[v] for v, _, x in axis.terms]
            largest[row] = max(sizes, default=0.0) * s.rows[row] / s.length
        tolerance = max(RANK_TOLERANCE, self.geometry_tolerance)
        return np.asarray(largest <= tolerance, bool)

    # -- rank and solutions ----------------------------------------------------------------------

    def rank_tolerance(self, residual: Array) -> float:
        """What counts as dependent at a state whose rows are open by `residual` (m)."""
        return float(self.rank_tolerances(residual))

    def rank_tolerances(self, residual: Array) -> Array:
        """The same of many states (..., m)."""
        opening = np.abs(self.scaling.rows / self.length * residual).max(axis=-1, initial=0.0)
        closed, by_opening = self.rank_limits
        return np.maximum(closed, by_opening * opening)

    @cached_property
    def rank_limits(self) -> tuple[float, float]:
        """Rank tolerance of closed positions, and what an opening of 1 over the size makes of
        it."""
        return max(RANK_TOLERANCE, self.geometry_tolerance), _OPEN

    def factor(self, terms: Terms, k: int = 0, native: bool = True) -> Factor:
        """native: False for a check by LAPACK alone."""
        return self.factor_of(terms.J[k], terms.residual[k], native)

    def factor_of(self, J: Array, residual: Array, native: bool = True) -> Factor:
        """Of the rows J (m, n) of a place that is open by `residual` (m)."""
        return Factor(J, self.scaling, self.rank_tolerance(residual), native)

    def pushes(self, terms: Terms, k: int = 0) -> Array:
        """(n, free) what joint forces have to be looked at along: constraint forces do no work
        there.  The free motions, unless forces do not act along their rows (friction)."""
        if self.constraints.ideal:
            return self.factor(terms, k).free
        return Factor(terms.G[k], self.scaling, self.rank_tolerance(terms.residual[k])).free

    def responses(self, q: Array, v: Array, pushes: Array, wish: Array) -> tuple[Array, Array]:
        """At one state: free motions N (N^T M N)^-1 N^T f of joint forces, the columns of `pushes`
        (nv, k); and the accelerations nearest to a wish (nv), by kinetic energy."""
        system = self.system(q[None], v[None], np.zeros((1, len(v))), passive=False)
        factor, M = self.factor(system.terms), system.M[0]
        N, workless = factor.free, self.pushes(system.terms)
        nearest = solve(M, M @ wish, factor, system.target[0]).a
        return N @ np.linalg.solve(workless.T @ M @ N, workless.T @ pushes), nearest

    def answer(self, system: System, k: int, native: bool = True) -> Answer:
        """State k by the null space.  native: False for a check by LAPACK alone."""
        terms, labels, ideal = system.terms, self.model.v_labels, self.constraints.ideal
        M, force, target = system.M[k], system.force[k], system.target[k]
        if native and ideal:
            tolerance = self.rank_tolerance(terms.residual[k])
            return answer(M, force, terms.J[k], target, self.scaling, tolerance, labels)
        factor = self.factor(terms, k, native)
        return solve(M, force, factor, target, None if ideal else terms.G[k], labels)

    def answers(self, system: System, single: bool) -> list[Answer]:
        """All states by the null space.  Accelerations that are undefined (a gimbal turned by a
        quarter, a free motion without inertia) are an error of a single state; among others they
        are NaN, with the reason."""
        answer = self.answer if single else self._tried
        return [answer(system, k) for k in range(len(system.q))]

    def balance(self, system: System, k: int, a: Array) -> Answer:
        """State k by the null space; where its accelerations are undefined, what the constraints
        carry when they are a."""
        try:
            return self.answer(system, k)
        except SingularError:
            factor = self.factor(system.terms, k)
            carried = factor.multipliers(system.M[k] @ a - system.force[k])
            return Answer(a, carried, system.target[k] - factor.J @ a, factor)

    def _tried(self, system: System, k: int) -> Answer:
        try:
            return self.answer(system, k)
        except SingularError as fault:
            n, m = self.tables.nv, self.constraints.count
            factor = self.factor(system.terms, k)
            a, rows = np.full(n, np.nan), np.full(m, np.nan)
            return Answer(a, rows, rows, factor, fault.message)
