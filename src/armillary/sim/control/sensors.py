"""Sensors: blocks that read numbers at their period, with noise, rounding and delay.

    reading = resolution · round((x + noise) / resolution),        given out `delay` samples later

The readings are the states of a sensor, recorded by name.  Controllers behind an `Encoder` see its
readings in the place of the state; actuators see the state itself.  Noise is a sequence of its own
for every number and every run of a batch, chosen by the seed: a run can be repeated bit by bit.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from armillary.constraints.drift import DrawnBack
from armillary.constraints.moving import RowMotion
from armillary.errors import InputError
from armillary.evaluate.inputs import Array, whole_number
from armillary.mechanism.mechanism import Mechanism
from armillary.model.arguments import name_arguments
from armillary.scalar import Scalar, where
from armillary.sim.control.block import Block, Scalars, made_for
from armillary.sim.motion.coordinates import coordinates, freedoms, per_freedom, positive_period
from armillary.sim.motion.user_functions import columns

_BIG = 6755399441055744.0  # 1.5 · 2^52: adding it rounds to whole numbers
_MODULUS, _FACTOR = 2147483647.0, 48271.0  # minimal standard generator [Park and Miller 1993]
_MOST_WAITING = 100_000  # numbers of delayed readings
_DRAWS = 12  # uniform numbers whose sum, less 6, is one of standard deviation 1


@dataclass(frozen=True)
class Motion:
    """A state with its accelerations: (n,) or (B, n)."""

    mechanism: Mechanism
    q: Array
    v: Array
    a: Array
    tau: Array
    external: dict[str, Array] | None
    moving: RowMotion | None = None  # prescribed motion of constraint rows
    baumgarte: DrawnBack | None = None
    parameters: Array | None = None  # inertias other than the model's


class Sensor(Block):
    """Numbers read every `period` seconds.

    channels: their names; units: theirs.  noise: standard deviation, resolution: step of the
    rounding (0: none), each one number or one per channel; the noise is the sum of 12 uniform
    numbers, so never beyond 6 deviations.  delay: whole number of samples."""

    is_sensor = True

    @name_arguments
    def __init__(
        self,
        channels: Sequence[str],
        units: Sequence[str],
        period: float,
        noise: ArrayLike = 0.0,
        resolution: ArrayLike = 0.0,
        delay: int = 0,
        seed: int = 0,
    ):
        count = len(channels)
        if period is None:
            raise InputError("period: a sensor needs one, the time (s) between two readings.")
        self.period = positive_period(period)
        self.noise = per_freedom("noise", noise, count, channels, 0.0)
        self.resolution = per_freedom("resolution", resolution, count, channels, 0.0)
        self.delay, self.seed = whole_number("delay", delay, 0), whole_number("seed", seed, 0)
        self.count = count
        if self.delay * count > _MOST_WAITING:
            raise InputError(
                f"delay: {self.delay} readings of {count} numbers would wait; at most "
                f"{_MOST_WAITING} numbers do. Count it in readings, or use a longer period."
            )
        self.noisy = [k for k, x in enumerate(self.noise) if x > 0.0]
        waiting = [f"{name}.in{d}" for d in range(self.delay, 0, -1) for name in channels]
        self.states = (*channels, *waiting, *(f"{channels[k]}.noise" for k in self.noisy))
        self.state_units = (*units, *tuple(units) * self.delay, *("1" for _ in self.noisy))

    def force(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return list(u)

    def rate(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        return [0.0] * len(self.states)

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        """Before the first sample: rounded numbers of the first state, no noise."""
        first = self.values(q, v) if q is not None and v is not None else [0.0] * self.count
        rounded = [_rounded(x, r) for x, r in zip(first, self.resolution, strict=True)]
        shape = np.shape(q[0]) if q else ()
        return [*rounded * (self.delay + 1), *(self._seeds(k, shape) for k in self.noisy)]

    def values(self, q: Scalars, v: Scalars) -> list[Scalar]:
        """The true numbers, where they follow from the state."""
        return [0.0] * self.count

    def read(self, motion: Motion) -> list[Scalar]:
        """The true numbers, of sensors that need accelerations or forces."""
        raise NotImplementedError

    def update(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        """The states after a sample, of sensors that need no accelerations."""
        return self.after(z, self.values(q, v))

    def after(self, z: Scalars, numbers: Scalars) -> list[Scalar]:
        """The states after a reading of these true numbers."""
        n = self.count
        generators = dict(zip(self.noisy, z[n * (self.delay + 1) :], strict=True))
        fresh = []
        for k, x in enumerate(numbers):
            if k in generators:
                generators[k], noise = _drawn(generators[k])
                x = x + self.noise[k] * noise
            fresh.append(_rounded(x, self.resolution[k]))
        queue = [*z[n : n * (self.delay + 1)], *fresh]
        return [*queue, *generators.values()]

    def measured(self, q: Scalars, v: Scalars, z: Scalars) -> tuple[Scalars, Scalars]:
        """The state as controllers behind this sensor see it."""
        return q, v

    def _seeds(self, k: int, shape: tuple[int, ...]) -> Scalar:
        """Where the noise of a channel begins; of a batch, one number per run."""
        made = np.random.SeedSequence([self.seed, k]).generate_state(int(np.prod(shape)) or 1)
        numbers = 1.0 + (made % np.uint32(_MODULUS - 1.0))
        return numbers.reshape(shape) if shape else float(numbers[0])


class Encoder(Sensor):
    """Positions of joints, and velocities as differences of two readings over the period.

    joints: names (default: all).  Controllers behind it in the chain see these readings:
    controller=[Encoder(arm, 1e-3, resolution=1e-4), PID(arm, ..., period=1e-3)]."""

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        period: float,
        joints: Sequence[str] | str | None = None,
        *,
        noise: ArrayLike = 0.0,
        resolution: ArrayLike = 0.0,
        delay: int = 0,
        seed: int = 0,
    ):
        self.rows = freedoms(mechanism, joints)
        self.places = coordinates(mechanism, self.rows)
        labels = [f"{mechanism.v_labels[i]}.reading" for i in self.rows]
        units = [mechanism.v_units[i] for i in self.rows]
        super().__init__(labels, units, period, noise, resolution, delay, seed)
        self.built_for = made_for(mechanism)
        self.states += tuple(f"{mechanism.v_labels[i]}.reading_rate" for i in self.rows)
        self.state_units += tuple(f"{unit}/s" for unit in units)

    def values(self, q: Scalars, v: Scalars) -> list[Scalar]:
        return [q[i] for i in self.places]

    def start(
        self, mechanism: Mechanism, q: Scalars | None = None, v: Scalars | None = None
    ) -> list[Scalar]:
        return [*super().start(mechanism, q, v), *[0.0] * self.count]

    def update(self, t: Scalar, q: Scalars, v: Scalars, z: Scalars, u: Scalars) -> list[Scalar]:
        n, period = self.count, float(self.period or 0.0)
        found = self.after(z[:-n], self.values(q, v))
        return found + [(x - old) / period for x, old in zip(found[:n], z[:n], strict=True)]

    def measured(self, q: Scalars, v: Scalars, z: Scalars) -> tuple[Scalars, Scalars]:
        q, v = list(q), list(v)
        for k, (place, i) in enumerate(zip(self.places, self.rows, strict=True)):
            q[place], v[i] = z[k], z[len(z) - self.count + k]
        return q, v


class IMU(Sensor):
    """An inertial measurement unit at a frame: angular velocity ω (rad/s) and specific force
    a - g (m/s²), in the axes of the frame; at rest it shows 9.81 m/s² upwards.

    noise, resolution: one number, or (of ω, of the specific force), or six."""

    needs_motion = array_level = True

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        frame: str,
        period: float,
        *,
        noise: ArrayLike = 0.0,
        resolution: ArrayLike = 0.0,
        delay: int = 0,
        seed: int = 0,
    ):
        mechanism.pose(mechanism.initial, frame)  # refuses unknown names
        self.frame = frame
        channels = [f"{frame}.{name}" for name in ("wx", "wy", "wz", "ax", "ay", "az")]
        units = ("rad/s",) * 3 + ("m/s²",) * 3
        super().__init__(
            channels, units, period, _by_kind(noise), _by_kind(resolution), delay, seed
        )
        self.built_for = made_for(mechanism)

    def read(self, motion: Motion) -> list[Scalar]:
        m, (q, v, a) = motion.mechanism, (motion.q, motion.v, motion.a)
        turning = m.velocity(q, v, self.frame)[..., :3]
        rotation = m.pose(q, self.frame)[0]
        fall = np.einsum("...ji,j->...i", rotation, np.asarray(m.model.gravity, float))
        push = m.acceleration(q, v, a, self.frame)[..., 3:] - fall
        return columns(np.concatenate([turning, push], axis=-1))


class ForceTorque(Sensor):
    """The wrench (n; f), N m and N, that the parent exerts on a body through its joint, in the axes
    of the body's frame and about its origin: what a six-axis sensor in the joint shows."""

    needs_motion = array_level = True

    @name_arguments
    def __init__(
        self,
        mechanism: Mechanism,
        joint: str,
        period: float,
        *,
        noise: ArrayLike = 0.0,
        resolution: ArrayLike = 0.0,
        delay: int = 0,
        seed: int = 0,
    ):
        self.joint, self.number = joint, mechanism.model.joint_number(joint)
        channels = [f"{joint}.{name}" for name in ("nx", "ny", "nz", "fx", "fy", "fz")]
        units = ("N m",) * 3 + ("N",) * 3
        super().__init__(
            channels, units, period, _by_kind(noise), _by_kind(resolution), delay, seed
        )
        self.built_for = made_for(mechanism)

    def read(self, motion: Motion) -> list[Scalar]:
        m, q, v = motion.mechanism, motion.q, motion.v
        if motion.parameters is not None:
            raise InputError("ForceTorque: reactions are not known with `parameters`.")
        if m.constraints:
            found = m.solve(
                q,
                v,
                motion.tau,
                motion.external,
                prescribed=motion.moving,
                baumgarte=motion.baumgarte,
            ).reactions
        else:
            found = m.reactions(q, v, motion.a, external=motion.external)
        return columns(found.total[..., self.number, :])


def _by_kind(given: ArrayLike) -> ArrayLike:
    """Two numbers stand for three angular and three linear channels."""
    return np.repeat(np.asarray(given, float), 3) if np.shape(given) == (2,) else given


def _rounded(x: Scalar, step: float) -> Scalar:
    """The nearest multiple of the step."""
    return step * _whole(x / step) if step else x


def _whole(x: Scalar) -> Scalar:
    """The nearest whole number.  The selection keeps both sums apart when they are compiled."""
    return where(x < np.inf, x + _BIG, x) - _BIG


def _drawn(x: Scalar) -> tuple[Scalar, Scalar]:
    """The generator after some draws, and a number of mean 0 and standard deviation 1."""
    total: Scalar = -0.5 * _DRAWS
    for _ in range(_DRAWS):
        product = _FACTOR * x  # exact: below 2^47
        rest = product - _MODULUS * _whole(product / _MODULUS)
        x = where(rest < 0.0, rest + _MODULUS, rest)
        total = total + x / _MODULUS
    return x, total
