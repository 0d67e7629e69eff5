"""Digital-to-analog converters: the last step from a computed number to a voltage."""

from __future__ import annotations

from dataclasses import dataclass

from armillary.errors import InputError
from armillary.scalar import Scalar, where
from armillary.sim.control.block import clip
from armillary.sim.motion.coordinates import one_number, positive_period


@dataclass(frozen=True)
class DAC:
    """Offset binary:  output = low + code (high - low) / 2^bits, code = 0 ... 2^bits - 1.

    With low = -high, zero volts is the code 2^(bits - 1) exactly and the largest output is one
    step below `high`.  gain: of the amplifier that follows, so the motor sees gain * output.
    period (s): time between changes of the output [Swartz1982, DACTimePeriod], None: at once."""

    bits: int
    low: float = -10.0
    high: float = 10.0
    gain: float = 1.0
    period: float | None = None

    def __post_init__(self) -> None:
        whole = isinstance(self.bits, int) and not isinstance(self.bits, bool)
        if not (whole and 1 <= self.bits <= 24):
            raise InputError(f"DAC: expected 1 to 24 bits, found {self.bits!r}.")
        for name in ("low", "high", "gain"):
            one_number(f"DAC {name}", getattr(self, name))
        if not self.low < self.high:
            raise InputError(f"DAC: low {self.low:g} V is not below high {self.high:g} V.")
        if self.gain == 0.0:
            raise InputError("DAC: the gain must not be zero.")
        positive_period(self.period, "DAC period")

    @property
    def step(self) -> float:
        """Volts at the motor per code."""
        return self.gain * (self.high - self.low) / 2**self.bits

    def code(self, voltage: Scalar) -> Scalar:
        """The code whose output is nearest to the voltage wanted at the motor, within the range.

        Found bit by bit from the largest, as a converter with successive approximation does: this
        needs comparisons only, so it runs on every kind of scalar."""
        wanted = (voltage - self.gain * self.low) / self.step
        wanted = clip(wanted, 0.0, 2.0**self.bits - 1.0)
        code: Scalar = 0.0 * wanted  # not-a-number stays so
        for k in range(self.bits - 1, -1, -1):
            code = code + where(wanted + 0.5 >= code + 2.0**k, 2.0**k, 0.0)
        return code

    def voltage(self, code: Scalar) -> Scalar:
        """At the motor, after the amplifier."""
        return self.gain * self.low + code * self.step

    def __call__(self, voltage: Scalar) -> Scalar:
        """The nearest voltage the converter can give."""
        return self.voltage(self.code(voltage))
