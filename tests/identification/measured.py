"""Arms with known numbers, and logs of them with noise."""

from functools import cache

import numpy as np

import armillary as am
from samples import random_mass

NOISE = np.array([0.4, 0.6, 0.3, 0.05, 0.04, 0.02])  # N m, of the six joints


@cache
def arm() -> am.Mechanism:
    """The Puma's geometry with full tensors, dry and viscous friction: the truth."""
    rng = np.random.default_rng(3)
    puma = am.example("puma560")
    sizes = (9.0, 12.0, 6.0, 1.5, 0.8, 0.4)
    bodies = {
        name: {
            "mass": random_mass(rng, mass, 0.25 if mass > 2 else 0.08),
            "passive": am.Passive(viscous=0.2 * mass, coulomb=0.3 * mass + 0.1),
            "rotors": am.Rotor(0.0),
        }
        for name, mass in zip(puma.bodies, sizes, strict=True)
    }
    return puma.replace(bodies=bodies)


@cache
def model() -> am.Mechanism:
    """What is believed before: other masses, no friction."""
    rng = np.random.default_rng(4)
    believed = {
        name: {"mass": random_mass(rng, 2.0, 0.1), "passive": am.Passive()} for name in arm().bodies
    }
    return arm().replace(bodies=believed)


def series(n: int, seed: int, period: float = 12.0, size: float = 0.35):
    """A Fourier trajectory of n coordinates with 5 harmonics."""
    from armillary.sim.motion.fourier import Fourier

    rng = np.random.default_rng(seed)
    return Fourier(rng.normal(size=n) * 0.3, *(size * rng.normal(size=(2, 5, n))), period)


def truth(found, mechanism) -> np.ndarray:
    """The parameters of an identification as a mechanism has them, each by its own way."""
    known = dict(zip(mechanism.parameter_names, mechanism.parameters, strict=True))
    for body, slot in zip(mechanism.model.bodies, mechanism.model.slots, strict=True):
        for axis, entry in enumerate(range(slot.v.start, slot.v.stop)):
            label = mechanism.v_labels[entry]
            passive = body.joint.passive[axis] if body.joint.passive else am.Passive()
            rotor = body.joint.rotors[axis] if body.joint.rotors else am.Rotor()
            forward, backward = passive.each_way()
            known |= {
                f"{label}.viscous": passive.viscous,
                f"{label}.coulomb": 0.5 * (forward + backward),
                f"{label}.coulomb_forward": forward,
                f"{label}.coulomb_backward": backward,
                f"{label}.static_rise": passive.static - forward,
                f"{label}.stribeck": passive.stribeck,
                f"{label}.spring": passive.spring,
                f"{label}.rotor": rotor.reflected,
            }
    return np.array([known[p.name] for p in found.parameters])


def deviations(found, mechanism) -> np.ndarray:
    """Errors of the combinations in standard errors."""
    return (found.base_estimates - found.base.matrix @ truth(found, mechanism)) / (
        found.standard_errors
    )


def chi2(found, mechanism) -> float:
    """e^T C^-1 e: chi-squared with as many freedoms as there are combinations."""
    e = found.base_estimates - found.base.matrix @ truth(found, mechanism)
    unit = found.standard_errors
    return float((e / unit) @ np.linalg.solve(found.covariance / np.outer(unit, unit), e / unit))
