"""Vehicles: a car and a truck with three trailers against life, and growth with trailers."""

from __future__ import annotations

import numpy as np

import armillary as am
from benchmarks import targets
from benchmarks.clock import race, statement
from benchmarks.constraints import kernel
from benchmarks.growth import exponent
from benchmarks.mechanisms import Array
from benchmarks.setting import Setting
from benchmarks.table import Row, Score, Section, error

DURATION = 1.0  # s of life
SPEED = 20.0  # m/s
WAYS = (  # method, step: cheapest first
    ("semi-implicit", 1e-3),
    ("heun", 2e-3),
    ("rk4", 2e-3),
    ("rk4", 1e-3),
)
TRAILERS = (1, 2, 4, 8, 16, 32, 50)
LOOPS = "ours, loops"  # compile(tier=1): the way of large mechanisms at every size
CARS = 1000
NOTES = (
    "a second of driving at 20 m/s with a force on the steering, one core, the cheapest way whose "
    "wheel loads are within 1e-3 (of the largest) of rk4 at 0.5 ms; error: that difference.",
    "a batch: cars with springs of 80 to 120 % and 10 to 30 m/s, one native loop; error: q of four "
    "of them against runs of their own.",
    "growth: forward dynamics of trucks with 1 to 50 trailers on tyres, as they are asked (the "
    "exponent is that of those in loops: short ones have straight-line code), and with loops for "
    "all.",
)


def run(setting: Setting) -> Section:
    vehicles = {
        "car": (am.vehicles.car(), 60.0),
        "truck, 3 trailers": (am.vehicles.truck(3), 800.0),
    }
    found = [
        life_row(name, vehicle, push, targets.LIFE[name], setting)
        for name, (vehicle, push) in vehicles.items()
    ]
    found.append(batch_row(vehicles["car"][0], setting))
    title = "Vehicles on tyres: a second of life, one core; growth with trailers"
    return Section("vehicles", title, [*found, *growth_rows(setting)], NOTES)


def loads(vehicle: am.vehicles.Vehicle, push: float, method: str, step: float) -> Array | None:
    """Wheel loads every 20 ms, N; None where the run fails."""
    q, v = vehicle.start(SPEED)
    every = round(0.02 / step)
    run = am.simulate(
        vehicle.mechanism, q, v, duration=DURATION, step=step, method=method, every=every,
        inputs={vehicle.steering: push}, record=("q", "tyres"),
    )  # fmt: skip
    columns = [k for k, label in enumerate(run.labels["tyres"]) if label.endswith("Fz")]
    return np.asarray(run["tyres"])[:, columns] if run.complete else None


def life_row(
    name: str, vehicle: am.vehicles.Vehicle, push: float, target: float, setting: Setting
) -> Row:
    exact = loads(vehicle, push, "rk4", 5e-4)
    assert exact is not None
    for method, step in WAYS:
        near = loads(vehicle, push, method, step)
        off = np.inf if near is None else float(np.abs(near - exact).max() / np.abs(exact).max())
        if off < 1e-3:
            break
    q, v = vehicle.start(SPEED)
    names = {"am": am, "m": vehicle.mechanism, "q": q, "v": v, "T": DURATION, "h": step}
    names |= {"method": method, "u": {vehicle.steering: push}, "n": round(DURATION / step)}
    call = "am.simulate(m, q, v, duration=T, step=h, method=method, inputs=u, every=n)"
    times = race({"ours": statement(call, names)}, setting.effort)
    faster = Score(DURATION / float(times["ours"]), target, form="{:.0f} x life")
    scores = {"faster than life": faster, "error": error(off, 1e-3)}
    return Row(name, f"1 s, {method}, {step * 1e3:g} ms", dict(times), scores)


def batch_row(car: am.vehicles.Vehicle, setting: Setting) -> Row:
    """Many cars in one call, each with springs and a speed of its own."""
    m, rng = car.mechanism, np.random.default_rng(5)
    count = min(CARS, setting.effort.batch)
    springs = [k for k, x in enumerate(m.parameter_names) if x.endswith("-strut.stiffness")]
    numbers = np.tile(m.parameters, (count, 1))
    numbers[:, springs] *= rng.uniform(0.8, 1.2, (count, 1))
    v = np.stack([car.start(speed)[1] for speed in rng.uniform(10.0, 30.0, count)])
    q = np.tile(m.initial, (count, 1))
    given = {"duration": 0.1, "step": 1e-3, "method": "semi-implicit", "every": 100}
    given["inputs"] = {car.steering: 60.0}
    many = am.simulate(m, q, v, parameters=numbers, **given)
    if many.performance().native < 1.0:
        raise AssertionError("a batch of cars is not made in the native loop")
    off = 0.0
    for k in (0, 1, count // 2, count - 1):
        one = am.simulate(m, q[k], v[k], parameters=numbers[k], **given)
        off = max(off, float(np.abs(one.q[-1] - many.q[-1, k]).max()))
    names = {"am": am, "m": m, "q": q, "v": v, "p": numbers, "given": given}
    call = "am.simulate(m, q, v, parameters=p, **given)"
    times = race({"ours": statement(call, names)}, setting.effort)
    faster = Score(count * 0.1 / float(times["ours"]), targets.LIFE["car"], form="{:.0f} x life")
    scores = {"faster than life": faster, "error": error(off, 1e-10)}
    return Row(f"{count} cars", "0.1 s, semi-implicit, 1 ms", dict(times), scores)


def growth_rows(setting: Setting) -> list[Row]:
    rows = []
    for count in TRAILERS:
        truck = am.vehicles.truck(count)
        m = truck.mechanism
        q, v = truck.start(SPEED)
        names = {"q": q, "v": v, "u": np.zeros(m.nv)}
        ways = {"ours": m, LOOPS: m.compile(tier=1)}
        call = "m.forward_dynamics(q, v, u)"
        runners = {name: statement(call, {"m": own, **names}) for name, own in ways.items()}
        times: dict[str, float | str] = {
            **race(runners, setting.effort),
            "our kernel": kernel(m, False),
        }
        rows.append(Row(f"truck, {count} trailers", "single", times))
    found, pairs = [], list(zip(TRAILERS, rows, strict=True))
    large = [pair for pair in pairs if "tier 2" not in str(pair[1].times["our kernel"])]
    for name, question, own in (("ours", "growth", large), (LOOPS, "growth, loops", pairs)):
        each = [float(row.times[name]) for _, row in own]
        score = Score(exponent([n for n, _ in own], each), targets.EXPONENT, low=True)
        span = f"{TRAILERS[0]}..{TRAILERS[-1]} trailers"
        found.append(Row(span, question, {}, {"exponent": score}))
    return [*rows, *found]
