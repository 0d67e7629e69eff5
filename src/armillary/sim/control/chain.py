"""The chain of controllers and actuators as functions over scalars, for the native loop.

The states are (z, held): what sampled parts hold stands behind the states of all parts, and changes
at samples only.  The equations are those of `System.forces`, `System.sample` and `System.signals`.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from armillary.evaluate.function_kernel import Control, NotNative, Sample
from armillary.scalar import where
from armillary.sim.control.sample_and_hold import sampled
from armillary.sim.loop.stage import Stage
from armillary.sim.loop.system import System
from armillary.sim.record.fingerprint import NoFingerprint, fingerprint


@dataclass(frozen=True)
class Link:
    """A part in its place; what it holds stands at `held` of (z, held)."""

    part: Any
    z: slice
    count: int
    actuator: bool
    period: float | None
    held: slice | None

    def law(self, name: str) -> Callable[..., Any]:
        """Its function over scalars of any kind; it gets lists of its own."""
        own = self._law(name)
        return lambda t, *lists: own(t, *map(list, lists))

    def _law(self, name: str) -> Callable[..., Any]:
        if not hasattr(self.part, "force") or getattr(self.part, "array_level", False):
            found = getattr(self.part, f"scalar_{name}", None)
            if found is None:
                raise NotNative("a part that takes arrays")
            return found
        return getattr(self.part, name)

    def command(self, z: list, u: list) -> list:
        """What comes in, as far as it is not held."""
        return z[self.held] if self.held is not None and self.actuator else u

    def through(self, t: Any, q: list, v: list, z: list, u: list) -> tuple[list, list]:
        """The force, and the rates of the states."""
        if self.held is not None and not self.actuator:
            return z[self.held], [0.0] * self.count
        own, u = z[self.z], self.command(z, u)
        rates = list(self.law("rate")(t, q, v, own, u)) if self.count else []
        return list(self.law("force")(t, q, v, own, u)), rates


def links(system: System) -> list[Link]:
    first, n = system.nz, system.nv
    places: dict[Stage, slice] = {
        s: slice(first + k * n, first + (k + 1) * n) for k, s in enumerate(sampled(system))
    }
    return [Link(s.part, s.z, s.count, s.actuator, s.period, places.get(s)) for s in system.stages]


def _fed(system: System) -> list[float]:
    """Constant voltages that come to the first controller."""
    volts = system.voltages
    if volts is None:
        return [0.0] * system.nv
    if not volts.steady or volts.constant.ndim == 2:
        raise NotNative("voltages that differ over time or from run to run")
    return [float(x) for x in volts.constant]


def traced_key(system: System) -> Hashable | None:
    """Equal for chains of equal parts; None where that cannot be told."""
    try:
        return fingerprint([_fed(system), *((x.part, x.z, x.count, x.actuator, x.period, x.held)
                                            for x in links(system))])  # fmt: skip
    except NoFingerprint:
        return None


def traced_control(system: System) -> Control | None:
    """(t, q, v, (z, held), tau) -> forces and rates; raises NotNative where a part that works
    between samples takes arrays only."""
    if not system.stages:
        return None
    chain, volts = links(system), _fed(system)
    for link in chain:
        if link.held is None or link.actuator:
            link.law("force")

    def control(t: Any, q: list, v: list, z: list, tau: list) -> tuple[list, list]:
        u: list = volts
        rates: list = []
        for link in chain:
            u, own = link.through(t, q, v, z, u)
            rates += own
        rates += [0.0] * (len(z) - len(rates))
        return [x + y for x, y in zip(u, tau, strict=True)], rates

    return control


def traced_sample(system: System) -> tuple[Sample, int] | None:
    """(t, q, v, (z, held), due) -> (z, held), and the number of sampled parts; None where a part
    takes arrays only."""
    chain = links(system)
    count = sum(link.held is not None for link in chain)
    try:
        volts = _fed(system)
        for link in chain:
            link.law("force")
    except NotNative:
        return None
    if not count:
        return None

    def sample(t: Any, q: list, v: list, z: list, due: list) -> list:
        z, u = list(z), volts
        numbers = iter(due)
        for link in chain:
            if link.held is not None:
                now = next(numbers) > 0.5
                own, period = z[link.z], float(link.period or 0.0)
                new = u if link.actuator else link.law("force")(t, q, v, own, u)
                if link.count and not link.actuator:
                    rates = link.law("rate")(t, q, v, own, u)
                    z[link.z] = [where(now, x + period * rate, x)
                                 for x, rate in zip(own, rates, strict=True)]  # fmt: skip
                pairs = zip(new, z[link.held], strict=True)
                z[link.held] = [where(now, x, old) for x, old in pairs]
            u, _ = link.through(t, q, v, z, u)
        return z

    return sample, count


def traced_signals(system: System, names: tuple[str, ...]) -> Callable[..., list[list]]:
    """(t, q, v, (z, held)) -> nv numbers for every name, summed over the parts that tell it."""
    chain, n, volts = links(system), system.nv, _fed(system)

    def signals(t: Any, q: list, v: list, z: list) -> list[list]:
        u: list = volts
        found: dict[str, list] = {name: [0.0] * n for name in names}
        for link in chain:
            tell = getattr(link.part, "signals", None)
            lists = (q, v, z[link.z], link.command(z, u))
            told = tell(t, *map(list, lists)) if tell else {}
            for name in (name for name in names if name in told):
                found[name] = [x + y for x, y in zip(found[name], told[name], strict=True)]
            u, _ = link.through(t, q, v, z, u)
        return [found[name] for name in names]

    return signals
