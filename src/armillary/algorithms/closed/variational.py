"""Momenta of a step of the variational midpoint rule: see sim/methods/variational.py.

    both  = μ + h/2 V(hξ/2) F
    start = dexp⁻¹(hξ) both - h exp(hξ/2) F            = -D₁ L_d of turns,  else μ - h/2 F
    end   = dexp⁻¹(-hξ) both                           = +D₂ L_d of turns,  else μ + h/2 F

at the middle of the step, with μ = ∂L/∂s and F = ∂L/∂y plus the forces that are given.  At free
joints y and s are those of a centre of mass (centre.py): there the Lagrangian falls into two parts,
½ m w² of the drift and that of all motion about the centre, which no drift can change.  On a base
that turns, a mechanism at rest has momentum: μ = M s + μ₀(q).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from armillary.algorithms.closed.constrained import moving_world, outward
from armillary.algorithms.closed.constraint_rows import kept_rows
from armillary.algorithms.interpreter import Run
from armillary.algorithms.passes import Algorithm, GlobalStep, Inward, Outward
from armillary.algorithms.tree.centre import carried, is_free
from armillary.algorithms.tree.chart import inverse_dexp, stepped
from armillary.algorithms.tree.kinematics import place
from armillary.algorithms.tree.mass_matrix import mass_matrix
from armillary.joints import Joint
from armillary.joints.left_jacobian import se3_arm
from armillary.scalar import Scalar
from armillary.spatial import Force, Motion, Vector
from armillary.spatial.rotation import from_quaternion, quaternion_exp

# results by name of an algorithm of the tree for its inputs
Ask = Callable[[Algorithm, dict[str, list[Scalar]]], Mapping[str, Sequence[Scalar]]]


def _outward(b, p, j):
    place(b, p, j)
    b.v = b.X @ p.v + b.S @ j.v
    b.g = b.X @ p.g
    b.m = b.inertia.mass
    b.L = b.inertia @ b.v
    b.f = b.inertia @ b.g + j.external


def _inward(b, p, j):
    """μ = Sᵀ L;  ∂L/∂q = (dS/dt + v × S)ᵀ L + Sᵀ f, with what hangs on the joint in L and f.

    Joints with a quaternion: dμ/dt instead, which holds [v, ·]ᵀ μ as well."""
    rates = b.joint.motion_space_rate(j.q, j.v)
    j.mu = tuple(s.dot(b.L) + m * v for s, m, v in zip(b.S, b.armature, j.v, strict=True))
    resistance = b.resistance(j.q, j.dv)
    j.force = tuple(
        (ds + b.v.cross(s)).dot(b.L) + s.dot(b.f) - r
        for s, ds, r in zip(b.S, rates, resistance, strict=True)
    )
    j.mass = (b.m,) * b.joint.nv
    p.m += b.m
    p.L += b.X.T @ b.L
    p.f += b.X.T @ b.f


def _at_rest(g):
    """A base that drifts is one at rest: its origin counts by its acceleration only."""
    turning, push = Motion(g.velocity.angular, Vector()), g.acceleration.classical(g.velocity)
    field = Motion(-push.angular, g.gravity - push.linear)
    return {"v": turning, "g": field, "m": 0, "L": Force.zero(), "f": Force.zero()}


# of the velocities v; friction and force elements are those of the velocities dv
momenta = Algorithm(
    name="momenta",
    passes=(Outward(_outward), Inward(_inward)),
    world=_at_rest,
    reads=("q", "v", "dv", "external"),
    writes={"mu": "dof", "force": "dof", "mass": "dof"},
    rate="dv",
)


class Entries:
    """Where the coordinates and velocities of every joint stand."""

    def __init__(self, joints: Sequence[Joint]):
        self.joints, q, v = [], 0, 0
        for joint in joints:
            self.joints.append((joint, slice(q, q + joint.nq), slice(v, v + joint.nv)))
            q, v = q + joint.nq, v + joint.nv

    def free(self) -> list[tuple[slice, slice, slice]]:
        """Of free joints: orientation and place in q, linear entries in v."""
        return [
            (slice(q.start, q.start + 4), slice(q.start + 4, q.stop), slice(v.start + 3, v.stop))
            for joint, q, v in self.joints
            if is_free(joint)
        ]


def discrete_momenta(
    entries: Entries, ask: Ask, y: list[Scalar], s: list[Scalar], given: list[Scalar], h: Scalar
) -> tuple[list[Scalar], list[Scalar]]:
    """start and end of the step from y with the velocity s (ξ).  given: forces along v at the
    middle of the step; `ask` may know wrenches on the bodies beside them."""
    middle: list[Scalar] = []
    for joint, q, v in entries.joints:
        middle += stepped(joint, y[q], [x * h * 0.5 for x in s[v]])
    mu, F = _middle(entries.free(), ask, middle, s, given)
    start = [m - f * h * 0.5 for m, f in zip(mu, F, strict=True)]
    end = [m + f * h * 0.5 for m, f in zip(mu, F, strict=True)]
    for joint, _, v in entries.joints:
        if joint.nq != joint.nv:
            turn = slice(v.start, v.start + 3)
            start[turn], end[turn] = _of_turn(s[turn], mu[turn], F[turn], h)
    return start, end


def _middle(
    free: list[tuple[slice, slice, slice]],
    ask: Ask,
    y: list[Scalar],
    s: list[Scalar],
    given: list[Scalar],
) -> tuple[list[Scalar], list[Scalar]]:
    """μ and F at the middle of a step, for s."""
    still = list(s)  # the same motion with the centre at rest
    for _, _, linear in free:
        still[linear] = [0, 0, 0]
    seen = ask(carried, {"q": y, "v": still}) if free else {}
    q, v, about, field = list(y), list(s), still, [0] * len(s)
    for turn, where_, linear in free:
        E = from_quaternion(y[turn])
        offset, slip = (list(seen[name][linear]) for name in ("offset", "slip"))
        q[where_] = [c - r for c, r in zip(y[where_], offset, strict=True)]
        v[linear] = (E @ (Vector(*s[linear]) - Vector(*slip))).leaves()
        about[linear] = (E @ -Vector(*slip)).leaves()
    found = ask(momenta, {"q": q, "v": about, "dv": v})
    mu, mass = list(found["mu"]), found["mass"]
    F = [f + g for f, g in zip(found["force"], given, strict=True)]
    for _, _, linear in free:
        field[linear] = [f / m for f, m in zip(F[linear], mass[linear], strict=True)]
    if free:  # forces that move the centre alone are those of a uniform field
        pull = ask(momenta, {"q": q, "v": field, "dv": [0] * len(s)})["mu"]
        total, F = F, [f - x for f, x in zip(F, pull, strict=True)]
        for turn, _, linear in free:
            mu[linear] = [m * w for m, w in zip(mass[linear], s[linear], strict=True)]
            F[linear] = (from_quaternion(q[turn]).T @ Vector(*total[linear])).leaves()
    return mu, F


def _of_turn(
    rate: list[Scalar], mu: list[Scalar], force: list[Scalar], h: Scalar
) -> tuple[Sequence[Scalar], Sequence[Scalar]]:
    w, m = Vector(*rate), Vector(*mu)
    F = Vector(*force) + w.cross(m)  # dμ/dt less the turning of the frame: ∂L/∂y
    theta = w * h
    both = m + (se3_arm(theta * 0.5) @ F) * (h * 0.5)
    push = from_quaternion(quaternion_exp(theta * 0.5)).T @ F * h
    start = Vector(*inverse_dexp(theta.leaves(), both.leaves())) - push
    return start.leaves(), inverse_dexp((-theta).leaves(), both.leaves())


def _whole(run: Run) -> None:
    wrenches = {name: x for name, x in run.inputs.items() if name == "external"}

    def ask(algorithm: Algorithm, inputs: dict[str, list[Scalar]]) -> dict[str, Sequence[Scalar]]:
        found = Run(algorithm, run.tables, run.base, inputs | wrenches)
        return {name: found.result(name) for name in algorithm.writes}

    i = run.inputs
    entries = Entries([body.joint for body in run.tables.bodies])
    start, end = discrete_momenta(
        entries, ask, list(i["q"]), list(i["v"]), list(i["tau"]), i["step"][0]
    )
    run.write("start", start)
    run.write("end", end)


# all of it as one kernel: y, ξ, given forces, wrenches on the bodies, h
variational_step = Algorithm(
    name="variational_step",
    passes=(GlobalStep(_whole),),
    world=lambda g: {},
    reads=("q", "v", "tau", "external", "step"),
    writes={"start": "dof", "end": "dof"},
)


class Numbers:
    """A result that is plain numbers."""

    def __init__(self, values: Sequence[Scalar] = (), size: int = 0):
        self.values, self.size = tuple(values), size

    def leaves(self) -> tuple[Scalar, ...]:
        return self.values


def rows(kept: tuple[int, ...], nv: int) -> Algorithm:
    """Rows of the constraints at q: all of J, then how far each is open.  Input "prescribed": where
    rows are to be."""

    def step(run: Run) -> None:
        lines = kept_rows(run, kept, "residual", [])
        J = [entries.get(k, 0) for entries, _ in lines for k in range(nv)]
        run.world.rows = Numbers([*J, *(opening for _, opening in lines)])

    return Algorithm(
        name="constraint_rows",
        passes=(Outward(outward), GlobalStep(step)),
        world=moving_world,
        reads=("q", "prescribed"),
        writes={"rows": "world"},
        shapes={"rows": Numbers(size=len(kept) * (nv + 1))},
    )


def openings(kept: Sequence[int], scale: Sequence[float]) -> Algorithm:
    """How far rows of the constraints are open at q, times `scale`.  Input "prescribed": where they
    are to be."""

    def step(run: Run) -> None:
        lines = kept_rows(run, kept, "residual", [])
        run.world.opening = Numbers([x * k for (_, x), k in zip(lines, scale, strict=True)])

    return Algorithm(
        name="openings",
        passes=(Outward(outward), GlobalStep(step)),
        world=moving_world,
        reads=("q", "prescribed"),
        writes={"opening": "world"},
        shapes={"opening": Numbers(size=len(kept))},
    )


def inertia_and_rows(kept: Sequence[int], scale: Sequence[float], nv: int) -> Algorithm:
    """M (nv, nv) and rows J of the constraints, times `scale`, at q and for s."""

    def step(run: Run) -> None:
        M = Run(mass_matrix, run.tables, run.base, {"q": run.inputs["q"]}).result("M")
        lines = kept_rows(run, kept, "residual", [])
        J = [
            [entries.get(i, 0) * k for i in range(nv)]
            for (entries, _), k in zip(lines, scale, strict=True)
        ]
        frees = Entries([body.joint for body in run.tables.bodies]).free()
        half = [_lowered(row, M, frees, run.inputs["q"]) for row in M]
        both = [_lowered(list(row), M, frees, run.inputs["q"]) for row in zip(*half, strict=True)]
        run.world.inertia = Numbers([x for row in both for x in row])
        lowered = [_lowered(row, M, frees, run.inputs["q"]) for row in J]
        run.world.rows = Numbers([x for row in lowered for x in row])

    return Algorithm(
        name="inertia_and_rows",
        passes=(Outward(outward), GlobalStep(step)),
        world=moving_world,
        reads=("q",),
        writes={"inertia": "world", "rows": "world"},
        shapes={"inertia": Numbers(size=nv * nv), "rows": Numbers(size=len(kept) * nv)},
    )


def _lowered(
    force: list[Scalar],
    M: list[list[Scalar]],
    frees: list[tuple[slice, slice, slice]],
    q: Sequence[Scalar],
) -> list[Scalar]:
    """A force along v as a force along s: the rows of w in s = T v are R M_w / m."""
    force = list(force)
    for turn, _, linear in frees:
        push, mass = force[linear], M[linear.start][linear.start]
        for k in range(len(force)):
            share = sum(f * row[k] for f, row in zip(push, M[linear], strict=True))
            force[k] = force[k] - share / mass
        force[linear] = (from_quaternion(list(q[turn])).T @ Vector(*push)).leaves()
    return force


def _known(run: Run) -> None:
    force: list[Scalar] = [0] * run.tables.nv
    kept_rows(run, (), "gamma", force)
    run.write("known", force)


# forces of contacts that push, and of friction and springs in loops
known_forces = Algorithm(
    "known_forces",
    (Outward(outward), GlobalStep(_known)),
    moving_world,
    ("q", "v"),
    {"known": "dof"},
)
