"""Stribeck friction, springs, rotors, motor constants, offsets."""

import numpy as np
import pytest

import armillary as am

T = np.arange(0.0, 20.0, 0.005)
X = 0.8 * np.sin(1.1 * T) + 0.3 * np.sin(2.7 * T)
V = 0.88 * np.cos(1.1 * T) + 0.81 * np.cos(2.7 * T)
A = -0.968 * np.sin(1.1 * T) - 2.187 * np.sin(2.7 * T)
STATE = {"time": T, "q": X[:, None], "v": V[:, None], "a": A[:, None]}


def hinge(**passive) -> am.Mechanism:
    b = am.Builder("hinge")
    b.body("arm", joint="revolute", axis="y", mass=2.0, com=(0.1, 0.03, 0.2),
           inertia=(0.02, 0.03, 0.04, 0.002, -0.001, 0.003),
           passive=am.Passive(**passive))  # fmt: skip
    return b.build()


def measured(mechanism: am.Mechanism, noise: float, seed: int = 0) -> dict:
    tau = mechanism.inverse_dynamics(STATE["q"], STATE["v"], STATE["a"])
    return STATE | {"tau": tau + noise * np.random.default_rng(seed).normal(size=tau.shape)}


def within(found, expected: dict[str, float], most: float = 3.5) -> None:
    for name, value in expected.items():
        assert abs(found[name] - value) < most * found.error_of(name), name


def test_stribeck_is_found_from_nothing():
    truth = hinge(viscous=0.2, coulomb=0.8, static=1.4, stribeck=0.15)
    found = am.identify(hinge(), measured(truth, 0.05), friction=("viscous", "coulomb", "stribeck"))
    within(found, {"arm.viscous": 0.2, "arm.coulomb": 0.8, "arm.static_rise": 0.6,
                   "arm.stribeck": 0.15})  # fmt: skip
    (passive,) = found.mechanism.model.bodies[0].joint.passive
    assert passive.static == pytest.approx(1.4, rel=0.02)
    assert found.error_of("arm.stribeck") < 0.01


def test_a_rise_that_stays_in_the_model():
    """Only viscous and Coulomb friction are asked for; static friction rises as much above them."""
    truth = hinge(viscous=0.2, coulomb=0.8, static=1.4, stribeck=0.15)
    guess = hinge(viscous=0.0, coulomb=0.5, static=1.1, stribeck=0.15)
    found = am.identify(guess, measured(truth, 0.0))
    (passive,) = found.mechanism.model.bodies[0].joint.passive
    assert passive.coulomb == pytest.approx(0.8, rel=1e-5)
    assert passive.static == pytest.approx(1.4, rel=1e-5)


def test_stribeck_that_is_not_there_is_not_found():
    """Without a rise its velocity means nothing: an error, or a rise smaller than its error."""
    data = measured(hinge(viscous=0.2, coulomb=0.8), 0.05)
    try:
        found = am.identify(hinge(), data, friction=("viscous", "coulomb", "stribeck"))
    except am.InputError as fault:
        assert "did not settle" in str(fault)
    else:
        assert abs(found["arm.static_rise"]) < 4.0 * found.error_of("arm.static_rise") < 2.0


def test_springs_of_joints():
    truth = hinge(spring=3.0, rest=0.2, viscous=0.1)
    guess = hinge(spring=1.0, rest=0.2)
    found = am.identify(guess, measured(truth, 0.02), friction="viscous", springs="arm")
    within(found, {"arm.spring": 3.0, "arm.viscous": 0.1})
    assert found.mechanism.model.bodies[0].joint.passive[0].spring == found["arm.spring"]
    assert "arm.spring" in found.base_names


def strut(stiffness: float, length: float) -> am.Mechanism:
    b = am.Builder("strut")
    b.body("arm", joint="revolute", axis="y", mass=2.0, com=(0.1, 0, 0.2), inertia=(0.02,) * 3)
    b.frame("tip", "arm", (0.3, 0.0, 0.1))
    b.frame("wall", "world", (0.5, 0.0, 0.8))
    b.spring("strut", "wall", "tip", stiffness=stiffness, rest=length)
    return b.build()


def test_elements_by_the_columns_of_the_parameter_jacobian():
    """Stiffness and free length together: not linear, Gauss-Newton finds them; the columns are
    those of dual numbers."""
    truth, guess = strut(120.0, 0.6), strut(60.0, 0.5)
    numbers = ["strut.stiffness", "strut.rest"]
    found = am.identify(guess, measured(truth, 0.05), friction=(), springs=numbers)
    within(found, {"strut.stiffness": 120.0, "strut.rest": 0.6})
    assert found.mechanism.parameters[10] == pytest.approx(120.0, rel=0.05)
    names = list(guess.parameter_names)
    exact = truth.inverse_dynamics.parameter_jacobian(X[7:10, None], V[7:10, None], A[7:10, None])
    here = np.array([{"strut.stiffness": 120.0, "strut.rest": 0.6}.get(p.name, 0.0)
                     for p in found.parameters])  # fmt: skip
    columns = found.equations.linearized(here)[1][7:10]
    for k, p in enumerate(found.parameters):
        np.testing.assert_allclose(
            columns[:, :, k], exact[:, :, names.index(p.name)], rtol=1e-6, atol=1e-8
        )


def test_a_rotor_and_its_arm_are_one():
    """Of a single hinge the inertia and the rotor turn together: one combination, by name."""
    truth = hinge().replace(bodies={"arm": {"rotors": am.Rotor(1e-4, 50.0)}})
    guess = hinge().replace(bodies={"arm": {"rotors": am.Rotor(0.0, 50.0)}})
    found = am.identify(guess, measured(truth, 0.02), friction=(), rotors=True)
    (name,) = [x for x in found.base_names if "rotor" in x]
    assert name in ("+1 arm.yy +1 arm.rotor", "+1 arm.rotor +1 arm.yy")
    assert found.error_of("arm.rotor") == np.inf
    alone = am.identify(guess, measured(truth, 0.02), inertias=False, friction=(), rotors=True)
    within(alone, {"arm.rotor": 0.25})
    assert alone.mechanism.model.bodies[0].joint.rotors[0].inertia == pytest.approx(1e-4, rel=0.02)


def driven(constant: float, **passive) -> am.Mechanism:
    motor = am.Motor(resistance=1.0, torque_constant=constant, gear=50.0)
    return hinge(**passive).replace(bodies={"arm": {"motor": motor}})


def test_motor_constants_from_currents():
    """tau = gear K i; masses are known, friction is not."""
    data = measured(driven(0.05, viscous=0.2), 0.05)
    currents = {k: x for k, x in data.items() if k != "tau"} | {"current": data["tau"] / 2.5}
    found = am.identify(
        driven(0.03), currents, inertias=False, friction="viscous", motor_constants=True
    )
    within(found, {"arm.torque_constant": 0.05, "arm.viscous": 0.2})
    assert found.mechanism.model.bodies[0].motor.torque_constant == found["arm.torque_constant"]
    assert found.equations.units == ("A",)
    with pytest.raises(am.InputError, match=r"twice of all is the same.*inertias=False"):
        am.identify(driven(0.03), currents, friction="viscous", motor_constants=True)
    with pytest.raises(am.InputError, match="follow from currents"):
        am.identify(driven(0.03), data, motor_constants=True)
    known = am.identify(driven(0.05), currents, friction="viscous")  # K of the model: plain forces
    assert known.equations.units == ("N m",)
    within(known, {"arm.viscous": 0.2})


def test_offsets_belong_to_the_measurement():
    data = measured(hinge(viscous=0.2), 0.02)
    data["tau"] = data["tau"] + 0.7
    found = am.identify(hinge(), data, friction=("viscous", "offset"))
    within(found, {"arm.offset": 0.7, "arm.viscous": 0.2})
    assert found.mechanism.model.bodies[0].joint.passive[0].coulomb == 0.0


def test_outliers_and_robust_estimates():
    truth = hinge(viscous=0.2, coulomb=0.8)
    data = measured(truth, 0.05)
    data["tau"][::40] += 8.0
    plain = am.identify(hinge(), data)
    robust = am.identify(hinge(), data, robust=True)
    assert abs(robust["arm.viscous"] - 0.2) < 0.005
    assert robust.noise[0] < 0.07 < plain.noise[0]
