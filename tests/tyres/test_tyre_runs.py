"""Tyres along runs: relaxation, standstill, rolling, bumps, rigs, batches, files of runs."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from wheels import MF, MODELS, STEADY, car, near, pressed, steady, unicycle

import armillary as am

R, T = am.roads, am.tyres
RECORD = "q,v,states,tyres"


def column(run, name, tyre="t"):
    return run["tyres"][:, run.labels["tyres"].index(f"{tyre}.{name}")]


def test_relaxation_length():
    """A quick change of the slip angle at a held speed: F_y follows as 1 - exp(-t/τ), τ = σ/V; with
    the damping of the carcass τ = σ/V + d/c, and the part (d/c)/τ comes at once."""
    sigma, speed, alpha = 0.4, 8.0, 1e-3
    model, vy = T.Linear(relaxation_y=sigma, mu=5.0, carcass_time=0.0), speed * np.tan(alpha)
    omega = 40.0  # of a lateral velocity vy (1 - cos ωt), whose force follows in closed form

    def across(t):
        return (vy * (t - np.sin(omega * t) / omega), vy * (1.0 - np.cos(omega * t)),
                vy * omega * np.sin(omega * t))  # fmt: skip

    for lag in (0.0, 0.004):
        m = unicycle(replace(model, carcass_time=lag, rolling_share=0.0))
        q = pressed(m, 320.0 * 9.81)
        motions = {"along": lambda t: (speed * t, speed, 0.0), "hub": float(q[2]),
                   "rim": lambda t: (30.0 * t, 30.0, 0.0), "across": across}  # fmt: skip
        run = am.simulate(m, q, [speed, 0.0, 0.0, 30.0], prescribed=motions, duration=0.3,
                          step=1e-3, record="tyres,states")  # fmt: skip
        t, tau = run.time, sigma / speed + lag

        def lagging(drive, tau=tau):
            """y of τ y' + y = 1 - cos ωt from rest."""
            w = omega * tau
            steady_part = (np.cos(omega * drive) + w * np.sin(omega * drive)) / (1 + w * w)
            return 1.0 - steady_part - np.exp(-drive / tau) * (1.0 - 1.0 / (1 + w * w))

        share = lag / tau  # of the force that the damper passes on at once
        follows = lagging(t) * (1.0 - share) + share * (1.0 - np.cos(omega * t))
        near(column(run, "Fy"), -6e4 * np.tan(alpha) * follows, 1e-5, 6e4 * alpha)


@pytest.mark.parametrize(
    "name", ["linear", "fiala", pytest.param("magic formula", marks=pytest.mark.long)]
)
def test_parked_on_a_slope(name):
    """Wheels that do not turn hold a car on a slope of 15 %: it comes to rest and stays there."""
    slope = np.arctan(0.15)
    m = car(MODELS[name], R.Plane(grade=0.15), locked=("fl", "fr", "rl", "rr"))
    m = m.replace(elements={n: {"damping": 4000.0} for n in ("fl", "fr", "rl", "rr")})
    q = np.zeros(m.nq)
    q[0], q[2] = np.cos(slope / 2), -np.sin(slope / 2)
    run = am.simulate(m, q, np.zeros(m.nv), duration=6.0, step=1e-3, record="q,v,tyres", every=100)
    x = run.column("body.px")
    assert abs(x[-1]) < 0.05 and abs(x[-1] - x[-11]) < 1e-5
    assert np.abs(run["v"][-1]).max() < 1e-4
    weight = 1280.0 * 9.81
    wheels = ("fl", "fr", "rl", "rr")
    near(sum(column(run, "Fz", n)[-1] for n in wheels), weight * np.cos(slope), 1e-3)
    near(sum(column(run, "Fx", n)[-1] for n in wheels), weight * np.sin(slope), 1e-3)


def test_steep_slopes_are_not_held():
    """Beyond friction it slides down with (sin - mu cos) g."""
    all_ = ("fl", "fr", "rl", "rr")
    m = car(T.Brush(mu=0.5, damping=4000.0), R.Plane(grade=0.8), locked=all_)
    slope = np.arctan(0.8)
    q = np.zeros(m.nq)
    q[0], q[2] = np.cos(slope / 2), -np.sin(slope / 2)
    run = am.simulate(m, q, np.zeros(m.nv), duration=3.0, step=1e-3, record="q,v", every=100)
    v = run["v"][:, 3]
    wanted = -9.81 * (np.sin(slope) - 0.5 * np.cos(slope))
    near((v[-1] - v[-6]) / 0.5, wanted, 1e-3)


def test_rolling_without_slip():
    """Driven by a small moment, a stiff tyre without resistance rolls as the ideal wheel does."""
    grip = {"longitudinal": 1e6, "mu": 50.0, "rolling_resistance": 0.0, "rolling_share": 1.0}
    m = unicycle(T.Linear(**grip, carcass_time=0.01), mass=300.0)
    load = 320.0 * 9.81
    q = pressed(m, load)
    run = am.simulate(m, q, np.zeros(4), inputs={"rim": 20.0}, duration=1.0, step=5e-4,
                      record="q,v,tyres")  # fmt: skip
    b = am.Builder("ideal")
    b.body("along", joint="prismatic", axis="x", mass=300.0, at=(0, 0, q[2]))
    b.body("rim", "along", joint="revolute", axis="y", mass=20.0, inertia=(0.5, 1.0, 0.5))
    b.wheel(am.Wheel("w", "rim", float(q[2]), axis=(0, 1, 0), rows=("longitudinal",)))
    ideal = am.simulate(b.build(), [0.0, 0.0], [0.0, 0.0], inputs={"rim": 20.0}, duration=1.0)
    near(run["v"][-1, 0], ideal["v"][-1, 0], 2e-3)
    near(20.0 * q[2] / (320.0 * q[2] ** 2 + 1.0), ideal["v"][-1, 0], 1e-6)


def test_power_and_energy_of_a_run():
    """Energy of a braked wheel: what is lost is the work at the slip, in the carcass and by
    rolling; it never grows."""
    m = unicycle(T.Brush(damping=0.0))
    q = pressed(m, 320.0 * 9.81)
    run = am.simulate(m, q, [10.0, 0.5, 0.0, 20.0], duration=0.5, step=2.5e-4,
                      record="v,energy,element_forces")  # fmt: skip
    k = run.labels["element_forces"].index("t.power")
    power = run["element_forces"][:, k]
    kinetic = run["energy"]
    assert (np.diff(kinetic) < 1e-6 * kinetic[0]).all() and kinetic[-1] < kinetic[0] - 100.0
    assert (power < 1e-6 * kinetic[0]).all()


def quarter_car(t, y, road, radius=0.3, k=2e5, c=200.0, mass=320.0):
    """A mass on a radial spring and damper: height and its rate."""
    z, u = y
    h, slope = road(t)
    x = radius - (z - h)
    force = max(k * x + c * (slope - u), 0.0) if x > 0 else 0.0
    return [u, force / mass - 9.81]


def test_rig_under_a_wheel():
    """A post that lifts the road under a wheel (an input over time) is a body that does so, and the
    equation of a mass on a spring."""
    m = unicycle(steady(T.Linear()))
    q = pressed(m, 320.0 * 9.81)

    def post(t):
        return 0.001 * np.sin(20.0 * t), 0.02 * np.cos(20.0 * t)

    from armillary.scalar import cos, sin

    rig = {"t": lambda t: (0.001 * sin(20.0 * t), 0.02 * cos(20.0 * t))}
    run = am.simulate(m, q, np.zeros(4), inputs=rig, duration=0.6, step=5e-4, record="q,tyres")
    exact = solve_ivp(quarter_car, (0, 0.6), [q[2], 0.0], args=(post,), rtol=1e-10, atol=1e-12,
                      t_eval=run.time)  # fmt: skip
    near(run["q"][:, 2], exact.y[0], 1e-7, 0.01)
    b = am.Builder("posts")
    b.body("post", joint="prismatic", axis="z", mass=5.0)
    b.body("hub", joint="prismatic", axis="z", mass=320.0)
    b.tyre("t", "hub", radius=0.3, model=steady(T.Linear()), on="post")
    moved = am.simulate(
        b.build(), [0.0, q[2]], [0.02, 0.0], duration=0.6, step=5e-4, record="q",
        prescribed={"post": lambda t: (*post(t), -0.4 * np.sin(20.0 * t))},
    )  # fmt: skip
    near(moved["q"][:, 1], exact.y[0], 1e-6, 0.01)


def test_over_a_bump():
    """A slow wheel with a small radius follows the road: the load is that of the mass on a spring
    over z(x); it leaves the ground over a short one, and comes back."""
    road = R.Bump(start=1.0, length=4.0, height=0.05)
    m = unicycle(steady(T.Linear(rolling_resistance=0.0)), road, radius=0.05)
    q = pressed(m, 320.0 * 9.81, radius=0.05)
    speed = 4.0
    motions = {"along": lambda t: (speed * t, speed, 0.0), "across": 0.0}
    v = [speed, 0.0, 0.0, speed / (0.05 - 0.0157 / 3)]
    run = am.simulate(m, q, v, prescribed=motions, duration=1.5, step=5e-4, record="q,tyres")

    def height(t):
        ground = road.at(speed * t, 0.0)
        return ground.z, ground.slope_x * speed

    exact = solve_ivp(quarter_car, (0, 1.5), [q[2], 0.0], args=(height, 0.05), rtol=1e-9,
                      atol=1e-11, t_eval=run.time)  # fmt: skip
    near(run["q"][:, 2], exact.y[0], 1e-2, 0.05)  # its radius and slope of 4 % aside
    motions["along"] = lambda t: (20.0 * t, 20.0, 0.0)
    fast = am.simulate(m, q, [20.0, 0, 0, 440.0], duration=1.0, step=5e-4, record="tyres",
                       prescribed=motions)  # fmt: skip
    load = column(fast, "Fz")
    assert load.min() == 0.0 and load.max() > 320.0 * 9.81 and (load >= 0.0).all()


def test_batches_and_single_runs():
    """Each run of a batch is the run alone; numbers of tyres differ by `parameters`, with states
    of their own or without."""
    m = unicycle(MF)
    q, v = pressed(m, 320.0 * 9.81), np.array([10.0, 0.4, 0.0, 34.0])
    V = np.tile(v, (5, 1))
    V[:, 1] = np.linspace(-0.5, 0.5, 5)
    runs = am.simulate(m, np.tile(q, (5, 1)), V, duration=0.1, step=1e-3, record="q,states,tyres")
    alone = am.simulate(m, q, V[3], duration=0.1, step=1e-3, record="q,states,tyres")
    near(runs["q"][:, 3], alone["q"], 1e-12)
    near(runs["tyres"][:, 3], alone["tyres"], 1e-9)
    flat = m.replace(elements={"t": {"model": replace(MF, **STEADY)}})
    for own in (flat, m):
        designs = np.tile(own.parameters, (5, 1))
        k = own.parameter_names.index("t.road.mu")
        designs[:, k] = np.linspace(0.2, 1.0, 5)
        runs = am.simulate(own, np.tile(q, (5, 1)), V, duration=0.1, step=1e-3, parameters=designs)
        one = own.replace(elements={"t": {"road.mu": designs[1, k]}})
        near(runs.q[:, 1], am.simulate(one, q, V[1], duration=0.1, step=1e-3).q, 1e-12)


def test_brakes_on_split_friction():
    """Locked wheels on ice at the right turn a car to the left."""
    m = car(T.Brush(), R.Plane(mu=R.Split(1.0, 0.1, 0.0, 0.1)), locked=("fl", "fr", "rl", "rr"))
    q = m.neutral()
    q[6] = -0.0157
    run = am.simulate(m, q, [0, 0, 0, 15.0, 0, 0], duration=0.5, step=1e-3, record="v,tyres")
    assert run["v"][-1, 2] > 0.5 and run["v"][-1, 3] < 13.0
    near(column(run, "mu", "fl")[0] / column(run, "mu", "fr")[0], 10.0, 1e-9)
    assert column(run, "Fx", "fl")[50] < 5.0 * column(run, "Fx", "fr")[50] < 0.0


def test_spring_damper_tyre():
    """Document 002, 5.4: held by springs, it swings about the point it stands on with
    ω = √(k/m); pushed beyond friction it slides; it rolls freely."""
    model = T.SpringDamper(horizontal_stiffness=4e4, horizontal_damping=0.0, mu=500.0,
                           rolling_resistance=0.0, rolling_share=0.0)  # fmt: skip
    m = unicycle(model, spin_inertia=1.0)
    q = pressed(m, 320.0 * 9.81)
    run = am.simulate(m, q, [0.0, 0.05, 0.0, 0.0], duration=1.0, step=1e-3, record=RECORD)
    omega = np.sqrt(4e4 / 320.0)
    near(run["q"][:, 1], 0.05 / omega * np.sin(omega * run.time), 1e-3, 0.05 / omega)
    rolls = am.simulate(m, q, [3.0, 0.0, 0.0, 10.0], duration=0.5, step=1e-3, record=RECORD)
    near(rolls["v"][:, 0], 3.0, 1e-9)
    assert np.abs(column(rolls, "Fx")).max() < 1e-6


@pytest.mark.parametrize("lag", [0.0, 0.002])
def test_jumps(lag):
    """A wheel that slips, takes off and lands: no force in the air, where the carcass lets go."""
    m = unicycle(T.Brush(carcass_time=lag), R.Plane())
    q = pressed(m, 3000.0)
    run = am.simulate(m, q, [5.0, 1.0, 1.5, 10.0], duration=0.6, step=5e-4, record=RECORD)
    deflection, up = column(run, "deflection"), column(run, "deflection") < 0.0
    off = np.flatnonzero(up)[0]
    landing = off + np.flatnonzero(~up[off:])[0] - 1
    assert deflection[landing:].max() > 0.01 and np.isfinite(run["tyres"]).all()
    for name in ("Fx", "Fy", "Fz", "Mz"):
        assert np.abs(column(run, name)[up]).max() < 1e-12
    assert np.abs(run["states"][landing]).max() < 1e-3 * np.abs(run["states"]).max()


def test_saved_runs(tmp_path):
    m = unicycle(T.Linear())
    run = am.simulate(m, pressed(m, 3000.0), [5.0, 0.1, 0, 17.0], duration=0.05, record=RECORD)
    run.save(tmp_path / "run.nc")
    again = am.load_run(tmp_path / "run.nc")
    near(again["tyres"], run["tyres"], 1e-12)
    assert again.labels["tyres"] == run.labels["tyres"] and run.units["tyres"][4] == "N"
    with pytest.raises(am.InputError, match="tyres"):
        am.simulate(am.example("two-link"), duration=0.01, record="tyres")


def test_small_motion_takes_steady_forces():
    """Linear models have the tyre's slopes at speed, C/V, with relaxation or without."""
    speed, load = 10.0, 320.0 * 9.81
    for model in (T.Linear(), steady(T.Linear())):
        m = unicycle(model)
        spin = speed / (0.3 - load / 2e5 / 3.0)
        A = m.linearize(pressed(m, load), [speed, 0, 0, spin], tau=np.zeros(4)).A
        near(A[5, 5], -6e4 / speed / 320.0, 1e-9)
        near(A[4, 4], -1e5 / speed / 320.0, 1e-9)
        assert A.shape == (8, 8)


def test_replays_say_what_lags():
    """Tyres that relax are steady in a replay, and it says so; others give the run's forces."""
    for relaxation in (0.0, 0.2):
        model = am.tyres.Brush(relaxation_x=relaxation, relaxation_y=relaxation)
        rig = cart(model)
        v = np.zeros(rig.nv)
        v[3], v[4], v[6:] = 6.0, 0.3, 6.0 / 0.29
        run = am.simulate(rig, v0=v, duration=0.2, step=1e-3, record="q,v,a,tyres")
        again = am.replay(rig, run, record="tyres")
        said = [text for _, text in again.events if "own states" in str(text)]
        off = np.abs(again["tyres"][:, : run["tyres"].shape[1]] - run["tyres"]).max()
        if relaxation:
            assert said and "are steady at every instant" in str(said[0]) and off > 10.0
        else:
            assert not said and off < 1e-8


SIZES = {"stiffness": 2, "damping": 2.5, "longitudinal": 3, "cornering": 3, "camber_stiffness": 3}
SIZES |= {"relaxation_x": 1, "relaxation_y": 1, "low_speed": 0.5, "trail": 1, "width": 1}
SIZES |= {"carcass_time": 0.5}


@pytest.mark.parametrize("kind", [am.tyres.Linear, am.tyres.Fiala, am.tyres.Brush])
def test_small_models_of_a_vehicle_move_as_it_does(kind):
    """Lengths by s, masses by s³, gravity the same: times by √s, forces by s³ (Froude's law).  No
    number of the tyre's own stands in between."""
    model, found = kind(stiffness=5.5e4), []
    for s in (1.0, 0.1):
        numbers = {
            name: s**p * getattr(model, name) for name, p in SIZES.items() if hasattr(model, name)
        }
        rig = cart(replace(model, **numbers), s)
        v = np.zeros(rig.nv)
        v[2], v[3], v[4], v[6:] = 0.2 / s**0.5, 5.0 * s**0.5, 0.2 * s**0.5, 5.0 / 0.29 / s**0.5
        how = {"duration": 0.3 * s**0.5, "step": 1e-3 * s**0.5, "record": "q,tyres"}
        run = am.simulate(rig, v0=v, **how)
        sides = [k for k, name in enumerate(run.labels["tyres"]) if name.endswith(".Fy")]
        found.append((run["q"][-1, 4:7] / s, run["tyres"][-1, sides] / s**3))
    for one, two in zip(*found, strict=True):
        assert np.abs(one - two).max() <= 1e-10 * np.abs(one).max()


def cart(model, s=1.0):
    """Four wheels on a frame, all lengths by s, masses by s³."""
    b, m, i = am.Builder("cart"), s**3, s**5
    inertia = (20 * i, 40 * i, 50 * i)
    b.body(
        "frame",
        joint="free",
        at=(0, 0, 0.29 * s),
        mass=200 * m,
        com=(0, 0, 0.2 * s),
        inertia=inertia,
    )
    for name, x, y in (("a", 0.8, 0.5), ("b", 0.8, -0.5), ("c", -0.6, 0.5), ("d", -0.6, -0.5)):
        own = {"mass": 6 * m, "inertia": (0.1 * i, 0.2 * i, 0.1 * i)}
        b.body(name, "frame", "revolute", (x * s, y * s, 0), axis="y", **own)
        b.tyre(f"{name}-tyre", name, radius=0.3 * s, model=model)
    return b.build()
