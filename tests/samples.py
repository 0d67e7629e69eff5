"""Mechanisms to test with: every joint type, full tensors, offset frames, branches, hard cases."""

import itertools
from functools import cache

import numpy as np

import armillary as am
from armillary.evaluate.request import CompileOptions
from armillary.model import Builder, Mass, Model, Passive, Pose, Rotor

KINDS = (
    "fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "planar",
    "spherical", "free", "gimbal", "general",
)  # fmt: skip
MOVING = KINDS[1:]
# a few of the many: every kind of body that occurs is compiled once for every algorithm
GIMBALS = (("rx", "rz"), ("ry", "dx"), ("rx", "ry", "rz"), ("rx", "rz", "dy", "dz"))
GENERALS = (("turn",), ("slide", "turn"), ("turn", "slide", "turn"))
LETTERS = ("x", "y", "z", "-x", "-y", "-z")


def unit(rng) -> np.ndarray:
    v = rng.normal(size=3)
    return v / np.linalg.norm(v)


def rotation(rng) -> np.ndarray:
    Q, _ = np.linalg.qr(rng.normal(size=(3, 3)))
    return Q * np.sign(np.linalg.det(Q))


def random_pose(rng, reach: float = 0.5) -> Pose:
    rows = tuple(tuple(float(x) for x in row) for row in rotation(rng))
    return Pose(tuple(float(x) for x in rng.uniform(-reach, reach, 3)), rows)


def random_mass(rng, mass: float = 1.0, size: float = 0.2) -> Mass:
    """Ten point masses: a physically possible body with a full tensor, off its frame's origin."""
    weights = rng.uniform(0.2, 1.0, 10)
    weights *= mass * rng.uniform(0.5, 2.0) / weights.sum()
    points = rng.normal(size=(10, 3)) * size
    com = weights @ points / weights.sum()
    second = np.einsum("i,ij,ik->jk", weights, points - com, points - com)
    I = np.trace(second) * np.eye(3) - second
    entries = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
    return Mass(
        float(weights.sum()), tuple(map(float, com + rng.uniform(-size, size, 3))),
        tuple(map(float, entries)),
    )  # fmt: skip


def random_axis(rng):
    """A letter as often as a direction of its own."""
    return str(rng.choice(LETTERS)) if rng.random() < 0.5 else tuple(unit(rng))


def random_joint(kind: str, rng) -> dict:
    """The options of a joint: axes, pitch, free parameters."""
    if kind in ("revolute", "prismatic", "cylindrical", "planar"):
        return {"axis": random_axis(rng)}
    if kind == "helical":
        return {"axis": random_axis(rng), "pitch": float(rng.normal() * 0.3)}
    if kind == "universal":
        R = rotation(rng)
        return {"axes": [tuple(R[:, 0]), tuple(R[:, 1])]}
    if kind == "gimbal":
        return {"free": GIMBALS[rng.integers(len(GIMBALS))]}
    if kind == "general":
        pattern = GENERALS[rng.integers(len(GENERALS))]
        return {"axes": [random_screw(motion, rng) for motion in pattern]}
    return {}


def random_screw(motion: str, rng) -> tuple[float, ...]:
    """A slide, or a turn about a line (every other time a screw), in no special position."""
    if motion == "slide":
        return (0.0, 0.0, 0.0, *unit(rng))
    w, v = unit(rng), rng.normal(size=3) * 0.3
    return (*w, *v) if rng.random() < 0.5 else (*w, *np.cross(v, w))


def random_passive(rng) -> Passive:
    return Passive(
        viscous=float(rng.uniform(0, 1)),
        coulomb=float(rng.uniform(0, 1)),
        static=float(rng.uniform(1, 2)),
        stribeck=0.5,
        smoothing=0.1,
    )


def random_model(
    seed: int,
    joints: tuple[str, ...] | None = None,
    bodies: int = 8,
    *,
    branching: float = 0.35,
    roots: float = 0.1,
    masses: tuple[float, float] = (0.3, 3.0),
    base: str | None = None,
    passive: bool = False,
) -> Model:
    """A tree whose joints are drawn from `joints` (all types if None), with at least one freedom.

    branching: how often a body hangs on any earlier body instead of the last one;
    roots: how often on the world; base: kind of the first joint; masses: range, log-uniform."""
    rng = np.random.default_rng([seed, bodies])
    kinds = joints or KINDS
    builder = Builder(f"random-{seed}", gravity=rng.normal(size=3) * 5.0)
    for k in range(bodies):
        kind = str(rng.choice(kinds))
        if k == 0:
            kind = base or (kind if kind != "fixed" else "revolute")
        parent = f"body{k - 1}" if k else "world"
        if k and rng.random() < branching:
            parent = f"body{rng.integers(k)}"
        if k and rng.random() < roots:
            parent = "world"
        extra = {}
        if passive and kind not in ("fixed", "spherical", "free"):
            extra = {
                "passive": random_passive(rng),
                "rotor": Rotor(float(rng.uniform(0, 0.1)), 3.0),
            }
        mass = random_mass(rng, np.exp(rng.uniform(*np.log(masses))))
        builder.body(f"body{k}", parent, kind, random_pose(rng), mass=mass,
                     joint_name=f"joint{k}", **random_joint(kind, rng), **extra)  # fmt: skip
        if rng.random() < 0.4:
            builder.frame(f"frame{k}", f"body{k}", random_pose(rng))
    builder.frame("tip", f"body{bodies - 1}", random_pose(rng))
    return builder.build()


def right_angles() -> list[np.ndarray]:
    """The 24 rotations by right angles: axes along and against each other."""
    found = []
    for order in itertools.permutations(range(3)):
        for signs in itertools.product((1.0, -1.0), repeat=3):
            R = np.zeros((3, 3))
            R[range(3), order] = signs
            if np.linalg.det(R) > 0.0:
                found.append(R)
    return found


def tilt(axis: int, angle: float) -> np.ndarray:
    """A turn about one axis: the other two rows and columns keep their exact zeros."""
    R, (i, j) = np.eye(3), ((axis + 1) % 3, (axis + 2) % 3)
    R[[i, j], [i, j]] = np.cos(angle)
    R[i, j], R[j, i] = -np.sin(angle), np.sin(angle)
    return R


def structured_pose(rng) -> Pose:
    """Exact right angles, every third time tilted about one axis; offsets with zeros, or none."""
    angles = right_angles()
    R = angles[rng.integers(len(angles))]
    if rng.random() < 0.35:
        R = R @ tilt(int(rng.integers(3)), float(rng.choice([0.5, -0.3, 1.2])))
    offset = rng.choice([0.0, 0.0, 0.3, -0.5, 1.0], 3)
    return Pose(tuple(map(float, offset)), tuple(tuple(map(float, row)) for row in R))


def structured_joint(kind: str, rng) -> dict:
    """As `random_joint`, with axes along and against x, y and z."""
    axis = str(rng.choice(LETTERS))
    if kind in ("revolute", "prismatic", "cylindrical", "planar"):
        return {"axis": axis}
    if kind == "helical":
        return {"axis": axis, "pitch": float(rng.choice([0.25, -1.0]))}
    if kind == "universal":
        R = right_angles()[rng.integers(24)]
        return {"axes": [tuple(R[:, 0]), tuple(R[:, 1])]}
    if kind == "general":
        units = np.concatenate([np.eye(3), -np.eye(3)])
        turn, slide = units[rng.integers(6)], units[rng.integers(6)]
        return {"axes": [(*turn, 0.0, 0.0, 0.0), (0.0, 0.0, 0.0, *slide)]}
    return random_joint(kind, rng)


def structured_model(seed: int, joints: tuple[str, ...] = MOVING, bodies: int = 5) -> Model:
    """A tree in which everything is at right angles: axes along and against each other, coincident
    and parallel frames, zero offsets.  Shortcuts on structure are met here and nowhere else."""
    rng = np.random.default_rng([seed, bodies, 24])
    builder = Builder(f"structured-{seed}", gravity=(0.0, 0.0, -9.81))
    for k in range(bodies):
        parent = "world" if k == 0 else f"body{k - 1 if rng.random() < 0.7 else rng.integers(k)}"
        kind = str(rng.choice(joints))
        builder.body(
            f"body{k}", parent, kind, structured_pose(rng), mass=random_mass(rng),
            joint_name=f"joint{k}", **structured_joint(kind, rng),
        )  # fmt: skip
    builder.frame("tip", f"body{bodies - 1}", structured_pose(rng))
    return builder.build()


def opposed_axes() -> Model:
    """Axes z, y and -y, the last after a pitch of 0.5 rad: turned against each other."""
    builder = Builder("opposed-axes")
    rng = np.random.default_rng(3)
    pitch = Pose((0.3, 0.0, 0.0), tuple(tuple(map(float, row)) for row in tilt(1, 0.5)))
    for name, parent, axis, at in (
        ("base", "world", "z", (0, 0, 0)), ("upper", "base", "y", (0, 0, 0.2)),
        ("fore", "upper", "-y", pitch),
    ):  # fmt: skip
        builder.body(name, parent, "revolute", at, axis=axis, mass=random_mass(rng))
    builder.frame("tip", "fore", (0.3, 0, 0))
    return builder.build()


def random_state(model: Model, seed: int, speed: float = 1.0) -> tuple[np.ndarray, ...]:
    """(q, v, a): angles within ±3 rad, slides within ±1 m, quaternions of unit length.

    The middle turn of a three-turn gimbal stays 0.3 rad off its pole."""
    rng = np.random.default_rng([seed, model.nv])
    q = np.zeros(model.nq)
    for joint, slot in zip(model.joints, model.slots, strict=True):
        if joint.nq > joint.nv:
            here = rng.normal(size=joint.nq)
            here[:4] /= np.linalg.norm(here[:4])
        else:
            here = rng.uniform(-1, 1, joint.nq) * [3.0 if u == "rad" else 1.0 for u in joint.units]
            if {"rx", "ry", "rz"} <= set(joint.coordinates):
                here[1] *= 1.25 / 3.0
        q[slot.q] = here
    return q, speed * rng.normal(size=model.nv), speed * rng.normal(size=model.nv)


def single(kind: str, seed: int = 0, **options) -> Model:
    """One body on one joint of the given kind, between offset frames."""
    rng = np.random.default_rng(seed)
    builder = Builder(f"single-{kind}")
    builder.body("body", "world", kind, random_pose(rng), mass=random_mass(rng),
                 joint_name="joint", **(options or random_joint(kind, rng)))  # fmt: skip
    builder.frame("tip", "body", random_pose(rng))
    return builder.build()


def planar_arm(links: int = 3) -> Model:
    """Parallel axes: stretched out at q = 0, where its Jacobian loses rank."""
    builder = Builder(f"planar-arm-{links}")
    for k in range(links):
        parent, at = ("world", (0, 0, 0)) if k == 0 else (f"link{k - 1}", (1.0, 0, 0))
        mass = Mass(1.0 + k, (0.5, 0.02, -0.03), (0.02, 0.1, 0.11, 0.004, 0.002, 0.001))
        builder.body(f"link{k}", parent, "revolute", at, axis="y", mass=mass)
    builder.frame("tip", f"link{links - 1}", (1.0, 0, 0))
    return builder.build()


def wrist_gimbal() -> Model:
    """Three turns and a slide in one joint at the end of an arm: singular at ry = 90 degrees."""
    rng = np.random.default_rng(11)
    builder = Builder("wrist-gimbal")
    builder.body("arm", "world", "revolute", random_pose(rng), axis="z", mass=random_mass(rng))
    builder.body("hand", "arm", "gimbal", random_pose(rng), mass=random_mass(rng),
                 free=("rx", "ry", "rz", "dz"))  # fmt: skip
    builder.frame("tip", "hand", random_pose(rng))
    return builder.build()


@cache
def all_models() -> list[tuple[str, Model]]:
    """(name, model): everything the laws must hold for, none larger than about 20 freedoms."""
    models = [(f"single-{kind}", single(kind)) for kind in MOVING]
    every = ("rx", "ry", "rz", "dx", "dy", "dz")
    models += [
        ("gimbal-all", single("gimbal", 1, free=every)),
        ("gimbal-two-turns-two-slides", single("gimbal", 2, free=("rx", "rz", "dx", "dz"))),
        ("general-six", single("general", 3, axes=six_screws())),
        ("planar-arm", planar_arm()),
        ("wrist-gimbal", wrist_gimbal()),
        ("revolute-chain", random_model(1, ("revolute",), 7, branching=0, roots=0)),
        ("slide-chain", random_model(2, ("prismatic", "revolute"), 6, branching=0, roots=0)),
        ("ball-chain", random_model(3, ("spherical",), 4, branching=0, roots=0)),
        ("screw-tree", random_model(4, ("helical", "cylindrical"), 6)),
        ("floating-tree", random_model(5, ("revolute", "fixed"), 9, base="free", roots=0)),
        ("floating-hands", random_model(6, ("universal", "planar"), 5, base="free", roots=0)),
        ("gimbal-tree", random_model(7, ("gimbal",), 5)),
        ("general-tree", random_model(8, ("general", "fixed"), 6)),
        ("two-free-bodies", random_model(9, ("free",), 2, branching=0, roots=1)),
        ("heavy-and-light", random_model(10, ("revolute", "prismatic"), 6, masses=(1e-3, 1e3))),
        ("welded", random_model(11, ("fixed", "fixed", "revolute"), 10)),
        *((f"mixed-{seed}", random_model(seed, bodies=7)) for seed in range(20, 26)),
        ("opposed-axes", opposed_axes()),
        ("right-angled-arm", structured_model(1, ("revolute",), 7)),
        ("right-angled-gantry", structured_model(2, ("prismatic", "revolute"), 6)),
        *((f"right-angled-{seed}", structured_model(seed)) for seed in range(3, 7)),
    ]
    return models


@cache
def mechanisms(tier: int = 1) -> dict[str, am.Mechanism]:
    """The same, ready to be asked.  Loop kernels (tier 1) are compiled once for all of them."""
    options = CompileOptions(tier=tier)
    return {name: am.Mechanism(model, options) for name, model in all_models()}


def six_screws() -> list[tuple[float, ...]]:
    rng = np.random.default_rng(6)
    screws = [(*(w := unit(rng)), *np.cross(rng.normal(size=3), w)) for _ in range(3)]
    return screws + [(0.0, 0.0, 0.0, *unit(rng)) for _ in range(3)]


def near_singular_states() -> list[tuple[str, Model, np.ndarray, np.ndarray, np.ndarray]]:
    """(name, model, q, v, a) close to or at places where something loses rank or precision."""
    cases = []

    def case(name, model, q, seed=0):
        _, v, a = random_state(model, seed)
        cases.append((name, model, np.asarray(q, float), v, a))

    arm, wrist = planar_arm(), wrist_gimbal()
    case("stretched", arm, [0.3, 0.0, 0.0])
    case("nearly stretched", arm, [0.3, 1e-9, -1e-9])
    case("folded", arm, [0.3, np.pi, -np.pi])
    case("many turns", arm, [1e4, -3e5, 2e6])
    case("near the pole", wrist, [0.4, 0.2, np.pi / 2 - 1e-5, -0.3, 0.1])
    ball = single("spherical")
    case("identity", ball, [1, 0, 0, 0])
    case("half turn", ball, [0, 0.6, 0, 0.8])
    case("nearly identity", ball, [1, 1e-10, -1e-10, 1e-12])
    case("minus identity", single("free"), [-1, 0, 0, 0, 100.0, -50.0, 3.0])
    return cases
