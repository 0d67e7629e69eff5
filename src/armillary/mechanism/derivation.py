"""Lagrange's derivation of a mechanism's equations, step by step, as a person writes it down.

    T = ½ q̇^T M q̇,  V,  L = T - V
    d/dt ∂L/∂q̇ - ∂L/∂q = τ                              the Lagrange equations
    Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)      Christoffel symbols of the first kind
    M q̈ + C q̇ + g = τ,  C_ij = Σ Γ_ijk q̇_k,  g = ∂V/∂q

M comes from composite bodies (symbolic.py), V from the energy; everything else follows from them by
differentiation, and `tau` is the Lagrange equation itself, not M q̈ + C q̇ + g.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial

import numpy as np

from armillary.constraints.questions import Constrained
from armillary.errors import InputError, ModelError, Remedy
from armillary.mechanism import symbolic
from armillary.mechanism.hamel import QuasiEquations, quasi_motion
from armillary.mechanism.letters import letters_of
from armillary.mechanism.shortening import (
    Expression,
    angle_sums,
    polynomial_sums,
    shorter,
    sympy_module,
)
from armillary.mechanism.trigonometry import NotPolynomialError, TrigRing
from armillary.mechanism.written_equations import WrittenEquations
from armillary.model.arguments import name_arguments
from armillary.model.merge import merge_welded
from armillary.model.passive import Passive

_SHORT = 3  # coordinates: of more, common factors are not looked for


@dataclass(frozen=True, repr=False)
class EquationsOfMotion(WrittenEquations):
    """M(q) q̈ + C(q, q̇) q̇ + g(q) = τ of an open mechanism, in letters, with its derivation.

    q, v, a: the symbols of coordinates, rates and accelerations; values: numbers of the letters.
    J (6, nv): Jacobian of the frame along the world's axes, angular first; None without a frame.
    T holds the reflected inertia of rotors and V the energy of springs; friction has no place in a
    Lagrangian: left_out names the joints that have some."""

    name: str
    labels: tuple[str, ...]
    q: tuple[Expression, ...]
    v: tuple[Expression, ...]
    a: tuple[Expression, ...]
    values: dict[Expression, float]
    M: Expression
    V: Expression
    J: Expression
    frame: str | None
    tidy: Callable[[Expression], Expression]
    left_out: tuple[str, ...] = ()
    springs: bool = False
    tell: Callable[[str], None] = lambda text: None  # of progress

    form = "M q̈ + C q̇ + g = τ"

    # -- Lagrange, one step after the other ------------------------------------------------------

    @cached_property
    def T(self) -> Expression:
        """Kinetic energy ½ q̇^T M q̇, J."""
        sympy = sympy_module()
        v = sympy.Matrix(self.v)
        return (v.T * self.M * v)[0] / 2

    @cached_property
    def L(self) -> Expression:
        """Lagrangian T - V, J."""
        return self.T - self.V

    @cached_property
    def momenta(self) -> Expression:
        """∂L/∂q̇ (nv)."""
        sympy = sympy_module()
        return sympy.Matrix([sympy.expand(sympy.diff(self.L, v)) for v in self.v])

    @cached_property
    def momentum_rates(self) -> Expression:
        """d/dt ∂L/∂q̇ along the motion (nv)."""
        sympy = sympy_module()
        motion = [*zip(self.q, self.v, strict=True), *zip(self.v, self.a, strict=True)]
        return self.momenta.applyfunc(
            lambda p: sympy.expand(sum(sympy.diff(p, x) * rate for x, rate in motion))
        )

    @cached_property
    def slopes(self) -> Expression:
        """∂L/∂q (nv)."""
        sympy = sympy_module()
        return sympy.Matrix([sympy.expand(sympy.diff(self.L, q)) for q in self.q])

    @cached_property
    def tau(self) -> Expression:
        """d/dt ∂L/∂q̇ - ∂L/∂q (nv): the joint forces, N m or N."""
        return (self.momentum_rates - self.slopes).applyfunc(self.tidy)

    # -- the matrix form -------------------------------------------------------------------------

    @cached_property
    def christoffel(self) -> Expression:
        """Γ_ijk of the first kind, an array (nv, nv, nv), symmetric in j and k."""
        sympy, n = sympy_module(), len(self.q)
        slope, tidy = _slopes_of(self.M, self.q, self.tidy)
        found, count = {}, 0
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    half = (slope(i, j, k) + slope(i, k, j) - slope(j, k, i)) / 2
                    found[i, j, k] = found[i, k, j] = tidy(half) if half != 0 else sympy.Integer(0)
                    count += 1
                    self.tell(f"Christoffel symbols: {count} of {n * n * (n + 1) // 2}")
        order = [found[i, j, k] for i in range(n) for j in range(n) for k in range(n)]
        return sympy.Array(order, (n, n, n))

    @cached_property
    def C(self) -> Expression:
        """C_ij = Σ Γ_ijk q̇_k (nv, nv): dM/dt - 2 C is skew."""
        sympy, n, gamma = sympy_module(), len(self.q), self.christoffel
        # of many coordinates the rates stay before their brackets
        shorter = sympy.factor_terms if n <= _SHORT else sympy.sympify
        return sympy.Matrix(
            n, n, lambda i, j: shorter(sum(gamma[i, j, k] * self.v[k] for k in range(n)))
        )

    @cached_property
    def g(self) -> Expression:
        """∂V/∂q (nv): joint forces against the weight."""
        sympy = sympy_module()
        return sympy.Matrix([self.tidy(sympy.diff(self.V, q)) for q in self.q])

    @cached_property
    def det_J(self) -> Expression:
        """Determinant of J without its empty rows, where that is square; singular where it is 0.

        Of a planar or pointing arm, the rows of the velocity of the frame's origin."""
        if self.J is None:
            return None
        rows = [k for k in range(6) if any(x != 0 for x in self.J.row(k))]
        linear = [k for k in rows if k >= 3]
        for chosen in (rows, linear):
            if len(chosen) == len(self.q):
                square = self.J.extract(chosen, list(range(len(self.q))))
                return sympy_module().factor(self.tidy(square.det()))
        return None

    # -- on paper --------------------------------------------------------------------------------

    def steps(self) -> list[tuple[str, str, Expression]]:
        """(words, left side in LaTeX, right side) of the derivation, in order."""
        found: list[tuple[str, str, Expression]] = []
        if self.J is not None:
            words = f"Jacobian of '{self.frame}', angular velocity first, along the world's axes"
            found.append((words, "J", self.J))
            if self.det_J is not None:
                found.append(("Singular where its determinant vanishes", r"\det J", self.det_J))
        found += [
            ("Kinetic energy", "T", self.T),
            ("Potential energy", "V", self.V),
            ("Momenta", r"\frac{\partial L}{\partial \dot q}", self.momenta),
            ("Their rates", r"\frac{d}{dt}\frac{\partial L}{\partial \dot q}", self.momentum_rates),
            ("Slopes of the Lagrangian L = T - V", r"\frac{\partial L}{\partial q}", self.slopes),
            ("Lagrange's equations", r"\tau", self.tau),
            ("The same as M a + C v + g: mass matrix", "M", self.M),
        ]
        for (i, j, k), gamma in _nonzero(self.christoffel):
            if j <= k:
                left = rf"\Gamma_{{{i + 1}{j + 1}{k + 1}}}"
                found.append(("Christoffel symbol", left, gamma))
        slope = "Gravity and springs" if self.springs else "Gravity"
        return [*found, ("Coriolis matrix", "C", self.C), (slope, "g", self.g)]

    def dotted(self) -> dict[Expression, str]:
        """q, q̇ and q̈ with their numbers below."""
        names = {}
        for kind, dots in (("q", ""), ("v", r"\dot"), ("a", r"\ddot")):
            for k, symbol in enumerate(getattr(self, kind), 1):
                names[symbol] = f"{dots}{{q}}_{{{k}}}" if dots else f"q_{{{k}}}"
        return names

    def to_python(self) -> str:
        """A module of its own: mass_matrix(q), coriolis_matrix(q, v), gravity_forces(q),
        inverse_dynamics(q, v, a), with the letters as constants; with springs, potential_forces(q)
        takes the place of gravity_forces."""
        about = f"Equations of motion of {self.name}, written by Armillary.  SI units."
        lines = [f"# {line}" for line in (about, self.remark) if line]
        lines += ["", "from math import cos, sin, sqrt", ""]
        lines += [f"{symbol.name} = {x!r}" for symbol, x in self.values.items()]
        for name, inputs, result in (
            ("mass_matrix", "q", self.M),
            ("coriolis_matrix", "q, v", self.C),
            ("potential_forces" if self.springs else "gravity_forces", "q", list(self.g)),
            ("inverse_dynamics", "q, v, a", list(self.tau)),
        ):
            lines += [
                "",
                "",
                f"def {name}({inputs}):",
                *self.python_body(inputs.split(", "), result),
            ]
        return "\n".join([*lines, ""])


@name_arguments
def equations(
    mechanism: Constrained,
    function: str | None = None,
    frame: str | None = None,
    *,
    letters: bool | Mapping[str, str | Expression] = True,
    quasi: Expression = None,
    **options: Expression,
) -> Expression:
    """Equations of motion with their derivation; with the name of a function, its closed form.

    letters: symbols for masses, lengths, tensors, gravity and the frame's place (False: exact
    numbers); with other names or expressions for some, {"m1": "M", "c1": l1 / 2}; or give all of
    your own: bodies={"link1": {"mass": m1, ...}}, gravity=(0, 0, -g).  frame: whose Jacobian is
    asked for, too.  function: any of `symbolic.equations`, such as "mass_matrix".  progress: a
    function that is told of every entry, such as print; welded bodies share the letters of those
    that carry them.  quasi: Boltzmann-Hamel equations instead,
    in the velocities of the joints ("joints", quaternions allowed) or in w = A(q) q̇, A a matrix."""
    own = bool(options.get("bodies")) or options.get("gravity") is not None
    values: dict[Expression, float] = {}
    place: tuple[Expression, ...] | None = None
    if letters and not own:
        mechanism = _merged(mechanism)
        found = letters_of(mechanism, None if letters is True else letters, frame)
        options |= {"bodies": found.bodies, "gravity": found.gravity}
        values, place = found.values, found.frame
    if function is not None:
        return symbolic.equations(mechanism, function, frame, at=place, **options)
    _refuse(mechanism, quasi is None)
    tidy = options.pop("simplify", None) or angle_sums
    options["simplify"] = tidy
    s = symbolic.symbols(mechanism)
    M = symbolic.equations(mechanism, "mass_matrix", **options)
    rest: dict[str, Expression] = {"v": (0,) * mechanism.model.nv}
    _, V = symbolic.equations(mechanism, "energy", **options, **rest)
    specs = [body.joint for body in mechanism.model.bodies]
    rubs = tuple(j.name for j in specs if any(map(_rubs, j.passive)))
    if quasi is not None:
        return _in_quasi_velocities(mechanism, quasi, M, V, s["q"], values, tidy, rubs)
    J = frame and symbolic.equations(
        mechanism, "jacobian", frame, coordinates="world_aligned", at=place,
        **{k: x for k, x in options.items() if k != "gravity"},
    )  # fmt: skip
    springs = any(p.spring or p.law for j in specs for p in j.passive)
    return EquationsOfMotion(
        name=mechanism.model.name,
        labels=mechanism.model.q_labels,
        q=s["q"],
        v=s["v"],
        a=s["a"],
        values=values,
        M=M,
        V=V,
        J=J or None,
        frame=frame,
        tidy=tidy,
        left_out=rubs,
        springs=springs,
        tell=options.get("progress") or EquationsOfMotion.tell,
    )


def _merged(mechanism: Constrained) -> Constrained:
    """With welded bodies as part of those that carry them: one letter for each thing that moves."""
    model = mechanism.model
    welded = any(body.joint.kind == "fixed" for body in model.bodies)
    if not welded or model.constraints or model.elements:
        return mechanism
    return mechanism.variant("welded bodies merged", merge_welded(model))


def _in_quasi_velocities(
    mechanism: Constrained,
    quasi: Expression,
    M: Expression,
    V: Expression,
    q: tuple[Expression, ...],
    values: dict[Expression, float],
    tidy: Callable[[Expression], Expression],
    rubs: tuple[str, ...],
) -> QuasiEquations:
    sympy, model = sympy_module(), mechanism.model
    G, coefficients = quasi_motion(mechanism, q, quasi)
    own = not isinstance(quasi, str)
    tidy = polynomial_sums if tidy is angle_sums else tidy
    M = (G.T * M * G).applyfunc(tidy) if own else M
    w, dw = (sympy.symbols(f"{x}1:{model.nv + 1}", real=True) for x in ("w", "dw"))
    labels = model.v_labels
    if own:
        rates = sympy.Matrix(quasi) * sympy.Matrix(symbolic.symbols(mechanism)["v"])
        labels = tuple(str(rate) for rate in rates)
    return QuasiEquations(
        name=model.name,
        labels=labels,
        q=q,
        w=w,
        dw=dw,
        values=values,
        G=G,
        M=M,
        V=V,
        coefficients=coefficients,
        tidy=tidy,
        left_out=rubs,
    )


def _rubs(passive: Passive) -> bool:
    """Has it more than a spring, which V holds?"""
    return not replace(passive, spring=0.0, rest=0.0).is_nothing()


def _refuse(mechanism: Constrained, rates: bool) -> None:
    model = mechanism.model
    if model.constraints:
        raise ModelError(
            f"'{model.name}' is closed: Lagrange's derivation is that of an open tree.",
            Remedy("derive tree"),
        )
    for body, joint in zip(model.bodies, model.joints, strict=True):
        if rates and joint.nq != joint.nv:
            raise ModelError(
                f"joint '{body.joint.name}' is {joint.kind}: its velocities are no rates of "
                f"coordinates. Use quasi='joints' (Boltzmann-Hamel), or a gimbal joint."
            )
    if any(model.base_velocity) or any(model.base_acceleration):
        raise InputError(f"'{model.name}': its base moves; Lagrange's derivation has it at rest.")
    if model.elements:
        names = ", ".join(f"'{part.name}'" for part in model.elements)
        raise ModelError(
            f"'{model.name}': force elements ({names}) are no part of the derivation, whose "
            f"potential is that of gravity alone. Build the mechanism without them."
        )


def _slopes_of(
    M: Expression, q: tuple[Expression, ...], tidy: Callable[[Expression], Expression]
) -> tuple[Callable[[int, int, int], Expression], Callable[[Expression], Expression]]:
    """∂M_ij/∂q_k, and how a sum of such is written: as polynomials, where M has nothing else."""
    n = len(q)
    if tidy is angle_sums:
        try:
            ring = TrigRing.of(M)
            known = {(i, j): ring.polynomial(M[i, j]) for i in range(n) for j in range(i, n)}
            dM = {(*ij, k): ring.slope(p, q[k]) for ij, p in known.items() for k in range(n)}
            return lambda i, j, k: dM[min(i, j), max(i, j), k], partial(shorter, ring)
        except NotPolynomialError:
            pass
    slopes = [M.diff(x) for x in q]
    return lambda i, j, k: slopes[k][i, j], tidy


def _nonzero(array: Expression) -> list[tuple[tuple[int, ...], Expression]]:
    return [(k, array[k]) for k in np.ndindex(*array.shape) if array[k] != 0]
