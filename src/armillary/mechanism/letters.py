"""Letters for the constants of a mechanism: masses, centres, tensors, lengths, gravity.

Body k has m_k, c_k (or c_kx, ... where its centre of mass lies off the axes), I_kxx, ...; l_k leads
from joint k to the next one (l_0: from the world; l_k_j where several bodies hang on body k).  A
number that is zero stays zero, one that is negative is minus a positive letter.  The place of an
extra frame on body k is l_k where nothing else hangs on it, else l_k_frame.

Other names, or expressions, for letters: {"m1": "M", "c1": l1 / 2}.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from armillary.constraints.questions import Constrained
from armillary.errors import InputError, unknown_name
from armillary.mechanism.shortening import Expression

_SIX = ("xx", "yy", "zz", "xy", "xz", "yz")


@dataclass(frozen=True)
class Letters:
    """Constants as `equations` takes them, and the numbers they stand for."""

    bodies: dict[str, dict[str, Expression]]
    gravity: tuple[Expression, ...]
    values: dict[Expression, float]  # symbol -> number
    frame: tuple[Expression, ...] | None = None  # place of the asked frame on its body


class _Naming:
    """Letters as they are given out: names of one's own, and the numbers they stand for."""

    def __init__(self, chosen: Mapping[str, str | Expression] | None):
        self.chosen = dict(chosen or {})
        self.values: dict[Expression, float] = {}
        self.replaced: list[tuple[str, Expression, float]] = []
        self.seen: list[str] = []

    def letter(self, name: str, value: float, signed: bool = False) -> Expression:
        """The symbol for a number; products of inertia may have either sign."""
        import sympy

        if value == 0.0:
            return 0
        self.seen.append(name)
        own = self.chosen.get(name, name)
        number = value if signed else abs(value)
        if isinstance(own, str):
            own = sympy.Symbol(own, real=True) if signed else sympy.Symbol(own, positive=True)
            if self.values.setdefault(own, number) != number:
                raise InputError(
                    f"letters: '{own}' would stand for {self.values[own]:.12g} and, as '{name}', "
                    f"for {number:.12g}. Give them different names."
                )
        else:
            self.replaced.append((name, own, number))
        return own if signed or value > 0.0 else -own

    def triple(self, name: str, numbers: Sequence[float]) -> tuple[Expression, ...]:
        """One letter along an axis, else one per axis."""
        alone = sum(x != 0.0 for x in numbers) == 1
        return tuple(
            self.letter(name if alone else f"{name}{axis}", x)
            for axis, x in zip("xyz", numbers, strict=True)
        )

    def check(self) -> None:
        """Names that are no letters, and expressions that have other numbers, are refused."""
        for name in self.chosen:
            if name not in self.seen:
                raise unknown_name("letter", name, self.seen)
        for name, expression, number in self.replaced:
            _agree(name, expression, number, self.values)


def letters_of(
    mechanism: Constrained,
    chosen: Mapping[str, str | Expression] | None = None,
    frame: str | None = None,
) -> Letters:
    """A letter for every constant that is not zero; angles between joints stay numbers.

    mechanism: without welded bodies, which have no letters of their own (model/merge.py).
    chosen: names of your own for letters, or expressions in their place; frame: which extra frame
    gets letters, too."""
    model, names = mechanism.model, _Naming(chosen)
    bodies: dict[str, dict[str, Expression]] = {}
    children = [list(model.parents).count(k) for k in range(-1, len(model.bodies))]
    for k, (body, parent) in enumerate(zip(model.bodies, model.parents, strict=True)):
        length = f"l{parent + 1}" + (f"_{k + 1}" if children[parent + 1] > 1 else "")
        tensor = zip(_SIX, body.mass.tensor, strict=True)
        bodies[body.name] = {
            "mass": names.letter(f"m{k + 1}", body.mass.mass),
            "com": names.triple(f"c{k + 1}", body.mass.com),
            "inertia": tuple(names.letter(f"I{k + 1}{e}", x, e[0] != e[1]) for e, x in tensor),
            "position": names.triple(length, body.at.position),
        }
    place = None
    for part in model.frames:
        if part.name == frame:
            k = model.index[part.body]
            word = part.name if part.name.isidentifier() else "frame"
            more = f"_{word}" if children[k + 1] else ""
            place = names.triple(f"l{k + 1}{more}", part.pose.position)
    found = Letters(bodies, names.triple("g", model.gravity), names.values, place)
    names.check()
    return found


def _agree(name: str, own: Expression, number: float, values: dict[Expression, float]) -> None:
    """An expression for a letter must have its number; one new symbol in it is solved for."""
    import sympy

    unknown = own.free_symbols - values.keys()
    if len(unknown) == 1:
        solved = sympy.solve(own.subs(values) - number, *unknown)
        if solved:
            values[unknown.pop()] = float(solved[-1])
    worth = own.subs(values)
    if not worth.is_number or abs(float(worth) - number) > 1e-9 * abs(number):
        raise InputError(
            f"letters: '{name}' is {number:.12g} in the model, and {own} is {worth}. Give another "
            f"expression, or a name alone."
        )
