"""Living pages: what they carry, what they refuse, and that their loop is `simulate`."""

import base64
import gzip
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from living_node import STEP, carried, in_node
from pages import HOSTILE, renamed

import armillary as am
from armillary.errors import InputError
from armillary.viewer.document import LIVING_POLICY, client

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "compiler"))
from wasm_machine import Module


def living_of(path):
    """The data that a file carries."""
    text = path.read_text(encoding="utf-8")
    return json.loads(text.split('id="living">')[1].split("</script>")[0])


def stone():
    """A body that flies and turns, its centre of mass beside its origin."""
    b = am.Builder("stone", gravity=(0.0, 0.3, -9.81))
    b.body("stone", joint="free", mass=2.0, com=(0.1, 0.2, -0.1), inertia=(0.3, 0.2, 0.4))
    return b.build()


def pid(mechanism):
    return am.PID(mechanism, mechanism.neutral() + 0.3, 8.0, 1.0, 0.3, limit=20.0)


class Machine:
    """Kernels of a page in the machine of the tests."""

    def __init__(self, data):
        self.data = data
        self.module = Module(gzip.decompress(base64.b64decode(data["wasm"])))

    def __call__(self, role, *inputs):
        places, start = [], 0
        for (name, size), values in zip(self.data["kernels"][role], inputs, strict=True):
            assert len(values) == size, name
            self.module.put(start, [float(x) for x in values])
            places.append(start)
            start += 8 * size
        self.module.call(role, *places, start)
        return np.array(list(self.module.numbers(start, self.data["results"][role])))


@pytest.mark.parametrize("name", ["six-r", "four-bar"])
def test_one_step_of_the_bytes_is_a_step_of_the_library(name):
    """Semi-implicit Euler with the kernels of the page, written out by hand."""
    mechanism = am.example(name)
    controller = pid(mechanism) if name == "six-r" else None
    data = carried(mechanism, controller=controller, method="semi-implicit")
    call, start = Machine(data), data["start"]
    q, v = np.array(start["q"]), np.array(start["v"])
    tau, still = np.zeros(len(v)), np.zeros(dict(data["kernels"]["dynamics"])["external"])
    if controller is not None:
        target = [slider["value"] for slider in data["sliders"]]
        tau = call("control", q, v, start["z"], [0.0], tau, target)[: len(v)]
    v = v + STEP * call("dynamics", q, v, tau, still)
    q = q + STEP * v
    if "position" in data["kernels"]:
        for _ in range(3):
            q = q + call("position", q)
        v = v + call("velocity", q, v)
    run = am.simulate(mechanism, None, None, STEP, STEP, "semi-implicit", controller=controller)
    np.testing.assert_allclose(q, run.q[-1], rtol=0, atol=1e-13)
    np.testing.assert_allclose(v, run.v[-1], rtol=0, atol=1e-11)
    R, p = mechanism.poses(q)
    wanted = [*R.ravel(), *p.ravel()]
    np.testing.assert_allclose(call("poses", q), wanted, rtol=0, atol=1e-13)


def test_a_wrench_reaches_the_dynamics_of_fused_bodies():
    """Through the matrix of a body that is fixed to another one, turned and shifted."""
    b = am.Builder("fused")
    solid = {"mass": 1.0, "com": (0.1, 0.0, 0.2), "inertia": (0.1, 0.2, 0.15)}
    b.body("arm", joint="revolute", axis="y", **solid)
    b.body("tool", "arm", "fixed", at=(0.3, -0.1, 0.2), rpy=(0.4, 0.2, -1.0), **solid)
    b.body("hand", "tool", "spherical", at=(0.0, 0.2, 0.1), **solid)
    mechanism = b.build()
    q, v, _ = mechanism.random_state(seed=3)
    data = carried(mechanism, q, v)
    call, wrench = Machine(data), np.array([0.4, -0.3, 0.7, 2.0, -1.0, 3.0])
    for k, body in enumerate(mechanism.bodies):
        external = np.zeros(dict(data["kernels"]["dynamics"])["external"])
        pull = data["pulls"][k]
        matrix = np.reshape(pull["matrix"], (6, 6))
        external[6 * pull["kernel"] : 6 * pull["kernel"] + 6] = matrix @ wrench
        found = call("dynamics", q, v, np.zeros(mechanism.nv), external)
        right = mechanism.forward_dynamics(q, v, np.zeros(mechanism.nv), external={body: wrench})
        np.testing.assert_allclose(found, right, rtol=1e-11, atol=1e-11)


def test_the_mass_a_hand_feels():
    """At the end of a rod on a pin: J / r²; of a free body not more than its mass."""
    b = am.Builder("rod", gravity=(0.0, 0.0, 0.0))
    b.body("rod", joint="revolute", axis="y", mass=2.0, com=(0.5, 0, 0), inertia=(0.01, 0.3, 0.3))
    assert carried(b.build())["pulls"][0]["mass"] == pytest.approx((0.3 + 2.0 * 0.25) / 0.25)
    assert carried(stone())["pulls"][0]["mass"] == pytest.approx(2.0)


RUNS = {
    "six-r": lambda: (am.example("six-r"), pid, None),
    "computed torque": lambda: (
        am.example("two-link"), lambda m: am.ComputedTorque(m, [0.3, -0.2], 20.0, 5.0), None,
    ),
    "four-bar": lambda: (am.example("four-bar"), None, None),
    "bricard": lambda: (am.example("bricard"), None, None),
    "stone": lambda: (stone(), None, np.linspace(-1.0, 2.0, 6)),
    "rover": lambda: (am.example("rover"), None, None),
}  # fmt: skip


@pytest.mark.parametrize("method", ["rk4", "semi-implicit"])
@pytest.mark.parametrize("name", RUNS)
def test_500_steps_in_node_are_those_of_simulate(name, method, tmp_path):
    mechanism, make, v0 = RUNS[name]()
    controller = None if make is None else make(mechanism)
    data = carried(mechanism, None, v0, controller, method)
    found = in_node(tmp_path, data, 500)
    run = am.simulate(mechanism, None, v0, 0.5, STEP, method, controller=controller)
    assert found["fault"] == ""
    assert found["t"] == pytest.approx(0.5)
    np.testing.assert_allclose(found["q"], run.q[-1], rtol=0, atol=1e-12)
    scale = max(1.0, abs(run.v).max())
    np.testing.assert_allclose(found["v"], run.v[-1], rtol=0, atol=1e-10 * scale)


@pytest.mark.parametrize(("name", "seconds"), [("four-link-closed", 2.0), ("stewart", 3.6)])
def test_it_goes_on_where_dependent_coordinates_fail(name, seconds, tmp_path):
    """Falls that pass states which only the regularised solver answers: no step is left out."""
    mechanism = am.example(name)
    found = in_node(tmp_path, carried(mechanism), round(seconds / STEP))
    run = am.simulate(mechanism, duration=seconds, step=STEP, every=100)
    assert found["stop"] == "" and found["regularised"] > 0 and found["longer"] == 0
    assert found["t"] == pytest.approx(seconds)
    np.testing.assert_allclose(found["q"], run.q[-1], rtol=0, atol=1e-10)


def test_the_second_solver_answers_by_the_null_space():
    """Its bytes against pivoted QR, wherever on a run dependent coordinates give no answer."""
    mechanism = am.example("four-link-closed")
    run = am.simulate(mechanism, duration=2.0, step=STEP)
    data = carried(mechanism)
    call = Machine(data)
    still = np.zeros(dict(data["kernels"]["dynamics"])["external"])
    wrench, tau, seen = still.copy(), np.array([0.4, -0.2, 0.3, 0.0])[: mechanism.nv], 0
    pull = data["pulls"][1]
    given = np.array([0.3, -0.2, 0.1, 1.0, -2.0, 0.7])
    place = 6 * pull["kernel"]
    wrench[place : place + 6] = np.reshape(pull["matrix"], (6, 6)) @ given
    for q, v in zip(run.q, run.v, strict=True):
        if np.isfinite(call("dynamics", q, v, tau, wrench)).all():
            continue
        seen += 1
        a = mechanism.solve(q, v, tau, external={mechanism.bodies[1]: given}).acceleration
        found = call("regularised_dynamics", q, v, tau, wrench)
        np.testing.assert_allclose(found, a, rtol=0, atol=1e-9 * abs(a).max())
        dv = call("regularised_velocity", q, v + 0.1)
        J = mechanism.constraint_jacobian(q)
        np.testing.assert_allclose(J @ (v + 0.1 + dv), 0.0, atol=1e-11 * abs(v).max())
    assert seen > 5


def test_a_page_says_why_it_stops(tmp_path):
    """The delta robot falls through a position that only the null space solves; a motion that
    explodes is told apart."""
    stop = in_node(tmp_path, carried(am.example("delta")), 1000)["stop"]
    assert "singular position" in stop
    data = carried(am.example("double-pendulum"))
    data["start"]["v"] = [1e200, 0.0]
    data["checks"] = {"start": data["start"], "steps": [], "poses": []}
    assert "beyond all bounds" in in_node(tmp_path, data, 10)["stop"]


def test_dry_friction_at_rest_is_checked_in_motion(tmp_path):
    """Friction whose sign is that of rounding: the page repeats steps of a moving start."""
    b = am.Builder("rubbing")
    rub = am.Passive(coulomb=2.0)
    solid = {"mass": 2.0, "com": (0.3, 0.1, 0.0), "inertia": (0.1, 0.2, 0.15)}
    b.body("upper", joint="revolute", axis="y", passive=rub, **solid)
    b.body("lower", "upper", "revolute", axis="z", at=(0.5, 0, 0.1), passive=rub, **solid)
    arm = b.build()
    hold = am.ComputedTorque(arm, [0.4, 0.3], 100.0, 20.0)
    data = carried(arm, [0.4, 0.3], controller=hold)
    assert all(data["checks"]["wrench"]["v"])
    assert in_node(tmp_path, data, 0)["fault"] == ""
    light = arm.replace(gravity=(0.0, 0.0, 0.0))
    data = carried(light, controller=am.PID(light, [1e-13, -1e-13], 10.0, 0.0, 1.0))
    assert all(data["checks"]["start"]["v"]) and not any(data["start"]["v"])
    assert in_node(tmp_path, data, 0)["fault"] == ""


def test_motions_that_multiply_rounding_are_refused(tmp_path):
    arm = am.example("two-link")
    stiff = am.PID(arm, arm.neutral() + 1e-4, 1.0, 0.0, 280.0)
    with pytest.raises(InputError, match=r"rounding grows.*too long for these gains|the run ends"):
        arm.page(tmp_path / "no.html", controller=stiff)


@pytest.mark.parametrize("part", ["steps", "poses", "wrench"])
def test_a_page_with_other_numbers_says_so(part, tmp_path):
    data = carried(am.example("four-bar"))
    if part == "steps":
        data["checks"]["steps"][-1]["q"][0] += 1e-6
    elif part == "poses":
        data["checks"]["poses"][4] += 1e-6
    else:
        data["checks"]["wrench"]["a"][1] *= 1.0 + 1e-6
    assert in_node(tmp_path, data, 0)["fault"] != ""


def test_the_file(tmp_path):
    mechanism = am.example("six-r")
    path = mechanism.page(tmp_path / "arm.html", controller=pid(mechanism))
    text, data = path.read_text(encoding="utf-8"), living_of(path)
    assert LIVING_POLICY in text and "'wasm-unsafe-eval'" in LIVING_POLICY
    targets = [slider for slider in data["sliders"] if slider["kind"] == "target"]
    assert [slider["label"] for slider in targets] == list(mechanism.q_labels)
    assert [slider["value"] for slider in targets] == pytest.approx([0.3] * 6)
    gains = [slider["label"] for slider in data["sliders"] if slider["kind"] == "gain"]
    assert gains == ["stiffness", "damping"]
    assert len(json.dumps(data)) < 30_000
    assert len(text) - len(client()) < 120_000
    with pytest.raises(InputError, match="html"):
        mechanism.page(tmp_path / "arm.txt")


def test_names_are_data(tmp_path):
    mechanism = renamed(am.example("double-pendulum"), lambda name: f"{name} {HOSTILE}")
    controller = am.PID(mechanism, mechanism.neutral(), 5.0, 0.0, 1.0)
    path = mechanism.page(tmp_path / "page.html", controller=controller)
    assert "<img src=x" not in path.read_text(encoding="utf-8")
    data = living_of(path)
    assert data["labels"] == list(mechanism.q_labels)
    assert HOSTILE in data["sliders"][0]["label"]


def test_what_cannot_go_into_a_page(tmp_path):
    arm = am.example("double-pendulum")
    file = tmp_path / "no.html"
    with pytest.raises(InputError, match=r"PID.*period of 0.0105 s in steps of 0.001 s"):
        arm.page(file, controller=am.PID(arm, [0.0, 0.0], 1.0, period=0.0105))
    with pytest.raises(InputError, match="controllers over scalars"):
        arm.page(file, controller=lambda t, q, v: -np.sign(q))
    with pytest.raises(InputError, match=r"rk4.*dopri5"):
        arm.page(file, method="dopri5")
    with pytest.raises(InputError, match="step"):
        arm.page(file, step=0.0)
    with pytest.raises(InputError, match="the run ends after"):
        arm.page(file, controller=am.PID(arm, [0.0, 0.0], 1e12, 0.0, 1e9))
    b = am.Builder("sled")
    b.body("x", joint="prismatic", axis="x", mass=1.0, inertia=(1e-3,) * 3)
    b.body("z", "x", "prismatic", axis="z", mass=2.0, inertia=(1e-3,) * 3)
    b.contact("floor", "world", "z", ("dz",), friction=[("dx", "dz", 0.2)])
    with pytest.raises(InputError, match="contacts that open or rub: 'floor'"):
        b.build().page(file)
    b = am.Builder("bearing")
    rub = am.Passive(load_radial=0.002)
    b.body("rotor", joint="revolute", mass=1.0, inertia=(0.1,) * 3, passive=rub)
    with pytest.raises(InputError, match="load of joints: 'rotor'"):
        b.build().page(file)
    assert not file.exists()
