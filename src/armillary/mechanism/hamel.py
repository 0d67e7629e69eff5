"""The Boltzmann-Hamel equations of a mechanism in letters: Lagrange in quasi-velocities.

    q̇ = G(q) w,    p = ∂T/∂w = M w,    X_r = Σ_i G_ir ∂/∂q_i
    [X_r, X_s] = Σ_k c^k_rs X_k                              Hamel coefficients c
    ṗ_r - X_r(L) - Σ_sk c^k_sr w_s p_k = τ_r                [QuinnChang1991, 18]

w are the velocities of the joints, which are no rates of coordinates where a joint turns by a
quaternion (then c are those of rotations, and one free body gives Euler's equations); or any
w = A(q) q̇ of your own, τ then being the force along w.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product

from armillary.constraints.questions import Constrained
from armillary.errors import InputError
from armillary.mechanism.shortening import Expression, sympy_module
from armillary.mechanism.written_equations import WrittenEquations

Coefficients = dict[tuple[int, int, int], Expression]  # (k, r, s): c^k_rs, where it is not zero


@dataclass(frozen=True, repr=False)
class QuasiEquations(WrittenEquations):
    """ṗ - X(L) - c w p = τ of an open mechanism, in letters, with its derivation.

    q (nq), w, dw (nv): symbols of coordinates, quasi-velocities and their rates; G (nq, nv); M, V:
    mass matrix of w, potential energy; coefficients: Hamel's; values: numbers of the letters."""

    name: str
    labels: tuple[str, ...]
    q: tuple[Expression, ...]
    w: tuple[Expression, ...]
    dw: tuple[Expression, ...]
    values: dict[Expression, float]
    G: Expression
    M: Expression
    V: Expression
    coefficients: Coefficients
    tidy: Callable[[Expression], Expression]
    left_out: tuple[str, ...] = ()

    title = "Boltzmann-Hamel equations"
    form = "dp/dt - X(L) - c w p = τ,  dq/dt = G w"

    @cached_property
    def momenta(self) -> Expression:
        """p = M w (nv)."""
        return (self.M * sympy_module().Matrix(self.w)).applyfunc(self.tidy)

    @cached_property
    def momentum_rates(self) -> Expression:
        """dp/dt along the motion (nv)."""
        sympy = sympy_module()
        rates = self.G * sympy.Matrix(self.w)
        slopes = self.momenta.jacobian(sympy.Matrix(self.q)) * rates
        return (self.M * sympy.Matrix(self.dw) + slopes).applyfunc(self.tidy)

    @cached_property
    def slopes(self) -> Expression:
        """X_r(L) (nv): the Lagrangian along the motions of w."""
        sympy = sympy_module()
        w = sympy.Matrix(self.w)
        L = (w.T * self.M * w)[0] / 2 - self.V
        return (self.G.T * sympy.Matrix([L.diff(x) for x in self.q])).applyfunc(self.tidy)

    @cached_property
    def gyroscopic(self) -> Expression:
        """Σ c^k_sr w_s p_k (nv)."""
        sympy = sympy_module()
        found = sympy.zeros(len(self.w), 1)
        for (k, s, r), c in self.coefficients.items():
            found[r] += c * self.w[s] * self.momenta[k]
        return found.applyfunc(self.tidy)

    @cached_property
    def tau(self) -> Expression:
        """Forces along w (nv), N m or N for the velocities of joints."""
        return (self.momentum_rates - self.slopes - self.gyroscopic).applyfunc(self.tidy)

    def steps(self) -> list[tuple[str, str, Expression]]:
        """(words, left side in LaTeX, right side) of the derivation, in order."""
        found = [("Rates of the coordinates, dq/dt = G w", "G", self.G)]
        for (k, r, s), c in self.coefficients.items():
            if r < s:
                found.append(("Hamel coefficient", f"c^{{{k + 1}}}_{{{r + 1}{s + 1}}}", c))
        return [
            *found,
            ("Mass matrix of the quasi-velocities", "M", self.M),
            ("Potential energy", "V", self.V),
            ("Momenta", "p", self.momenta),
            ("Their rates", r"\dot p", self.momentum_rates),
            ("The Lagrangian along the motions", "X(L)", self.slopes),
            ("Gyroscopic forces", r"c\,w\,p", self.gyroscopic),
            ("Boltzmann-Hamel equations", r"\tau", self.tau),
        ]

    def legend(self) -> str:
        """What the numbered symbols stand for."""
        shown = ", ".join(f"w{k} = {label}" for k, label in enumerate(self.labels, 1))
        return f"Quasi-velocities: {shown}."

    def dotted(self) -> dict[Expression, str]:
        """q, w and dw/dt with their numbers below."""
        names = {x: f"q_{{{k}}}" for k, x in enumerate(self.q, 1)}
        names |= {x: f"w_{{{k}}}" for k, x in enumerate(self.w, 1)}
        return names | {x: rf"\dot{{w}}_{{{k}}}" for k, x in enumerate(self.dw, 1)}

    def to_python(self) -> str:
        """A module of its own: mass_matrix(q), rates(q, w), inverse_dynamics(q, w, dw)."""
        about = f"Boltzmann-Hamel equations of {self.name}, written by Armillary.  SI units."
        lines = [f"# {line}" for line in (about, self.remark) if line]
        lines += ["", "from math import cos, sin, sqrt", ""]
        lines += [f"{symbol.name} = {x!r}" for symbol, x in self.values.items()]
        rates = self.G * sympy_module().Matrix(self.w)
        for name, inputs, result in (
            ("mass_matrix", "q", self.M),
            ("rates", "q, w", list(rates)),
            ("inverse_dynamics", "q, w, dw", list(self.tau)),
        ):
            body = self.python_body(inputs.split(", "), result)
            lines += ["", "", f"def {name}({inputs}):", *body]
        return "\n".join([*lines, ""])


def quasi_motion(
    mechanism: Constrained, q: Sequence[Expression], quasi: Expression
) -> tuple[Expression, Coefficients]:
    """G (nq, nv) and the Hamel coefficients: of the joints ("joints"), or of w = quasi(q) q̇."""
    sympy, n = sympy_module(), mechanism.model.nv
    if isinstance(quasi, str):
        if quasi != "joints":
            raise InputError(
                f"quasi: expected 'joints' or a matrix A with w = A q̇; found {quasi!r}."
            )
        return _of_joints(mechanism, q)
    try:
        A = sympy.Matrix(quasi)
    except (TypeError, ValueError, NotImplementedError):
        raise InputError(f"quasi: expected a matrix ({n}, {n}), found {quasi!r:.60}.") from None
    if A.shape != (n, n) or mechanism.model.nq != n:
        raise InputError(
            f"quasi: expected a matrix ({n}, {n}) for joints whose velocities are rates of "
            f"coordinates; found {A.shape} and {mechanism.model.nq} coordinates."
        )
    if sympy.simplify(A.det()) == 0:
        raise InputError("quasi: the matrix has no inverse; w would not tell the motion.")
    G = A.inv().applyfunc(sympy.simplify)
    found: Coefficients = {}
    for r, s in product(range(n), repeat=2):
        X, Y = G.col(r), G.col(s)
        bracket = A * (Y.jacobian(list(q)) * X - X.jacobian(list(q)) * Y)
        for k in range(n):
            if (c := sympy.simplify(bracket[k])) != 0:
                found[k, r, s] = c
    return G, found


def _of_joints(mechanism: Constrained, q: Sequence[Expression]) -> tuple[Expression, Coefficients]:
    """G by the joints' own rates; c are constants of the joints, found at an exact position."""
    sympy, model = sympy_module(), mechanism.model
    G, found = sympy.zeros(model.nq, model.nv), {}
    for joint, slot in zip(model.joints, model.slots, strict=True):
        own = list(q[slot.q.start : slot.q.stop])
        for k in range(joint.nv):
            unit = [1 if i == k else 0 for i in range(joint.nv)]
            column = joint.rate(own, unit)
            for row, x in enumerate(column):
                G[slot.q.start + row, slot.v.start + k] = sympy.nsimplify(x)
        if joint.nq == joint.nv:
            continue
        block = G[slot.q.start : slot.q.stop, slot.v.start : slot.v.stop]
        for (k, r, s), c in _constants(block, own).items():
            first = slot.v.start
            found[first + k, first + r, first + s] = c
    return G, found


def _constants(G: Expression, q: Sequence[Expression]) -> Coefficients:
    """c^k_rs of fields whose brackets have constant coefficients, at the quaternion (1, 2, 2, 4)/5
    and at displacements of (1, 1/2, ...)."""
    sympy, found = sympy_module(), {}
    place = [sympy.Rational(x, 5) for x in (1, 2, 2, 4)]
    place += [sympy.Rational(1, k) for k in range(1, len(q) - 3)]
    at = dict(zip(q, place, strict=True))
    here, n = G.subs(at), G.shape[1]
    inverse = (here.T * here).inv() * here.T
    for r, s in product(range(n), repeat=2):
        X, Y = G.col(r), G.col(s)
        bracket = (Y.jacobian(list(q)) * X - X.jacobian(list(q)) * Y).subs(at)
        for k, c in enumerate(inverse * bracket):
            if c != 0:
                found[k, r, s] = c
    return found
