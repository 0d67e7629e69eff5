"""Lagrange's derivation of a mechanism's equations, step by step, as a person writes it down.

    T = ½ q̇^T M q̇,  V,  L = T - V
    d/dt ∂L/∂q̇ - ∂L/∂q = τ                              the Lagrange equations
    Γ_ijk = ½ (∂M_ij/∂q_k + ∂M_ik/∂q_j - ∂M_jk/∂q_i)      Christoffel symbols of the first kind
    M q̈ + C q̇ + g = τ,  C_ij = Σ Γ_ijk q̇_k,  g = ∂V/∂q

M comes from composite bodies (symbolic.py), V from the energy; everything else follows from them by
differentiation, and `tau` is the Lagrange equation itself, not M q̈ + C q̇ + g.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from armillary.constraints.questions import Constrained
from armillary.errors import InputError, ModelError
from armillary.mechanism import symbolic
from armillary.mechanism.letters import letters_of
from armillary.mechanism.symbolic import Expression, sympy_module
from armillary.model.passive import Passive
from armillary.shown import as_html

_NAMED = re.compile(r"([a-zA-Z]+)(\d+)_?(\w*)")


@dataclass(frozen=True)
class EquationsOfMotion:
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
        dM = [self.M.diff(q) for q in self.q]
        found = {}
        for i in range(n):
            for j in range(n):
                for k in range(j, n):
                    half = (dM[k][i, j] + dM[j][i, k] - dM[i][j, k]) / 2
                    found[i, j, k] = found[i, k, j] = self.tidy(half) if half != 0 else half
        order = [found[i, j, k] for i in range(n) for j in range(n) for k in range(n)]
        return sympy.Array(order, (n, n, n))

    @cached_property
    def C(self) -> Expression:
        """C_ij = Σ Γ_ijk q̇_k (nv, nv): dM/dt - 2 C is skew."""
        sympy, n, gamma = sympy_module(), len(self.q), self.christoffel
        return sympy.Matrix(
            n, n, lambda i, j: sympy.factor_terms(sum(gamma[i, j, k] * self.v[k] for k in range(n)))
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

    @property
    def remark(self) -> str:
        """What the equations leave out; empty where that is nothing."""
        names = ", ".join(f"'{name}'" for name in self.left_out)
        return names and f"Friction is left out; there is some in {names}."

    def latex(self, expression: Expression) -> str:
        """An expression with q̇ and q̈ for rates, and indices below their letters."""
        names = {}
        for kind, dots in (("q", ""), ("v", r"\dot"), ("a", r"\ddot")):
            for k, symbol in enumerate(getattr(self, kind), 1):
                names[symbol] = f"{dots}{{q}}_{{{k}}}" if dots else f"q_{{{k}}}"
        for symbol in self.values:
            if found := _NAMED.fullmatch(symbol.name):
                letter, number, rest = found.groups()
                names[symbol] = f"{letter}_{{{number}{rest}}}"
        return str(sympy_module().latex(expression, symbol_names=names))

    def to_markdown(self) -> str:
        """A page with one formula per step."""
        lines = [f"# Equations of motion of {self.name}", ""]
        units = ", ".join(f"q{k} = {label}" for k, label in enumerate(self.labels, 1))
        lines += [" ".join(filter(None, [f"Coordinates: {units}.", self.remark])), ""]
        if self.values:
            numbers = ", ".join(f"{s} = {x:g}" for s, x in self.values.items())
            lines += [f"Letters: {numbers} (kg, m, kg m², m/s²).", ""]
        before = ""
        for words, left, right in self.steps():
            lines += [f"{words}:", ""] if words != before else []
            lines += [f"$${left} = {self.latex(right)}$$", ""]
            before = words
        return "\n".join(lines)

    def to_latex(self) -> str:
        """A document of its own."""
        head = r"\documentclass{article}\usepackage{amsmath}\begin{document}"
        lines = [head, rf"\section*{{Equations of motion of {_plain(self.name)}}}"]
        lines += [_plain(self.remark), ""] if self.left_out else []
        for words, left, right in self.steps():
            lines += [_plain(words), rf"\[ {left} = {self.latex(right)} \]"]
        return "\n".join([*lines, r"\end{document}", ""])

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
            lines += ["", "", f"def {name}({inputs}):", *self._body(inputs.split(", "), result)]
        return "\n".join([*lines, ""])

    def _body(self, inputs: Sequence[str], result: Expression) -> list[str]:
        sympy = sympy_module()
        matrix = isinstance(result, sympy.MatrixBase)
        flat = list(result)
        shared, finals = sympy.cse(flat, symbols=sympy.numbered_symbols("x"))
        lines = [f"    ({', '.join(s.name for s in getattr(self, n))},) = {n}" for n in inputs]
        lines += [f"    {s.name} = {sympy.pycode(e, fully_qualified_modules=False)}"
                  for s, e in shared]  # fmt: skip
        texts = [sympy.pycode(e, fully_qualified_modules=False) for e in finals]
        if matrix:
            width = result.shape[1]
            rows = [texts[k : k + width] for k in range(0, len(texts), width)]
            texts = ["[" + ", ".join(row) + "]" for row in rows]
        return [*lines, "    return [", *(f"        {text}," for text in texts), "    ]"]

    def __str__(self) -> str:
        sympy = sympy_module()
        lines = [f"equations of motion of '{self.name}': M q̈ + C q̇ + g = τ", ""]
        for words, left, right in self.steps():
            value = right.tolist() if isinstance(right, sympy.MatrixBase) else right
            lines.append(f"{words}:  {value}" if "\\" in left else f"{words}:  {left} = {value}")
        return "\n".join([*lines, *(["", self.remark] if self.left_out else [])])

    def __repr__(self) -> str:
        return f"<EquationsOfMotion of '{self.name}', {len(self.q)} coordinates>"

    def _repr_markdown_(self) -> str:
        return self.to_markdown()

    def _repr_html_(self) -> str:
        return as_html(self)


def equations(
    mechanism: Constrained,
    function: str | None = None,
    frame: str | None = None,
    *,
    letters: bool = True,
    **options: Expression,
) -> Expression:
    """Equations of motion with their derivation; with the name of a function, its closed form.

    letters: symbols for masses, lengths, tensors and gravity (else exact numbers); or give your
    own: bodies={"link1": {"mass": m1, ...}}, gravity=(0, 0, -g).  frame: whose Jacobian is asked
    for, too.  function: any of `symbolic.equations`, such as "mass_matrix"."""
    own = bool(options.get("bodies")) or options.get("gravity") is not None
    values: dict[Expression, float] = {}
    if letters and not own:
        found = letters_of(mechanism)
        options |= {"bodies": found.bodies, "gravity": found.gravity}
        values = found.values
    if function is not None:
        return symbolic.equations(mechanism, function, frame, **options)
    _refuse(mechanism)
    tidy = options.pop("simplify", None) or symbolic.angle_sums
    options["simplify"] = tidy
    s = symbolic.symbols(mechanism)
    M = symbolic.equations(mechanism, "mass_matrix", **options)
    rest: dict[str, Expression] = {"v": (0,) * mechanism.model.nv}
    _, V = symbolic.equations(mechanism, "energy", **options, **rest)
    J = frame and symbolic.equations(
        mechanism, "jacobian", frame, coordinates="world_aligned",
        **{k: x for k, x in options.items() if k != "gravity"},
    )  # fmt: skip
    name, labels = mechanism.model.name, mechanism.model.q_labels
    specs = [body.joint for body in mechanism.model.bodies]
    rubs = tuple(j.name for j in specs if any(map(_rubs, j.passive)))
    springs = any(p.spring or p.law for j in specs for p in j.passive)
    return EquationsOfMotion(
        name, labels, s["q"], s["v"], s["a"], values, M, V, J or None, frame, tidy, rubs, springs
    )


def _rubs(passive: Passive) -> bool:
    """Has it more than a spring, which V holds?"""
    return not replace(passive, spring=0.0, rest=0.0).is_nothing()


def _refuse(mechanism: Constrained) -> None:
    model = mechanism.model
    if model.constraints:
        raise ModelError(
            f"'{model.name}' is closed: Lagrange's derivation is that of an open tree. Ask for "
            f"equations(mechanism.tree)."
        )
    for body, joint in zip(model.bodies, model.joints, strict=True):
        if joint.nq != joint.nv:
            raise ModelError(
                f"joint '{body.joint.name}' is {joint.kind}: its velocities are no rates of "
                f"coordinates. Use a gimbal joint, or equations(mechanism, 'inverse_dynamics')."
            )
    if any(model.base_velocity) or any(model.base_acceleration):
        raise InputError(f"'{model.name}': its base moves; Lagrange's derivation has it at rest.")
    if model.elements:
        names = ", ".join(f"'{part.name}'" for part in model.elements)
        raise ModelError(
            f"'{model.name}': force elements ({names}) are no part of the derivation, whose "
            f"potential is that of gravity alone. Build the mechanism without them."
        )


def _nonzero(array: Expression) -> list[tuple[tuple[int, ...], Expression]]:
    return [(k, array[k]) for k in np.ndindex(*array.shape) if array[k] != 0]


def _plain(text: str) -> str:
    """Text for LaTeX: no command of a name is obeyed."""
    return re.sub(r"([\\{}$&#^_%~])", lambda m: rf"\char{ord(m.group(1))} ", text)
