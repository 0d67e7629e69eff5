"""The variables of the laboratory: one table for the shell, its help and its completion."""

from __future__ import annotations

from dataclasses import dataclass

VECTOR, NUMBER, WORD = "vector", "number", "word"
# standard gravity of [Swartz1982]; z of the world points up
GRAVITY = -9.80621


@dataclass(frozen=True)
class Variable:
    """What a variable holds.  angle: shown and typed in degrees on request."""

    kind: str
    unit: str
    about: str
    choices: tuple[str, ...] = ()
    angle: bool = False
    least: float | None = None  # above this


VARIABLES = {
    "gravity": Variable(NUMBER, "m/s²", "acceleration of gravity along the world's z axis"),
    "DACTimePeriod": Variable(
        NUMBER, "s", "time between changes of the voltage, one row of a schedule each", least=0.0
    ),
    "step": Variable(NUMBER, "s", "time step of simulate", least=0.0),
    "method": Variable(
        WORD, "", "of the integration", ("rk3", "rk4", "heun", "euler", "semi-implicit")
    ),
    "payload": Variable(NUMBER, "kg", "mass held in the last frame of the hand", least=-1e-300),
    "angles": Variable(WORD, "", "how angles are typed and shown", ("rad", "deg")),
    "digits": Variable(
        WORD, "", "how many digits of a number are shown", tuple(str(n) for n in range(3, 18))
    ),
    "theta": Variable(VECTOR, "rad", "position of every joint, from the base", angle=True),
    "omega": Variable(VECTOR, "rad/s", "velocity of every joint", angle=True),
    "alpha": Variable(VECTOR, "rad/s²", "acceleration of every joint; forward_arm's result",
                      angle=True),
    "torque": Variable(VECTOR, "N m", "torque of every motor at its joint; tied to voltage"),
    "voltage": Variable(VECTOR, "V", "voltage of every motor; tied to torque"),
    "DACOut": Variable(VECTOR, "V", "output of the converters, which is the voltage; tied to it"),
}  # fmt: skip
