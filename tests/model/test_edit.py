"""Edits give new models: what they change is right, and the old model is what it was."""

import dataclasses
import math
from functools import cache

import numpy as np
import pytest

import armillary as am
from armillary.errors import InputError, ModelError
from armillary.model import (
    Body,
    Builder,
    Coupling,
    Limits,
    Mass,
    Model,
    Passive,
    Pose,
    Rotor,
)
from armillary.model.edit import (
    attach,
    inertia_of,
    lock,
    mass_of,
    open_tree,
    replace_parameters,
    subtree,
    unlock,
    with_base,
)
from dense import inertia_matrix, inertia_of_points, matrix_of_inertia, point_cloud
from oracles.direct import Direct
from samples import random_model, random_state


@cache
def arm() -> Model:
    """One object for all tests, so that a test that changed it would be found out."""
    return fresh_arm()


def fresh_arm() -> Model:
    builder = Builder("arm")
    builder.body("base", joint="fixed", at=(0.1, 0.2, 0.3), rpy=(0.1, 0.2, 0.3), mass=5.0,
                 inertia=(1, 1, 1))  # fmt: skip
    builder.body("upper", "base", axis="y", at=(0, 0, 0.4), rpy=(0.3, 0, 0), mass=2.0,
                 com=(0.1, 0, 0.2), inertia=(0.2, 0.3, 0.2))  # fmt: skip
    builder.body("ball", "upper", joint="spherical", at=(0.5, 0, 0), mass=1.0, com=(0, 0.1, 0),
                 inertia=(0.1, 0.1, 0.1))  # fmt: skip
    builder.body("finger", "ball", joint="prismatic", axis="-x", at=(0, 0, 0.2), mass=0.3)
    builder.body("thumb", "ball", joint="prismatic", axis="x", mass=0.3)
    builder.frame("tip", "finger", (0, 0, 0.1))
    builder.coupling(Coupling("grip", "finger", "thumb"))
    return builder.build()


@pytest.fixture(autouse=True)
def nothing_changes_in_place():
    """Every test of this file also proves that the model it started from is untouched."""
    yield
    assert arm() == fresh_arm()
    assert arm().report.notes == fresh_arm().report.notes


def place_of(model: Model, q, frame: str) -> np.ndarray:
    return Direct(model).pose(q, frame)


# ---------------------------------------------------------------- lock and unlock


def test_lock_keeps_every_place():
    """The locked mechanism at the remaining coordinates stands where the free one does."""
    model = arm()
    q, _, _ = random_state(model, 1)
    slots = {b.joint.name: s.q for b, s in zip(model.bodies, model.slots, strict=True)}
    places = {"ball": q[slots["ball"]].tolist(), "upper": float(q[slots["upper"]][0])}
    locked = lock(model, places)
    assert locked.nv == model.nv - 4
    rest = np.delete(q, np.r_[slots["ball"], slots["upper"]])
    for frame in model.frame_index:
        np.testing.assert_allclose(
            place_of(locked, rest, frame), place_of(model, q, frame), atol=1e-13
        )


@pytest.mark.parametrize("seed", range(12))
def test_lock_any_joint_of_any_tree(seed):
    """The mass matrix of the locked tree is the free one without the locked rows."""
    model = random_model(seed, bodies=6)
    name = model.moving_joints[seed % len(model.moving_joints)]
    slot = model.slots[model.joint_number(name)]
    q, _, _ = random_state(model, seed)
    locked = lock(model, {name: q[slot.q].tolist()})
    rest = np.delete(q, slot.q)
    keep = np.delete(np.arange(model.nv), slot.v)
    full = Direct(model).mass_matrix(q)
    np.testing.assert_allclose(
        Direct(locked).mass_matrix(rest), full[np.ix_(keep, keep)], atol=1e-11 * np.abs(full).max()
    )


def test_unlock_gives_the_joint_back():
    model = arm()
    locked = lock(model, {"upper": 0.3, "ball": None})
    again = unlock(locked, ["ball", "upper"])
    assert again.bodies == model.bodies
    assert unlock(lock(model, "upper"), "upper").bodies == model.bodies


def geared() -> Model:
    """Three sliders: b = 2 a + 0.1, then c = 3 b, d driven; a plane that is driven along x."""
    builder = Builder("geared")
    for name in "abcd":
        builder.body(name, joint="prismatic", axis="x", mass=1.0)
    builder.body("puck", joint="planar", mass=1.0, inertia=(1, 1, 1))
    builder.coupling(Coupling("ab", "b", "a", 2.0, 0.1))
    builder.coupling(Coupling("bc", "c", "b", 3.0))
    x = next(label for label in builder.build().v_labels if label.startswith("puck"))
    builder.coupling(Coupling("ap", x, "a", 0.5))
    builder.prescribe("push", "d", 1.5)
    return builder.build()


def test_unlock_brings_couplings_and_drives_back():
    model = geared()
    for order in (["b"], ["a", "b"], ["b", "c", "d"], ["a", "b", "c", "d"], ["puck", "a"]):
        locked = model
        for name in order:  # one after the other
            locked = lock(locked, {name: None})
        assert lock(model, order).couplings == locked.couplings
        assert unlock(locked, order) == model
        for name in order:
            locked = unlock(locked, name)
        assert locked == model


def test_couplings_follow_every_lock_and_unlock():
    """The sides of a coupling: both free, one held by the other, both locked."""
    model = geared()
    one = lock(model, {"b": 0.7})  # a = (0.7 - 0.1) / 2 and c = 3 * 0.7
    places = {d.name: (d.joint, d.position) for d in one.prescribed}
    assert places["ab"] == ("a", pytest.approx(0.3)) and places["bc"] == ("c", pytest.approx(2.1))
    assert [c.name for c in one.couplings] == ["ap"]
    two = lock(one, {"a": 0.3, "d": 0.0})
    assert {d.name for d in two.prescribed} == {"bc", "ap"} and two.couplings == ()
    back = unlock(two, "b")  # now a holds b, and b is coupled to c again
    assert {d.name: d.joint for d in back.prescribed}["ab"] == "b"
    assert {d.name: d.position for d in back.prescribed}["ab"] == pytest.approx(0.7)
    assert [c.name for c in back.couplings] == ["bc"]
    assert {d.name for d in unlock(back, "d").prescribed} == {"push", "ab", "ap"}
    assert open_tree(two).set_aside == () and unlock(open_tree(two), "b").couplings == ()
    assert subtree(two, "b").set_aside == ()
    freed = with_base(lock(two, ["puck", "c"]), "fixed")  # locked roots become part of the base
    assert freed.set_aside == () and freed.nv == 0


def test_a_locked_coordinate_of_several_holds_its_partner():
    model = geared()
    q = np.zeros(3)
    (k,) = [i for i, c in enumerate(model.couplings) if c.name == "ap"]
    names = [n for n in model.v_labels if n.startswith("puck")]
    q[names.index(model.couplings[k].joint)] = 0.4
    locked = lock(model, {"puck": tuple(q)})
    places = {d.name: (d.joint, d.position) for d in locked.prescribed}
    assert places["ap"] == ("a", pytest.approx(0.8))


def test_a_locked_ball_holds_the_speed_of_its_partner():
    """An axis of a ball has a speed and no place."""
    builder = Builder("ball and wheel")
    builder.body("ball", joint="spherical", mass=1.0, inertia=(1, 1, 1))
    builder.body("wheel", axis="z", mass=1.0, inertia=(1, 1, 1))
    builder.coupling(Coupling("pair", "wheel", "ball.wz"))
    model = builder.build()
    (drive,) = lock(model, ["ball"]).prescribed
    assert (drive.joint, drive.velocity, drive.position) == ("wheel", 0.0, None)
    assert unlock(lock(model, ["ball"]), "ball") == model


def test_unlock_keeps_what_was_attached_meanwhile():
    model = arm()
    heavier = attach(lock(model, ["upper"]), "upper", Mass(1.0))
    again = unlock(heavier, "upper")
    assert again.body("upper").mass.mass == pytest.approx(3.0)
    assert again.body("upper").joint == model.body("upper").joint


def test_lock_says_so_in_the_report():
    model = arm()
    locked = lock(model, ["upper"])
    assert "upper" in str(locked.report)
    assert model.report.notes == fresh_arm().report.notes


@pytest.mark.parametrize(
    ("places", "kind", "words"),
    [
        ({"uper": 0.0}, ModelError, ["'uper'", "'upper'"]),
        ({"base": None}, ModelError, ["'base'", "fixed already"]),
        ({"upper": (0.0, 1.0)}, InputError, ["'upper'", "1", "(0.0, 1.0)"]),
        ({"ball": 0.0}, InputError, ["'ball'", "4"]),
        ({"upper": math.nan}, InputError, ["'upper'", "nan"]),
    ],
)
def test_impossible_locks(places, kind, words):
    with pytest.raises(kind) as caught:
        lock(arm(), places)
    assert all(word in str(caught.value) for word in words)


def test_edits_of_wrong_types_are_refused_by_name():
    m = am.example("double-pendulum")
    for call, words in (
        (lambda: m.lock(3), "lock: expected names of joints"),
        (lambda: m.lock({"elbow": "far"}), "joint 'elbow', coordinates: expected 1 numbers"),
        (lambda: m.unlock(3), "unlock: expected names of joints"),
        (lambda: m.attach("lower", "heavy"), "payload, mass: expected a number, found 'heavy'"),
        (lambda: m.attach("lower", 1.0, 3), "payload, com: expected 3 finite numbers"),
    ):
        with pytest.raises((ModelError, InputError), match=words):
            call()


def test_impossible_unlocks():
    with pytest.raises(ModelError, match="'upper' is not locked"):
        unlock(arm(), ["upper"])


# ---------------------------------------------------------------- replace


def test_replace_numbers_of_the_model():
    model = arm()
    moon = replace_parameters(model, gravity=(0, 0, -1.62), name="moon")
    assert (moon.gravity, moon.name) == ((0.0, 0.0, -1.62), "moon")
    assert moon.bodies == model.bodies
    assert model.gravity == (0.0, 0.0, -9.81)
    moving = replace_parameters(model, base_velocity=(1, 2, 3, 4, 5, 6))
    assert moving.base_velocity == (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)


def test_the_start_by_name():
    """As every q: {"elbow": 0.3}, the others where they were."""
    pendulum = am.example("double-pendulum")
    moved = pendulum.replace(initial={"elbow": 0.3})
    assert moved.initial.tolist() == [pendulum.initial[0], 0.3]
    with pytest.raises(InputError, match="initial: no joint named 'elbo'"):
        pendulum.replace(initial={"elbo": 0.3})


def test_replace_numbers_of_a_body():
    model = arm()
    changed = replace_parameters(
        model,
        {
            "upper": {
                "mass": 3,
                "com": (0, 0, 1),
                "inertia": {"xx": 1, "yy": 1, "zz": 1},
                "passive": Passive(viscous=0.5),
                "rotors": Rotor(0.1, 2.0),
                "limits": Limits(-1, 1),
                "at": (1, 2, 3),
            },
            "thumb": {"mass": Mass(1.0)},
        },
    )
    upper = changed.body("upper")
    assert upper.mass == Mass(3.0, (0.0, 0.0, 1.0), (1.0, 1.0, 1.0, 0.0, 0.0, 0.0))
    assert upper.joint.passive == (Passive(viscous=0.5),)
    assert upper.joint.rotors[0].reflected == pytest.approx(0.4)
    assert upper.joint.limits == (Limits(-1, 1),)
    assert upper.at == Pose((1.0, 2.0, 3.0))
    assert changed.body("thumb").mass == Mass(1.0)
    assert changed.body("ball") is model.body("ball")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"gravty": (0, 0, 0)}, ["'gravty'", "'gravity'"]),
        ({"gravity": (0, 0)}, ["gravity", "3"]),
        ({"gravity": 9.81}, ["gravity", "3", "9.81"]),
        ({"gravity": "down"}, ["gravity", "3", "'down'"]),
        ({"initial": (math.nan,) * 7}, ["initial", "finite", "nan"]),
        ({"initial": "start"}, ["initial", "'start'"]),
        ({"gravity": (0, 0, math.nan)}, ["gravity", "finite", "nan"]),
        ({"base_velocity": (0, 0)}, ["base_velocity", "6"]),
        ({"bodies": {"uper": {"mass": 1}}}, ["'uper'", "'upper'"]),
        ({"bodies": {"upper": {"massa": 1}}}, ["'massa'", "'mass'"]),
        ({"bodies": {"upper": {"mass": -1}}}, ["'upper'", "negative"]),
        ({"bodies": {"upper": {"inertia": (1, 1)}}}, ["'upper'", "3 or 6"]),
        (
            {"bodies": {"upper": {"inertia": (1, 1, 3)}}, "checks": "strict"},
            ["'upper'", "triangle"],
        ),
        ({"bodies": {"upper": {"rotor": Rotor(1.0, 0.0)}}}, ["'upper'", "gear"]),
        ({"bodies": {"upper": {"com": (1, 1)}}}, ["'upper'", "com", "3"]),
        ({"bodies": {"upper": {"at": (1, 1)}}}, ["'upper'", "at", "3"]),
        ({"bodies": {"upper": {"passive": Passive(viscous=-1)}}}, ["'upper'", "viscous"]),
        ({"bodies": {"ball": {"rotors": [Rotor()]}}}, ["'ball'", "rotors", "3"]),
        ({"bodies": {"upper": {"limits": 3}}}, ["'upper'", "Limits"]),
    ],
)
def test_impossible_replacements(arguments, words):
    with pytest.raises((ModelError, InputError)) as caught:
        replace_parameters(arm(), **arguments)
    assert all(word in str(caught.value) for word in words), caught.value


# ---------------------------------------------------------------- subtree, base, payload


def test_subtree_moves_like_the_whole():
    """Poses inside the subtree, relative to its root, are those of the whole machine."""
    model = arm()
    part = subtree(model, "ball", base="free")
    assert [b.name for b in part.bodies] == ["ball", "finger", "thumb"]
    assert [f.name for f in part.frames] == ["tip"]
    assert part.couplings == model.couplings
    q, _, _ = random_state(model, 2)
    q_part = np.r_[1.0, np.zeros(6), q[-2:]]
    root = np.linalg.inv(place_of(model, q, "ball"))
    for frame in ("finger", "thumb", "tip"):
        np.testing.assert_allclose(
            place_of(part, q_part, frame), root @ place_of(model, q, frame), atol=1e-13
        )


def test_subtree_drops_what_it_does_not_hold():
    part = subtree(arm(), "finger")
    assert [b.name for b in part.bodies] == ["finger"]
    assert part.couplings == ()
    assert part.nv == 0
    with pytest.raises(ModelError, match="'fingre'"):
        subtree(arm(), "fingre")
    with pytest.raises(InputError, match="'float'"):
        subtree(arm(), "ball", base="float")


def test_with_base_frees_and_fixes_the_root_where_it_stands():
    model = arm()
    free = with_base(model, "free")
    assert free.nv == model.nv + 6
    q, _, _ = random_state(model, 3)
    neutral = np.r_[1.0, np.zeros(6), q]
    np.testing.assert_allclose(
        place_of(free, neutral, "tip"), place_of(model, q, "tip"), atol=1e-13
    )
    assert with_base(free, "fixed").bodies == model.bodies
    assert with_base(model, "fixed").bodies == model.bodies
    with pytest.raises(InputError, match="'float'"):
        with_base(model, "float")


def test_with_base_refuses_hinged_roots():
    builder = Builder()
    builder.body("door", axis="z", mass=1.0)
    with pytest.raises(ModelError, match="'door' hangs on the world by a revolute joint"):
        with_base(builder.build(), "free")


@pytest.mark.parametrize("seed", range(3))
def test_attach_adds_point_masses(seed):
    """Body and payload as clouds: the inertia of all their points."""
    rng = np.random.default_rng(seed)
    (m1, p1), (m2, p2) = point_cloud(rng), point_cloud(rng)
    builder = Builder()
    builder.body("body", mass=mass_of(inertia_of_points(m1, p1)))
    at = Pose.from_rpy(rng.normal(size=3), rng.normal(size=3))
    model = attach(builder.build(), "body", mass_of(inertia_of_points(m2, p2)), at)
    R, t = np.array(at.rotation), np.array(at.position)
    together = inertia_matrix(np.r_[m1, m2], np.r_[p1, p2 @ R.T + t])
    np.testing.assert_allclose(
        matrix_of_inertia(inertia_of(model.bodies[0].mass)), together, atol=1e-11
    )


def test_impossible_payloads():
    with pytest.raises(ModelError, match=r"payload on 'upper'.*negative"):
        attach(arm(), "upper", Mass(-1.0))
    with pytest.raises(ModelError, match="no body named 'uper'"):
        attach(arm(), "uper", Mass(1.0))


def test_mass_goes_round_as_inertia():
    mass = Mass(2.0, (0.1, -0.2, 0.3), (1.0, 1.1, 1.2, 0.1, -0.05, 0.02))
    again = mass_of(inertia_of(mass))
    for a, b in zip(dataclasses.astuple(mass), dataclasses.astuple(again), strict=True):
        assert a == pytest.approx(b, abs=1e-15)
    assert mass_of(inertia_of(Mass())) == Mass()


def test_bodies_remember_only_their_own_past():
    """The record of a lock does not leak into equality of other bodies."""
    locked = lock(arm(), ["upper"])
    assert isinstance(locked.body("upper").unlocked, Body)
    assert locked.body("ball").unlocked is None
