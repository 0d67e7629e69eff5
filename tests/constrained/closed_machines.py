"""Mechanisms that are closed by construction, in no special position.

`closed_tree`: a random tree; constraints are fitted to one of its configurations.  `Graph`: bodies
and joints in the world, of which any spanning tree can be made, in any unit."""

from dataclasses import dataclass, field

import numpy as np

import armillary as am
from armillary.model import Coupling, Frame, Mass, Pose, Wheel
from armillary.model.joints import joint_spec
from oracles.direct import Direct, joint_pose, joint_sizes, pose_matrix
from samples import (
    GIMBALS,
    random_joint,
    random_mass,
    random_model,
    random_pose,
    random_state,
    rotation,
    unit,
)

LOOPS: dict[str, dict] = {
    "fixed": {"kind": "fixed"},
    **{kind: {"kind": kind} for kind in ("revolute", "prismatic", "helical", "cylindrical")},
    **{kind: {"kind": kind} for kind in ("planar", "spherical", "universal", "general")},
    **{"gimbal-" + "-".join(free): {"kind": "gimbal", "free": free}
       for free in (*GIMBALS, ("rz",), ("dx", "dz"), ("ry", "rz"), ("rx", "ry", "dx", "dz"), ())},
}  # fmt: skip
CONTACTS = (("dx",), ("rx", "ry", "dz"), ("rx", "dy"), ("rx", "ry", "rz", "dx", "dy", "dz"),
            ("rz",), ("rx", "rz"))  # fmt: skip
OTHERS = ("distance", "plane", "sphere", "cylinder", "contact", "disc", "ball", "knife",
          "disc-on-body", "coupling", "drive")  # fmt: skip


def as_pose(H) -> Pose:
    return Pose(tuple(float(x) for x in H[:3, 3]),
                tuple(tuple(float(x) for x in row) for row in H[:3, :3]))  # fmt: skip


def inverse(H) -> np.ndarray:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = H[:3, :3].T, -H[:3, :3].T @ H[:3, 3]
    return result


def random_matrix(rng, reach: float = 0.5) -> np.ndarray:
    return pose_matrix(random_pose(rng, reach))


class Closing:
    """Adds constraints to a tree so that they hold at the configuration q."""

    def __init__(self, model, q, rng):
        self.model, self.q, self.rng = model, q, rng
        self.builder = am.Builder(model.name, gravity=model.gravity)
        for body in model.bodies:
            self.builder.add(body)
        self.names = [body.name for body in model.bodies]
        self.poses = dict(zip(self.names, Direct(model).poses(q), strict=True))
        self.poses["world"] = np.eye(4)
        self.places = {}  # of general joints, which become joints of the tree
        self.count = 0

    def two(self) -> tuple[str, str]:
        """Two places that are not on one body, the first perhaps the world."""
        groups = self._welded()
        while True:
            one, two = self.rng.choice(["world", *self.names], 2, replace=False)
            if groups[one] != groups[two]:
                return str(one), str(two)

    def _welded(self) -> dict[str, str]:
        groups = {"world": "world"}
        for body in self.model.bodies:
            still = body.joint.kind == "fixed"
            groups[body.name] = groups[body.parent] if still else body.name
        return groups

    def frames(self, relative) -> tuple[Frame, Frame]:
        """Frames on two bodies, the second at `relative` in the first."""
        one, two = self.two()
        F1 = random_matrix(self.rng)
        F2 = inverse(self.poses[two]) @ self.poses[one] @ F1 @ relative
        return Frame("first", one, as_pose(F1)), Frame("second", two, as_pose(F2))

    def add(self, what: str) -> str:
        self.count += 1
        name = f"{what}{self.count}"
        if what in LOOPS:
            self.loop(name, **LOOPS[what])
        elif what in ("disc", "ball", "knife", "disc-on-body"):
            self.wheel(name, what)
        else:
            getattr(self, what if hasattr(self, what) else "surface")(name)
        return name

    def loop(self, name, kind, **options):
        if not options:
            options = random_joint(kind, self.rng)
        spec = joint_spec(kind, name=name, **options)
        nq = joint_sizes(spec)[0]
        place = self.rng.uniform(-1, 1, nq)
        if kind == "spherical":
            place = self.rng.normal(size=4)
        if kind == "general":
            self.places[name] = place
        self.builder.loop(name, *self.frames(joint_pose(spec, place)), spec)

    def distance(self, name):
        H = random_matrix(self.rng)
        self.builder.distance(name, *self.frames(H), float(np.linalg.norm(H[:3, 3])))

    def surface(self, name):
        shape, H = name.rstrip("0123456789"), random_matrix(self.rng)
        if shape == "plane":
            H[2, 3] = 0.0
        radius = {"plane": 0.0, "sphere": np.linalg.norm(H[:3, 3]),
                  "cylinder": np.linalg.norm(H[:2, 3])}[shape]  # fmt: skip
        self.builder.surface(name, *self.frames(H), shape, float(radius))

    def contact(self, name):
        constrained = CONTACTS[self.rng.integers(len(CONTACTS))]
        turns = [d for d in ("rx", "ry", "rz") if d in constrained]
        H = random_matrix(self.rng)
        if len(turns) == 3:
            H[:3, :3] = np.eye(3)
        if len(turns) == 2:
            (free,) = {"rx", "ry", "rz"} - set(turns)
            H[:3, :3] = joint_pose(joint_spec("gimbal", free=(free,)), [0.7])[:3, :3]
        for k, d in enumerate(("dx", "dy", "dz")):
            if d in constrained:
                H[k, 3] = 0.0
        force = {d: 2.0 for d in ("dx", "dy") if d not in constrained}
        self.builder.contact(name, *self.frames(H), constrained, force=force)

    def wheel(self, name, what):
        ground, body = self.two()
        while body == "world" or (ground == "world") == (what == "disc-on-body"):
            ground, body = self.two()
        kind = {"ball": "sphere", "knife": "knife"}.get(what, "disc")
        axis, normal, center = unit(self.rng), unit(self.rng), self.rng.normal(size=3)
        H = inverse(self.poses[ground]) @ self.poses[body]
        a = H[:3, :3] @ axis
        drop = {"disc": np.sqrt(1 - (a @ normal) ** 2), "sphere": 1.0, "knife": 0.0}[kind]
        height = normal @ (H @ np.append(center, 1.0))[:3] - 0.3 * drop
        self.builder.wheel(Wheel(name, body, 0.3, tuple(axis), tuple(center), tuple(normal),
                                 float(height), kind, ground=ground))  # fmt: skip

    def _scalar(self) -> list[int]:
        """Entries of v with a coordinate in q."""
        return [s.v.start + k for j, s in zip(self.model.joints, self.model.slots, strict=True)
                if j.nq == j.nv for k in range(j.nv)]  # fmt: skip

    def _q(self, v: int) -> float:
        for slot in self.model.slots:
            if slot.v.start <= v < slot.v.stop:
                return float(self.q[slot.q.start + v - slot.v.start])
        raise IndexError(v)

    def coupling(self, name):
        i, j = self.rng.choice(self._scalar(), 2, replace=False)
        labels = self.model.v_labels
        offset = self._q(i) - 1.7 * self._q(j)
        self.builder.coupling(Coupling(name, labels[i], labels[j], 1.7, offset))

    def drive(self, name):
        i = self.rng.choice(self._scalar())
        self.builder.prescribe(name, self.model.v_labels[i], 0.3, 0.1, self._q(i))


def closed_tree(seed: int, constraints, bodies: int = 9, **options):
    """(mechanism, q): a random tree (see samples.random_model) closed at q."""
    model = random_model(seed, bodies=bodies, **options)
    q = random_state(model, seed)[0]
    closing = Closing(model, q, np.random.default_rng([seed, 77]))
    for what in constraints:
        closing.add(what)
    mechanism = closing.builder.build()
    places = closing.places | {
        b.joint.name: q[s.q] for b, s in zip(model.bodies, model.slots, strict=True)
    }
    return mechanism, np.concatenate([places[b.joint.name] for b in mechanism.model.bodies])


def allowed(mechanism, q, seed: int = 0) -> np.ndarray:
    """A velocity that all rows allow, by the singular value decomposition of J."""
    rng = np.random.default_rng([seed, mechanism.nv])
    J = mechanism.constraint_jacobian(q)
    v = rng.normal(size=mechanism.nv)
    target = -mechanism.constraint_rate(q, np.zeros(mechanism.nv))
    return v + np.linalg.pinv(J, rcond=1e-10) @ (target - J @ v)


# ---------------------------------------------------------------- graphs


@dataclass
class Link:
    """A joint between two bodies: its frame in the world at the configuration of the graph."""

    name: str
    one: str
    two: str
    kind: str
    H: np.ndarray
    options: dict = field(default_factory=dict)


@dataclass
class Graph:
    """Bodies with mass properties in the world, and the joints between them."""

    bodies: dict[str, Mass]  # com and tensor in world axes, at the world's origin
    links: list[Link]
    gravity: tuple = (0.3, -1.0, -9.0)

    def build(self, cut: tuple[str, ...], length: float = 1.0, mass: float = 1.0):
        """The mechanism with the named joints as loops: its neutral place is the configuration.

        length, mass: how many of the new units make up one of the old."""
        b = am.Builder("graph", gravity=tuple(length * x for x in self.gravity))
        frames, rest = {"world": np.eye(4)}, [x for x in self.links if x.name not in cut]
        while rest:
            link = next(x for x in rest if (x.one in frames) != (x.two in frames))
            rest.remove(link)
            parent, child = (link.one, link.two) if link.one in frames else (link.two, link.one)
            frames[child] = link.H
            at = inverse(frames[parent]) @ link.H
            b.body(child, parent, link.kind, scaled(at, length), joint_name=link.name,
                   mass=self.mass(child, link.H, length, mass), **link.options)  # fmt: skip
        for link in self.links:
            if link.name in cut:
                ends = [Frame(body, body, scaled(inverse(frames[body]) @ link.H, length))
                        for body in (link.one, link.two)]  # fmt: skip
                b.loop(link.name, *ends, link.kind, **link.options)
        for body, H in frames.items():
            if body != "world":
                b.frame(f"{body}-W", body, scaled(inverse(H), length))
        return b.build()

    def mass(self, body, H, length, mass) -> Mass:
        m = self.bodies[body]
        if m.mass == 0.0:
            return m
        R = H[:3, :3]
        xx, yy, zz, xy, xz, yz = m.tensor
        I = R.T @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ R
        com = (inverse(H) @ np.append(m.com, 1.0))[:3]
        tensor = (I[0, 0], I[1, 1], I[2, 2], I[0, 1], I[0, 2], I[1, 2])
        return Mass(mass * m.mass, tuple(float(length * x) for x in com),
                    tuple(float(mass * length**2 * x) for x in tensor))  # fmt: skip


def scaled(H, length: float) -> Pose:
    H = H.copy()
    H[:3, 3] *= length
    return as_pose(H)


def frame_at(point, z, rng) -> np.ndarray:
    """A frame with the given z axis, turned about it at random."""
    z = np.asarray(z, float) / np.linalg.norm(z)
    x = np.cross(z, rng.normal(size=3))
    x /= np.linalg.norm(x)
    H = np.eye(4)
    H[:3, :3], H[:3, 3] = np.array([x, np.cross(z, x), z]).T, point
    return H


def placed_mass(rng, around, size=0.1, mass=1.0) -> Mass:
    m = random_mass(rng, mass, size)
    return Mass(m.mass, tuple(float(x) for x in np.add(m.com, around)), m.tensor)


def four_bar_graph(seed: int = 0, kinds=("revolute",) * 4, tilt: bool = True, mass=(1.0, 1.0, 1.0)):
    """A planar four-bar in a plane of no special direction, joints spread along their axes."""
    rng = np.random.default_rng(seed)
    R = rotation(rng) if tilt else np.eye(3)
    points = np.array([[0.0, 0, 0.1], [0.2, 0.35, -0.1], [0.9, 0.5, 0.05], [0.8, 0, 0.0]]) @ R.T
    points += rng.uniform(-0.3, 0.3, 3) if tilt else 0.0
    names = ["world", "crank", "coupler", "rocker", "world"]
    links = [Link(f"pin{k}", names[k], names[k + 1], kinds[k], frame_at(points[k], R[:, 2], rng),
                  {} if kinds[k] == "spherical" else {"axis": "z"})
             for k in range(4)]  # fmt: skip
    bodies = {name: placed_mass(rng, points[k : k + 2].mean(axis=0), mass=mass[k])
              for k, name in enumerate(names[1:4])}  # fmt: skip
    return Graph(bodies, links)


def uneven_ladder(windows: int, seed: int = 0) -> am.Mechanism:
    """Rods of different lengths side by side, each tied to the next: one degree of freedom,
    closed where all rods stand upright."""
    rng = np.random.default_rng(seed)
    lengths = rng.uniform(0.8, 1.2, windows + 1)
    b = am.Builder("uneven ladder")
    for k, length in enumerate(lengths.tolist()):
        own = {"axis": "y", "mass": rng.uniform(0.5, 2.0), "inertia": (0.02, 0.1, 0.1)}
        b.body(f"rod{k}", joint="revolute", at=(float(k), 0.0, 0.0), com=(0.0, 0.0, 0.4), **own)
        if k:
            rise = float(length - lengths[k - 1])
            bar, end = f"bar{k}", am.Frame(f"end{k}", f"bar{k}", Pose((1.0, 0.0, rise)))
            top = (0.0, 0.0, float(lengths[k - 1]))
            b.body(bar, f"rod{k - 1}", "revolute", top, com=(0.5, 0.0, 0.0), **own)
            tip = am.Frame(f"tip{k}", f"rod{k}", Pose((0.0, 0.0, length)))
            b.loop(f"pin{k}", end, tip, "revolute", axis="y")
    return b.build()
