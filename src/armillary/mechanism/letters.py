"""Letters for the constants of a mechanism: masses, centres, tensors, lengths, gravity.

Body k has m_k, c_k (or c_kx, ... where its centre of mass lies off the axes), I_kxx, ...; l_k leads
from joint k to the next one (l_0: from the world; l_k_j where several bodies hang on body k).  A
number that is zero stays zero, one that is negative is minus a positive letter.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from armillary.constraints.questions import Constrained
from armillary.errors import ModelError
from armillary.mechanism.symbolic import Expression

_SIX = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Letters:
    """Constants as `equations` takes them, and the numbers they stand for."""

    bodies: dict[str, dict[str, Expression]]
    gravity: tuple[Expression, ...]
    values: dict[Expression, float]  # symbol -> number


def letters_of(mechanism: Constrained) -> Letters:
    """A letter for every constant that is not zero; angles between joints stay numbers."""
    import sympy

    model, values = mechanism.model, {}

    def letter(name: str, value: float, signed: bool = False) -> Expression:
        """The symbol for a number; products of inertia may have either sign."""
        if value == 0.0:
            return 0
        symbol = sympy.Symbol(name, real=True) if signed else sympy.Symbol(name, positive=True)
        values[symbol] = value if signed else abs(value)
        return symbol if signed or value > 0.0 else -symbol

    def triple(name: str, numbers: Sequence[float]) -> tuple[Expression, ...]:
        """One letter along an axis, else one per axis."""
        alone = sum(x != 0.0 for x in numbers) == 1
        return tuple(
            letter(name if alone else f"{name}{axis}", x)
            for axis, x in zip("xyz", numbers, strict=True)
        )

    bodies: dict[str, dict[str, Expression]] = {}
    children = [list(model.parents).count(k) for k in range(-1, len(model.bodies))]
    for k, (body, parent) in enumerate(zip(model.bodies, model.parents, strict=True)):
        if body.joint.kind == "fixed":
            raise ModelError(
                f"body '{body.name}' is welded: its letters would stand beside those of the body "
                f"that carries it. Merge it into '{body.parent}', or pass letters=False."
            )
        many = children[parent + 1] > 1
        tensor = zip(_SIX, body.mass.tensor, strict=True)
        bodies[body.name] = {
            "mass": letter(f"m{k + 1}", body.mass.mass),
            "com": triple(f"c{k + 1}", body.mass.com),
            "inertia": tuple(letter(f"I{k + 1}{e}", x, e[0] != e[1]) for e, x in tensor),
            "position": triple(f"l{parent + 1}" + (f"_{k + 1}" if many else ""), body.at.position),
        }
    return Letters(bodies, triple("g", model.gravity), values)
