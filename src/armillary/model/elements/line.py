"""Springs, dampers, dry friction and actuators along a line, a cable or a sum of coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from armillary.errors import ModelError
from armillary.model.elements.along import AlongForce, arms_of, rate_of
from armillary.model.elements.element import Ends, nothing
from armillary.model.passive import interpolated
from armillary.scalar import Scalar, tanh, where

SIDES = ("both", "pull", "push")
SMOOTHING = 1e-3  # m/s or rad/s
Table = tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class LineForce(AlongForce):
    """Tension along the line through the ends (positive: it pulls them together),

        T = force + stiffness x + cubic x³ + table(x) + damping dL/dt + damper_table(dL/dt)
            + coulomb tanh(dL/dt / smoothing)

    with x = L - rest and L the length of the line; a line over more than two points runs over them
    without friction, with one tension.  With `weights` L is a sum of coordinates of joints, and
    what is said in m and N is in rad and N m where the first of them is an angle.  Tables are
    piecewise linear, constant outside their ends.  side: "pull" (a cable: nothing while x <= 0, and
    never a push), "push" (a bump stop: nothing while x >= 0, and never a pull) or "both".  Dry
    friction is smooth, as `smoothing` makes that of joints."""

    kind = "spring"
    numbers = (
        "stiffness",
        "damping",
        "rest",
        "force",
        "cubic",
        "coulomb",
        "smoothing",
        "weights",
        "table",
        "damper_table",
    )
    named = ("stiffness", "damping", "rest", "force", "cubic", "coulomb", "weights")

    stiffness: float = 0.0  # N/m
    damping: float = 0.0  # N s/m
    rest: float = 0.0  # m
    force: float = 0.0  # N
    cubic: float = 0.0  # N/m³
    coulomb: float = 0.0  # N
    smoothing: float = SMOOTHING  # m/s
    table: Table = ()  # (x, force), m and N
    damper_table: Table = ()  # (rate, force), m/s and N
    side: str = "both"

    @property
    def noun(self) -> str:
        return "cable" if self.side == "pull" else self.kind

    def check(self, part: str) -> None:
        self.check_positive(part, "stiffness", "damping", "cubic", "coulomb")
        self.check_weights(part)
        if not self.smoothing > 0.0:
            raise ModelError(
                f"{part}: its smoothing is {self.smoothing:g} {self.units[2]}; expected more than "
                f"0. Dry friction between bodies is smooth: it reaches its level beyond a rate of "
                f"about twice that."
            )
        if self.side != "both" and self.coulomb:
            raise ModelError(
                f"{part}: dry friction acts both ways, side='{self.side}' one way. Use two "
                f"elements."
            )
        if self.rest < 0.0 and not self.of_coordinates:
            raise ModelError(
                f"{part}: its rest length is negative: {self.rest:g} m. A line has a length of "
                f"zero or more; give a tension at the start by `preload`."
            )
        if self.side not in SIDES:
            raise ModelError(f"{part}: side is one of {', '.join(SIDES)}; found {self.side!r}.")
        if self.side != "both" and self.force:
            raise ModelError(
                f"{part}: a constant force and side='{self.side}' contradict each other: the "
                f"first acts always, the second only {'beyond' if self.side == 'pull' else 'below'}"
                f" the rest length. Use two elements, or leave one of them out."
            )
        for name in ("table", "damper_table"):
            check_table(part, name, getattr(self, name))
        if self.damper_table and (held := interpolated(self.damper_table, 0.0)):
            raise ModelError(
                f"{part}: its damper_table gives {held:g} N at rest, where dampers exert nothing: "
                f"let it pass through (0, 0), and give the rest as `force`."
            )
        for x, f in self.damper_table:
            if x * f < 0.0:
                raise ModelError(
                    f"{part}: its damper_table gives {f:g} N at {x:g} m/s, which would drive the "
                    f"motion. A damper resists: a positive rate has a tension of zero or more, a "
                    f"negative one of zero or less. Correct the signs."
                )
        wrong = -1.0 if self.side == "pull" else 1.0
        held = [(x, f) for x, f in self.table if x * wrong < 0.0]  # where it acts, and its edge
        held += [(0.0, interpolated(self.table, 0.0))] if self.table else []
        if self.side != "both" and any(f * wrong > 0.0 for _, f in held):
            raise ModelError(
                f"{part}: its table pushes where side='{self.side}' says it cannot. Correct the "
                f"signs (tension is positive) or use side='both'."
            )
        if not self.acts:
            raise ModelError(
                f"{part}: it exerts no force at all. Give it a stiffness, a damping, a force or a "
                f"table."
            )

    @property
    def inputs(self) -> tuple[str, ...]:  # type: ignore[override]
        """A tension from outside acts always, one side only beyond the rest length: see `check`."""
        return ("force",) if self.side == "both" else ()

    def input_labels(self) -> tuple[tuple[str, str], ...]:
        return (("", self.units[0]),) if self.inputs else ()

    @property
    def acts(self) -> bool:
        numbers = (self.stiffness, self.damping, self.force, self.cubic, self.coulomb)
        return any(not nothing(x) for x in numbers) or bool(self.table or self.damper_table)

    @property
    def damped(self) -> bool:
        return not (nothing(self.damping) and nothing(self.coulomb)) or bool(self.damper_table)

    @property
    def directed(self) -> bool:
        """Does it need a direction, which a line of length zero has not?"""
        plain = self.side == "both" and not (self.damped or self.table)
        return not (plain and all(nothing(x) for x in (self.rest, self.force, self.cubic)))

    def tension(self, length: Scalar, rate: Scalar) -> Scalar:
        x = length - self.rest
        total = self.force + self.stiffness * x + self.damping * rate
        if not nothing(self.cubic):
            total = total + self.cubic * (x * x * x)
        if self.table:
            total = total + interpolated(self.table, x)
        if self.damper_table:
            total = total + interpolated(self.damper_table, rate)
        if not nothing(self.coulomb):
            total = total + self.coulomb * tanh(rate / self.smoothing)
        if self.side == "pull":
            return where(x > 0, where(total > 0, total, 0.0), 0.0)
        if self.side == "push":
            return where(x < 0, where(total < 0, total, 0.0), 0.0)
        return total

    def energy(self, length: Scalar) -> Scalar:
        """The integral of the tension at rest, from the rest length on, J."""
        x = length - self.rest
        total = self.force * x + self.stiffness * (x * x) * 0.5
        if not nothing(self.cubic):
            total = total + self.cubic * (x * x * x * x) * 0.25
        if self.table:
            total = total + _integral(self.table, x) - _integral(self.table, 0.0)
        if self.side == "pull":
            return where(x > 0, total, 0.0)
        if self.side == "push":
            return where(x < 0, total, 0.0)
        return total

    def act(self, ends: Ends) -> None:
        if self._plain(ends):
            pull = (ends[1].position - ends[0].position) * self.stiffness
            ends[0].push(pull)
            ends[1].push(-pull)
            return
        if self.of_coordinates:
            super().act(ends)
            return
        arms, length = arms_of(ends)
        tension = self.tension(length, rate_of(ends, arms) if self.damped else 0)
        self.pull(ends, arms, tension, None if self.side == "both" else tension * tension <= 0.0)

    def potential(self, ends: Ends) -> Scalar:
        if self._plain(ends):
            arm = ends[1].position - ends[0].position
            return self.stiffness * arm.dot(arm) * 0.5
        return self.energy(self.measured(ends)[0])

    def _plain(self, ends: Ends) -> bool:
        """Two points with a spring that needs no direction?"""
        return not (self.of_coordinates or self.directed) and len(ends) == 2


# -- tables --------------------------------------------------------------------------------------


def check_table(part: str, name: str, rows: Table) -> None:
    """Rows (x, force) with rising x."""
    if len(rows) == 1:
        raise ModelError(f"{part}: its {name} needs two rows or more, found one.")
    for k, (one, two) in enumerate(pairwise(rows)):
        if not two[0] > one[0]:
            raise ModelError(
                f"{part}: the first numbers of its {name} must rise; row {k + 2} has {two[0]:g} "
                f"after {one[0]:g}."
            )


def _integral(table: Sequence[tuple[Scalar, Scalar]], x: Scalar) -> Scalar:
    """Of `interpolated`, from the first row on."""
    (start, before), (end, after) = table[0], table[-1]
    total = where(x < start, (x - start) * before, 0.0) + where(x > end, (x - end) * after, 0.0)
    for (x0, f0), (x1, f1) in pairwise(table):
        step = where(x > x0, where(x < x1, x, x1), x0) - x0
        total = total + step * (f0 + (f1 - f0) / (x1 - x0) * step * 0.5)
    return total
