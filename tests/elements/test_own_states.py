"""Elements with states of their own, and inputs over time: closed forms, other integrators, power
balance, the same law written twice."""

import numpy as np
import pytest
from machines import tree
from scipy.integrate import solve_ivp

import armillary as am
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native
from armillary.scalar import sqrt
from armillary.sim.methods.choice import METHODS

K, C = 50.0, 4.0


def near(found, wanted, tolerance=1e-12, size=None):
    size = np.abs(wanted).max(initial=1.0) if size is None else size
    np.testing.assert_allclose(found, wanted, rtol=0.0, atol=tolerance * size)


def damper(r, R, w, u, z, k, c):
    """The tension of a Maxwell element along the line, as a law of one's own."""
    d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    return [-z[0] * x / d for x in r]


def rate(r, R, w, u, z, k, c):
    d = sqrt(r[0] * r[0] + r[1] * r[1] + r[2] * r[2])
    return [k * sum(x * y for x, y in zip(r, u, strict=True)) / d - k / c * z[0]]


def stored(r, R, z, k, c):
    return z[0] * z[0] / (2 * k)


def slide(tension=0.0, own=False, mass=2.0):
    b = am.Builder("slide", gravity=(0, 0, 0))
    b.body("bob", joint="prismatic", axis="x", at=(1, 0, 0), mass=mass)
    if own:
        b.force("m", ("world", "bob"), damper, stored, {"k": K, "c": C}, states={"s": tension},
                rate=rate)  # fmt: skip
    else:
        b.maxwell("m", ("world", "bob"), stiffness=K, damping=C, tension=tension)
    return b.build()


# -- closed forms ----------------------------------------------------------------------------------


def test_relaxation():
    """Held at its length it relaxes as exp(-t k/c)."""
    run = am.simulate(slide(7.0), duration=0.4, prescribed={"bob": 0.0}, record="states,q",
                      step=1e-3)  # fmt: skip
    assert run.labels["states"] == ("m.tension",) and run.units["states"] == ("N",)
    near(run["states"][:, 0], 7.0 * np.exp(-K / C * run.time), 1e-9)


@pytest.mark.parametrize("omega", [2.0, 12.5, 60.0])
def test_storage_and_loss_modulus(omega):
    """Under x = sin ωt the force in phase is k (ωτ)²/(1 + (ωτ)²), out of phase k ωτ/(1 + (ωτ)²)."""
    amplitude, wt = 0.01, omega * C / K
    storage, loss = K * wt**2 / (1 + wt**2), K * wt / (1 + wt**2)

    def motion(t):
        s, c = np.sin(omega * t), np.cos(omega * t)
        return amplitude * s, amplitude * omega * c, -amplitude * omega**2 * s

    run = am.simulate(slide(amplitude * loss), duration=1.0, prescribed={"bob": motion},
                      step=1e-3, record="states,prescribed_force,element_forces,q")  # fmt: skip
    phase = omega * run.time
    wanted = amplitude * (storage * np.sin(phase) + loss * np.cos(phase))
    near(run["states"][:, 0], wanted, 1e-7, amplitude * K)
    inertia = -2.0 * amplitude * omega**2 * np.sin(phase)
    near(run["prescribed_force"][:, 0], wanted + inertia, 1e-6, np.abs(inertia).max() + 1.0)


def test_free_run_against_another_integrator():
    """With the elongation of the damper as the state, in scipy; both builds of the law; energy and
    what the damper dissipates."""

    def slope(t, y):
        x, u, damped = y
        s = K * (x - damped)
        return [u, -s / 2.0, s / C]

    exact = solve_ivp(slope, (0, 1), [0.0, 1.0, -7.0 / K], rtol=1e-11, atol=1e-12,
                      t_eval=np.linspace(0, 1, 11))  # fmt: skip
    for own in (False, True):
        record = "q,v,states,kinetic,energy,element_forces,tau,reactions"
        run = am.simulate(slide(7.0, own), [0.0], [1.0], duration=1.0, step=1e-3, record=record)
        near(run["q"][::100, 0], exact.y[0], 1e-9)
        s = run["states"][:, 0]
        near(s[::100], K * (exact.y[0] - exact.y[2]), 1e-8)
        near(run["tau"], 0.0 * run["tau"], 1e-12)
        near(run["reactions"], 0.0 * run["reactions"], 1e-12)
        near(run["element_forces"][:, 3], -s)
        lost = np.concatenate([[0], np.cumsum((s[1:] ** 2 + s[:-1] ** 2) / 2 / C * 1e-3)])
        near(run["energy"] + lost, run["energy"][0], 1e-4)


def test_a_light_slide_between_spring_and_damper():
    """The same two in series, with a body of next to no mass between them."""
    b = am.Builder("series", gravity=(0, 0, 0))
    b.body("bob", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)
    b.body("joint", joint="prismatic", axis="x", at=(0.5, 0, 0), mass=1e-6)
    b.spring("spring", "joint", "bob", stiffness=K, rest=0.5)
    b.spring("damper", "world", "joint", damping=C)
    series = am.simulate(b.build(), [0.0, 0.0], [1.0, 0.0], duration=0.5, step=1e-3,
                         method="implicit")  # fmt: skip
    run = am.simulate(slide(), [0.0], [1.0], duration=0.5, step=1e-3)
    near(run["q"][::50, 0], series["q"][::50, 0], 2e-3, np.abs(run["q"]).max())


# -- on a nasty tree -------------------------------------------------------------------------------


def nasty(between=("tip", "eye"), **more):
    b = tree("states")
    b.spring("line", "tip", "bob", stiffness=30.0, damping=2.0, rest=0.3)
    b.maxwell("m", between, stiffness=80.0, damping=9.0, tension=5.0, **more)
    return b.build()


def line_wrenches(m, q, tension):
    """Of a tension between the ends of 'm', as external wrenches in the frames 'tip' and 'eye'."""
    (R1, p1), (R2, p2) = (m.pose(q, name) for name in ("tip", "eye"))
    along = (p2 - p1) / np.linalg.norm(p2 - p1)
    none = np.zeros(3)
    return {"tip": np.concatenate([none, R1.T @ along * tension]),
            "eye": np.concatenate([none, -(R2.T @ along) * tension])}  # fmt: skip


def test_recorded_forces():
    """Accelerations, reactions and energies of a run are those of the tree without the element,
    with its tension as external wrenches; both tiers, single and batch, native and in Python."""
    m = nasty()
    bare = m.replace(elements=m.model.elements[:1])
    q, v, _ = m.random_state(3)
    record = "q,v,a,tau,states,energy,reactions,element_forces"
    run = am.simulate(m, q, v, duration=0.05, step=1e-3, record=record)
    for k in (0, 20, 50):
        x, u, s = run["q"][k], run["v"][k], run["states"][k, 0]
        wrench = line_wrenches(m, x, s)
        a = bare.forward_dynamics(x, u, np.zeros(m.nv), wrench)
        near(run["a"][k], a, 1e-9)
        near(run["tau"][k], np.zeros(m.nv), 1e-10)
        near(run["reactions"][k], bare.reactions(x, u, a, wrench).total.ravel(), 1e-9)
        near(run["energy"][k], sum(bare.energy(x, u)) + s * s / 160.0, 1e-11)
        near(run["element_forces"][k][-4], s)
    assert abs(run["states"][-1, 0] - 5.0) > 0.1
    batch = am.simulate(m, np.tile(q, (5, 1)), np.tile(v, (5, 1)), duration=0.05, record=record)
    for name in ("q", "states", "reactions", "element_forces"):
        near(batch[name][:, 3], run[name], 1e-10)
    loops = am.simulate(m.compile(tier=1), q, v, duration=0.05, record=record)
    near(loops["q"], run["q"], 1e-11)
    slow = am.simulate(m, q, v, duration=0.05, controller=lambda t, q, v: 0.0 * v, record=record)
    near(slow["reactions"], run["reactions"], 1e-9)


def test_every_method():
    b = am.Builder("pendulum")
    b.body("arm", joint="revolute", axis="y", mass=1, com=(0, 0, -0.3), inertia=(0.1, 0.1, 0.1))
    b.frame("tip", "arm", at=(0.1, 0, -0.5))
    b.maxwell("m", ("world", "tip"), stiffness=K, damping=C, tension=3.0)
    m, q, v = b.build(), [0.8], [0.3]
    exact = am.simulate(m, q, v, duration=0.3, step=1e-4)["q"][-1]
    for method in METHODS:
        found = am.simulate(m, q, v, duration=0.3, step=1e-3, method=method)["q"][-1]
        limit = 0.02 if method in ("euler", "semi-implicit", "exponential-euler") else 3e-4
        assert np.abs(found - exact).max() < limit, method


def test_single_questions():
    """The state is a number of the element: the model's where nothing is said, or one per row."""
    m, bare = nasty(), nasty().replace(elements=nasty().model.elements[:1])
    q, v, a = m.random_state(3)
    P = np.array(m.parameters)
    place = m.parameter_names.index("m.tension")
    assert P[place] == 5.0
    for s in (5.0, -3.0):
        P[place] = s
        wanted = bare.inverse_dynamics(q, v, a, line_wrenches(m, q, s))
        for tier in (1, 2):
            found = m.compile(tier=tier).inverse_dynamics(q, v, a, parameters=P)
            near(found, wanted, 1e-11)
        near(m.element_forces(q, v, parameters=P).force("m"), s)
    near(
        m.inverse_dynamics(q, v, a), bare.inverse_dynamics(q, v, a, line_wrenches(m, q, 5.0)), 1e-11
    )
    other = m.replace(elements={"m": {"state": (-3.0,)}})
    near(other.solve(q, v, a).element_forces.force("m"), -3.0)


def test_between_coordinates():
    """A shaft with a Maxwell element: the torque of the closed form on both rotors."""
    b = am.Builder("shaft", gravity=(0, 0, 0))
    for name in ("one", "two"):
        b.body(name, joint="revolute", axis="z", mass=1, inertia=(0.1, 0.1, 0.1))
    b.maxwell("m", {"one": 1, "two": -3}, stiffness=K, damping=C, tension=2.0)
    m = b.build()
    run = am.simulate(m, [0.0, 0.0], [0.0, 0.0], duration=0.2, record="states,v,a,energy,tau",
                      step=1e-3)  # fmt: skip
    s = run["states"][:, 0]
    near(run["a"], s[:, None] * [-10.0, 30.0], 1e-12)
    near(run["v"] @ [3.0, 1.0], 0.0 * s, 1e-12)
    near(run["tau"], 0.0 * run["tau"], 1e-12)
    assert run.units["states"] == ("N m",)


def test_steady_start():
    """z follows the length; steady, it begins there, else where it was given."""
    b = am.Builder("follow", gravity=(0, 0, 0))
    b.body("bob", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)

    def law(r, R, w, u, z):
        return [-5.0 * (r[0] - z[0]), 0.0, 0.0]

    for steady, first in ((True, 1.3), (False, 0.2)):
        b._elements.clear()
        b.force(
            "f",
            ("world", "bob"),
            law,
            states={"z": 0.2},
            steady=steady,
            rate=lambda r, R, w, u, z: [3.0 * (r[0] - z[0]) + (r[0] - z[0]) * (r[0] - z[0])],
        )
        run = am.simulate(b.build(), [0.3], [0.0], duration=0.1, record="states,q")
        near(run["states"][0], np.array([first]), 1e-8)
        rows = am.simulate(b.build(), [[0.3], [0.1]], duration=0.1, record="states,q")
        near(rows["states"][0, 0], np.array([first]), 1e-8)


def test_who_cannot_move_them_says_so():
    from armillary.evaluate.compile_function import NotNative
    from armillary.sim.loop.run_graphs import graphs_of_run

    with pytest.raises(NotNative, match="states of their own"):
        graphs_of_run(slide())


def test_resumed_run(tmp_path):
    m, out = slide(7.0), tmp_path / "run.nc"
    whole = am.simulate(m, [0.0], [1.0], duration=0.2, record="q,states,element_forces")
    am.simulate(m, [0.0], [1.0], duration=0.1, record="q,states,element_forces", out=out)
    again = am.simulate(m, [0.0], [1.0], duration=0.2, record="q,states,element_forces", out=out,
                        resume=True)  # fmt: skip
    for name in ("q", "states", "element_forces"):
        near(again[name], whole[name], 1e-13)


# -- inputs over time ------------------------------------------------------------------------------


def lift():
    b = tree("lift")
    b.spring("jack", "tip", "eye", damping=3.0)
    b.fixed_wrench("gust", "bob", force=(1.0, 0, 0))
    return b.build()


RAMP = am.Schedule([0.0, 0.02, 0.1], [0.0, 40.0, -10.0])
GUST = am.Schedule([0.0, 0.1], [[0, 0, 0, 1, 2, 3], [1, -1, 0, 5, 0, 0]])
STEP = am.Schedule([0.0, 0.03, 0.1], [10.0, -20.0, 0.0], kind="hold")


@pytest.mark.parametrize("jack", [RAMP, STEP, lambda t: 30.0 * np.sin(40 * t), 12.0])
def test_line_actuator_and_world_wrench_over_time(jack):
    """The same forces as a function that gives external wrenches."""
    m = lift()
    q, v, _ = m.random_state(2)

    def at(t, given):
        return given(t) if callable(given) else given

    def external(t, q, v):
        found = line_wrenches(m, q, at(t, jack))
        n, f = np.split(np.array(at(t, GUST)), 2)
        R = m.pose(q, "bob")[0]
        return found | {"bob": np.concatenate([R.T @ n, R.T @ f])}

    given = {"jack": jack, "gust": GUST}
    record = "q,a,tau,reactions,element_forces,energy"
    run = am.simulate(m, q, v, duration=0.1, inputs=given, record=record)
    peer = am.simulate(m, q, v, duration=0.1, external=external, record="q,a,tau,reactions")
    if isinstance(jack, am.Schedule) and jack.kind == "hold":  # a function does not see the jump
        near(run["q"][:30], peer["q"][:30], 1e-9)
    else:
        for name in ("q", "a", "tau", "reactions"):
            near(run[name][:-1], peer[name][:-1], 1e-9)
    forces = dict(zip(run.labels["element_forces"], run["element_forces"].T, strict=True))
    k = 10
    near(forces["jack.force"][k] - 3.0 * forces["jack.rate"][k], float(np.ravel(at(0.01, jack))[0]))
    near(am.simulate(m, q[None], v[None], duration=0.1, inputs=given)["q"][:, 0], run["q"], 1e-10)


@pytest.mark.parametrize("jack", [RAMP, lambda t: 30.0 * np.sin(40 * t), 12.0])
def test_inputs_do_work_and_store_nothing(jack):
    """dE/dt = power of the inputs and the damper, E the energy of the mechanism at these states."""
    m = lift()
    q, v, _ = m.random_state(2)
    run = am.simulate(m, q, v, duration=0.1, step=2e-4, inputs={"jack": jack, "gust": GUST},
                      record="q,v,energy,element_forces")  # fmt: skip
    near(run["energy"], np.sum(m.energy(run["q"], run["v"]), axis=0))
    forces = dict(zip(run.labels["element_forces"], run["element_forces"].T, strict=True))
    stored = m.element_forces(run["q"], 0.0 * run["v"])  # of the model alone: the constant gust
    speed = m.velocity(run["q"], run["v"], "bob")[:, 3:]  # as the wrench, in its own frame
    own = np.einsum("ij,ij->i", stored["gust"][:, 3:], speed)
    power = forces["jack.power"] + forces["gust.power"] - own
    work = np.concatenate([[0], np.cumsum(0.5 * (power[1:] + power[:-1]))]) * 2e-4
    near(run["energy"] - run["energy"][0], work, 1e-4)


def test_continuous_schedules_stay_native():
    m = lift()
    q, v, _ = m.random_state(2)
    run = am.simulate(m, q, v, duration=0.05, inputs={"jack": RAMP, "gust": GUST})
    assert "native" in str(run.performance()) and "Python" not in str(run.performance())


def test_faults():
    m = lift()
    for inputs, match in (
        ({"jack": [1.0, 2.0]}, "expected 1 finite"),
        ({"gust": 3.0}, "expected 6 finite"),
        ({"jack": np.nan}, "finite"),
        ({"gust": am.Schedule([0, 1], [1.0, 2.0])}, "expected 6 finite"),
        ({"gust": lambda t: 3.0}, "expected 6 numbers"),
        ({"jack": lambda t: [1.0, 2.0]}, "expected 1 numbers"),
        ({"jack": am.Schedule([0, 1], np.zeros((2, 3, 1)))}, "same"),
    ):
        with pytest.raises(am.InputError, match=match):
            am.simulate(m, duration=0.01, inputs=inputs)
    b = tree("winch")
    b.cable("rope", ["tip", "eye"], stiffness=10.0, rest=1.0)  # slack, it would lose what is given
    with pytest.raises(am.InputError, match="side='both'"):
        am.simulate(b.build(), duration=0.01, inputs={"rope": 5.0})
    with pytest.raises(am.ModelError, match="Did you mean 'jack'"):
        am.simulate(m, duration=0.01, inputs={"jak": 1.0})
    with pytest.raises(am.InputError, match="takes none"):
        am.simulate(nasty(), duration=0.01, inputs={"m": 1.0})
    P = np.array(nasty().parameters)
    P[nasty().parameter_names.index("m.stiffness")] *= 2.0
    assert am.simulate(nasty(), duration=0.01, parameters=P).complete
    assert am.simulate(nasty(), duration=0.01, parameters=nasty().parameters).complete
    b = am.Builder("b")
    b.body("bob", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)
    for k, c, match in ((-1.0, 1.0, "stiffness is -1"), (1.0, 0.0, "damping is 0")):
        with pytest.raises(am.ModelError, match=match):
            b.maxwell("m", ("world", "bob"), stiffness=k, damping=c)
    for states, own, match in (
        ({"z": 0.0}, None, "belong together"),
        ({}, rate, "belong together"),
        ({"z": 0.0}, lambda r, R, w, u, z, k, c: [1.0, 2.0], "gives 2 numbers, expected 1"),
        ({"z": 0.0}, lambda r: [1.0], "failed"),
        ({"k": 0.0}, rate, "names a state and a parameter"),
    ):
        with pytest.raises(am.ModelError, match=match):
            b.force("f", ("world", "bob"), damper, None, {"k": 1.0, "c": 1.0}, states=states,
                    rate=own)  # fmt: skip


def test_files():
    model = nasty().model
    text = write_native(model)
    assert "type: maxwell" in text and "tension: 5.0" in text
    assert read_native(text=text) == model
    b = am.Builder("shaft")
    for name in ("one", "two"):
        b.body(name, joint="revolute", axis="z", mass=1, inertia=(0.1, 0.1, 0.1))
    b.maxwell("m", {"one": 1, "two": -3}, stiffness=K, damping=C)
    model = b.build().model
    assert read_native(text=write_native(model)) == model
    both = write_native(model).replace("type: maxwell", "type: maxwell, between: [one, two]")
    with pytest.raises(am.FormatError, match="either `between`"):
        read_native(text=both)


# -- another mechanism goes on ---------------------------------------------------------------------


def hung(tied, tension=3.0, stiffness=80.0):
    """A bob in a plane on a Maxwell element and a spring; tied: on a string of 1 m, too."""
    b = am.Builder("hung")
    b.body("bob", joint="planar", axis="y", mass=1.0, com=(0.02, 0, 0.01), inertia=(0.01,) * 3)
    b.frame("eye", "bob", at=(0.0, 0.0, 0.1))
    foot = am.Frame("foot", "world", am.Pose((0.3, 0, 0.8)))
    b.spring("spring", foot, "eye", stiffness=stiffness, rest=0.3)
    b.maxwell("m", (foot, "eye"), stiffness=60.0, damping=9.0, tension=tension)
    if tied:
        b.distance("string", "world", "bob", 1.0)
        b.initial = {"bob": (0.0, 1.0, 0.0)}
    return b.build()


def test_own_states_go_on_behind_a_switch():
    """Freed at 0.1 s: the first part is the run of the tied bob, the second that of a free one that
    begins with what the first has left, its tension too."""
    tied, free = hung(True), hung(False)
    q, v = tied.project(tied.initial, np.array([0.3, 0.2, -0.5]))
    cut = am.Switch(lambda t, q, v: t - 0.1, "cut", direction=1, to=free)
    record = "q,v,states,element_forces,energy"
    for method in ("rk4", "semi-implicit"):
        options = {"step": 1e-3, "record": record, "method": method}
        run = am.simulate(tied, q, v, duration=0.25, events=[cut], **options)
        first = am.simulate(tied, q, v, duration=0.1, **options)
        last = hung(False, tension=float(first["states"][-1, 0]))
        rest = am.simulate(last, first.q[-1], first.v[-1], duration=0.15, **options)
        for name in ("q", "v", "states"):
            near(run[name][:101], first[name], 1e-12)
            near(run[name][-1], rest[name][-1], 1e-9)
        near(run["element_forces"][-1], rest["element_forces"][-1], 1e-8)
        many = am.simulate(tied, *(np.tile(x, (3, 1)) for x in (q, v)), duration=0.25,
                           events=[cut], **options)  # fmt: skip
        near(many["states"][:, 1], run["states"], 1e-10)


def test_a_switch_to_other_elements_is_refused():
    cut = am.Switch(lambda t, q, v: t - 0.1, to=hung(False, stiffness=90.0))
    with pytest.raises(am.InputError, match=r"those of 'hung' are others\. Change constraints"):
        am.simulate(hung(True), events=[cut])


def test_numbers_of_elements_with_states_per_run():
    """Stiffness, damping, tension at the start and places of ends, one row for each run: as the
    runs of models that have them; natively, and nothing is compiled anew."""
    m = hung(False)
    names, rng = list(m.parameter_names), np.random.default_rng(2)
    P = np.tile(m.parameters, (5, 1))
    for name, low, high in (("m.stiffness", 30.0, 90.0), ("m.damping", 2.0, 20.0),
                            ("m.tension", -5.0, 9.0), ("m.first.x", -0.2, 0.3),
                            ("spring.stiffness", 20.0, 90.0)):  # fmt: skip
        P[:, names.index(name)] = rng.uniform(low, high, 5)
    q, v = np.tile([0.1, 0.7, 0.2], (5, 1)), rng.normal(size=(5, 3))
    options = {"duration": 0.1, "step": 1e-3, "record": "q,v,states"}
    run = am.simulate(m, q, v, parameters=P, **options)
    assert run.performance().native == 1.0
    for k in range(5):
        number = dict(zip(names, P[k], strict=True))
        b = am.Builder("one")
        b.body("bob", joint="planar", axis="y", mass=1.0, com=(0.02, 0, 0.01),
               inertia=(0.01,) * 3)  # fmt: skip
        b.frame("eye", "bob", at=(0.0, 0.0, 0.1))
        foot = am.Frame("foot", "world", am.Pose((0.3, 0, 0.8)))
        own = am.Frame("own", "world", am.Pose((number["m.first.x"], 0, 0.8)))
        b.spring("spring", foot, "eye", stiffness=number["spring.stiffness"], rest=0.3)
        b.maxwell("m", (own, "eye"), stiffness=number["m.stiffness"], damping=number["m.damping"],
                  tension=number["m.tension"])  # fmt: skip
        one = am.simulate(b.build(), q[k], v[k], **options)
        near(run.q[:, k], one.q, 1e-12)
        near(run["states"][:, k, 0], one["states"][:, 0], 1e-12)
        single = am.simulate(m, q[k], v[k], parameters=P[k], **options)
        near(single.q, one.q, 1e-12)
    labels = run.labels["states"]
    assert labels[:2] == ("m.tension", "m.stiffness (given)")
    near(run["states"][-1, :, 1], P[:, names.index("m.stiffness")])


def test_limits_on_motion_beside_own_states():
    """Places and velocities of frames need no forces: they are watched beside a Maxwell element,
    and the run ends where the recorded column comes to the bound."""
    b = am.Builder("mount", gravity=(0, 0, 0))
    b.body("engine", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)
    b.frame("tip", "engine", (0.5, 0, 0))
    b.maxwell("relaxing", ("world", "engine"), stiffness=300.0, damping=4.0)
    m = b.build()
    names = ("pose:tip", "velocity:tip:world_aligned", "acceleration:tip:world_aligned", "kinetic",
             "energy", "potential", "element_forces")  # fmt: skip
    free = am.simulate(m, [0.0], [1.0], duration=0.2, step=1e-3, record=("q", "v", *names))
    relaxed = free.column("relaxing.fx", "element_forces")
    alone = m.element_forces(free.q, free.v)["relaxing"][..., 3]  # of the tension of the model
    assert abs(relaxed - alone).max() > 0.5 * abs(relaxed).max()
    for text, column in (
        ("element_forces.relaxing.fx", relaxed),
        ("energy", free["energy"]),
        ("potential", free["potential"]),
        ("pose:tip.x", free["pose:tip"][:, 0]),
        ("velocity:tip:world_aligned.vx", free["velocity:tip:world_aligned"][:, 3]),
        ("acceleration:tip:world_aligned.ax", free["acceleration:tip:world_aligned"][:, 3]),
        ("kinetic", free["kinetic"]),
    ):
        start, end = column[0], column[100]
        middle = 0.5 * (start + end)
        side = "above" if end > start else "below"
        ended = am.simulate(
            m, [0.0], [1.0], duration=0.2, step=1e-3, events=am.Limit(text, **{side: middle})
        )
        first = np.argmax((column - middle) * (end - start) >= 0.0)
        assert free.time[first - 1] < ended.time[-1] <= free.time[first], text


def test_limits_on_reactions_beside_own_states():
    """A strut that relaxes holds a pendulum askew: the force in its bearing, as it is recorded."""
    b = am.Builder("askew")
    b.body("rod", axis="y", mass=2.0, com=(0.3, 0.05, 0), inertia=(0.1, 0.2, 0.1))
    b.frame("hook", "world", (0.4, 0.3, 0.8))
    b.frame("tip", "rod", (0.6, 0, 0))
    b.maxwell("relaxing", ("hook", "tip"), stiffness=900.0, damping=8.0, tension=20.0)
    m = b.build()
    free = am.simulate(m, [0.3], [0.5], duration=0.3, record=("reactions", "element_forces"))
    for text, column in (
        ("reactions.rod.force", np.linalg.norm(free["reactions"][:, 3:6], axis=1)),
        ("reactions.rod.nx", free.column("rod.nx", "reactions")),
    ):
        start, end = column[0], column[int(np.argmax(abs(column - column[0])))]
        middle, side = 0.5 * (start + end), "above" if end > start else "below"
        limit = am.Limit(text, **{side: middle})
        ended = am.simulate(m, [0.3], [0.5], duration=0.3, events=limit)
        first = np.argmax((column - middle) * (end - start) >= 0.0)
        assert free.time[first - 1] < ended.time[-1] <= free.time[first], text


@pytest.mark.parametrize("fed", [False, True])
def test_forces_of_elements_without_states_have_the_numbers_of_the_run(fed):
    """Recorded beside an element with a state, or with an input, of its own."""
    b = am.Builder("two")
    b.body("cart", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)
    b.spring("plain", "world", "cart", stiffness=50.0, rest=0.8)
    wall = am.Frame("wall", "world", am.Pose((3, 0, 0)))
    b.spring("jack", wall, "cart", stiffness=5.0)
    if not fed:
        b.maxwell("lag", ("world", "cart"), stiffness=30.0, damping=4.0)
    m = b.build()
    rows = np.tile(m.parameters, (2, 1))
    rows[1, m.parameter_names.index("plain.stiffness")] = 200.0
    options = {"duration": 0.1, "record": "q,element_forces", "step": 1e-2}
    options |= {"inputs": {"jack": 0.5}} if fed else {}
    runs = am.simulate(m, [[0.1], [0.1]], parameters=rows, **options)
    assert runs.labels["element_forces"][6] == "plain.force"
    for k, stiffness in enumerate((50.0, 200.0)):
        tension = stiffness * (1.0 + runs.q[:, k, 0] - 0.8)
        np.testing.assert_allclose(runs["element_forces"][:, k, 6], tension, rtol=1e-12)
    alone = am.simulate(m, [0.1], parameters=rows[1], **options)
    np.testing.assert_allclose(alone["element_forces"], runs["element_forces"][:, 1], rtol=1e-9)


@pytest.mark.parametrize("kind", ["linear", "hold"])
def test_inputs_that_jump_are_recorded_as_they_act(kind):
    """Recorded forces and accelerations belong to one side of the jump; one input for all runs."""
    b = am.Builder("cart", gravity=(0, 0, 0))
    b.body("cart", joint="prismatic", axis="x", at=(1, 0, 0), mass=2.0)
    b.spring("jack", "world", "cart", damping=0.1)
    m = b.build()
    table = {
        "linear": am.Schedule([0.0, 0.3, 0.3, 1.0], [1.0, 1.5, -2.0, 0.0]),
        "hold": am.Schedule([0.0, 0.3, 1.0], [1.0, -2.0, 0.0], kind="hold"),
    }[kind]
    options = {"duration": 0.6, "step": 1e-2, "record": "q,a,element_forces"}
    run = am.simulate(m, inputs={"jack": table}, **options)
    np.testing.assert_allclose(run["element_forces"][:, 6], -2.0 * run.a[:, 0], rtol=1e-12)
    with pytest.raises(
        am.InputError, match=r"inputs\['jack'\]: every run of a batch gets the same"
    ):
        am.simulate(m, [[0.0], [0.1]], inputs={"jack": [[1.0], [2.0]]}, **options)
