"""Tyres and roads in native files: round trips, the reference, faults with their lines."""

import numpy as np
import pytest
from wheels import BOOK, MF, near, unicycle

import armillary as am
from armillary.formats.native import read_native
from armillary.formats.native_write import write_native

R, T = am.roads, am.tyres
TYRES = [T.Linear(mu=0.7), T.Fiala(mu=0.8, mu_sliding=0.7), T.Brush(trail=0.02), MF,
         T.SpringDamper(mu=0.5)]  # fmt: skip
GRID = R.FrictionGrid(((0.5, 0.6), (0.7, 0.8)), (0, 1), (2, 3))
ROADS = [
    R.Plane(),
    R.Plane(0.1, 0.02, 0.03, R.Split(width=0.2)),
    R.Profile.of([0, 1, 3], [0, 0.1, 0], mu=R.Patch(around=R.Split(left=0.9))),
    R.Bump(shape="ramp", mu=GRID),
    R.HeightField.of([0, 1, 2], [0, 1], [[0, 0.1, 0], [0, 0, 0.1]], mu=R.Patch(around=GRID)),
    R.Tracks(R.Bump(), R.random_profile("B", length=21.0), 0.5),
]


def test_round_trips():
    for model in TYRES:
        for road in ROADS:
            m = unicycle(model, road)
            again = read_native(text=write_native(m.model))
            assert again.elements == m.model.elements


TEXT = """armillary: 1
bodies:
  rim: {parent: world, joint: {type: free}, mass: 20, inertia: {xx: 1, yy: 1, zz: 1}}
forces:
  front:
    type: tyre
    wheel: {body: rim, position: [0, 0.1, 0]}
    radius: 0.3
    model: {type: brush, cornering: 5e4}
    road: {type: random, grade: B, length: 30, seed: 2}
"""


def test_by_hand():
    m = am.Mechanism(read_native(text=TEXT))
    law = m.model.elements[0].law
    assert law.model == T.Brush(cornering=5e4).checked("t") and law.axis == (0.0, 1.0, 0.0)
    assert law.road == R.random_profile("B", length=30, seed=2)
    f = m.tyre_forces([1, 0, 0, 0, 0, 0, 0.28], [0, 30, 0, 8, 0.2, 0])["front"]
    near(f["Fz"], 2e5 * 0.02, 1e-9)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("type: brush,", "type: bristle,", "9: force 'front', model: `type` of a tyre is one of"),
        ("cornering", "corner", "9: force 'front', model: unknown key 'corner'"),
        ("5e4", "stiff", "model.cornering: expected a number"),
        ("5e4", "-1", "cornering is -1 N/rad"),
        ("{type: brush, cornering: 5e4}", "soft", "expected a mapping"),
        ("type: random, ", "type: lane, ", "10: force 'front', road: `type` of a road is one of"),
        ("grade: B", "grade: K", "road.grade"),
        ("length: 30", "length: 3", "length of more than 20 m"),
        ("    radius: 0.3\n", "", "give its radius"),
        ("0.3", "-0.3", "radius is -0.3"),
        ("seed: 2}", "seed: 2, mu: {type: ice}}", "`type` of a friction is one of"),
        ("{type: random, grade: B, length: 30, seed: 2}", "{type: profile, rows: [[0, 0], [0, 1]]}",
         "A step has no slope"),
        ("{type: brush, cornering: 5e4}", "{type: magic_formula, coefficients: {PCX1: 1}}",
         "UNLOADED_RADIUS, FNOMIN"),
    ],
)  # fmt: skip
def test_faults(old, new, said):
    with pytest.raises(am.FormatError, match=said.replace("[", r"\[")):
        read_native(text=TEXT.replace(old, new))


def test_classes_of_ones_own():
    """A model of one's own works, and no file can hold it."""

    class Ice(R.Plane):
        def at(self, x, y):
            return R.Ground(0.0, 0, 0, 0.1)

    m = unicycle(T.Linear(relaxation_x=0.0, relaxation_y=0.0), Ice())
    f = m.tyre_forces([0, 0, 0.28, 0], [5, 1, 0, 0])["t"]
    near(np.hypot(f["Fx"], f["Fy"]), 0.1 * f["Fz"], 1e-9)
    with pytest.raises(am.FormatError, match="class of your own"):
        write_native(m.model)


def test_mounted():
    """Tyres of a mounted mechanism stay on the road of the world."""
    rover = am.Builder("rover")
    rover.body("base", joint="free", at=(0, 0, 0.5), mass=10.0, inertia=(1.0, 1.0, 1.0))
    trailer = unicycle(T.Linear())
    both = rover.build().mount(trailer, on="base", prefix="t_")
    part = both.model.elements[0]
    assert part.name == "t_t" and part.ends[0].body == "world" and part.ends[1].body == "t_rim"
    assert BOOK["FNOMIN"] == 4000.0


def test_drawn_as_a_wheel(tmp_path):
    """Sketches have a rim on hatched ground, pages a ring of rubber that turns with the wheel."""
    m = unicycle(T.Linear(), R.Plane(grade=0.1))
    svg = m.draw([0, 0, 0.28, 0]).svg
    bare = m.replace(elements=()).draw([0, 0, 0.28, 0]).svg
    assert svg.count("<path") + svg.count("<poly") > bare.count("<path") + bare.count("<poly")
    run = am.simulate(m, [0, 0, 0.28, 0], duration=0.01, record="q,tyres,element_forces")
    run.animate(tmp_path / "run.html")
    assert "t (tyre of 0.3 m)" in (tmp_path / "run.html").read_text(encoding="utf-8")
