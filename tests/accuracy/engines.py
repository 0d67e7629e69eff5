"""Other engines, asked for the same answers as the page is made; and 50 digits."""

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from xml.etree import ElementTree

import mpmath
import mujoco
import numpy as np

import armillary as am
from accuracy.comparison import Comparison
from armillary.algorithms.tree import forward_dynamics, inverse_dynamics
from oracles.exudyn_corner import EXUDYN, fallen_corner
from oracles.pinocchio_model import pin_from_urdf
from robots import robot

FIXED = ("ur5", "panda", "kinova", "allegro")
FLOATING = ("solo12", "anymal", "talos", "g1")


@cache
def loaded(name: str, base: str) -> am.Mechanism:
    """The tree: mimic joints, which the others do not couple either, are joints here."""
    return am.load(robot(name), base=base).tree


def states(m: am.Mechanism, count: int = 5):
    """Random q, v, a."""
    rng = np.random.default_rng(7)
    for _ in range(count):
        q = m.integrate(m.neutral(), rng.uniform(-1.2, 1.2, m.nv))
        yield q, rng.normal(size=m.nv), rng.normal(size=m.nv)


def pinocchio(question: str):
    """Every robot at five states; numbers of a robot over its largest."""

    def run():
        ours, theirs = [], []
        for name in (*FIXED, *FLOATING):
            base = "fixed" if name in FIXED else "free"
            m = loaded(name, base)
            other = pin_from_urdf(robot(name), base, m.model)
            for q, v, a in states(m):
                if question == "inverse":
                    pair = (m.inverse_dynamics(q, v, a, passive=False),
                            other.inverse_dynamics(q, v, a, {}))  # fmt: skip
                elif question == "mass":
                    pair = m.mass_matrix(q, passive=False), other.mass_matrix(q)
                else:
                    tau = other.inverse_dynamics(q, v, a, {})
                    pair = (m.forward_dynamics(q, v, tau, passive=False),
                            other.forward_dynamics(q, v, tau, {}))  # fmt: skip
                size = np.abs(pair[1]).max()
                ours.append(np.ravel(pair[0]) / size)
                theirs.append(np.ravel(pair[1]) / size)
        return np.concatenate(ours), np.concatenate(theirs)

    return run


def mujoco_model(path: Path):
    """MuJoCo's own reading of a URDF, without its pictures: their files are not needed."""
    tree = ElementTree.parse(path)
    for link in tree.getroot().iter("link"):
        for part in [*link.findall("visual"), *link.findall("collision")]:
            link.remove(part)
    with TemporaryDirectory() as folder:
        bare = Path(folder) / "robot.urdf"
        tree.write(bare)
        return mujoco.MjModel.from_xml_path(str(bare))


def mujoco_forces(question: str):
    """Arms on a fixed base at five states, joints matched by name."""

    def run():
        ours, theirs = [], []
        for name in ("ur5", "panda", "kinova"):
            m = loaded(name, "fixed")
            other = mujoco_model(robot(name))
            data = mujoco.MjData(other)
            places = [m.v_labels.index(other.joint(k).name) for k in range(other.nv)]
            for q, v, _ in states(m):
                data.qpos[:], data.qvel[:] = q[places], v[places]
                mujoco.mj_forward(other, data)
                M = np.zeros((other.nv, other.nv))
                mujoco.mj_fullM(other, data, M)
                mine, others = m.bias_forces(q, v, passive=False)[places], data.qfrc_bias
                if question == "mass":
                    mine, others = m.mass_matrix(q, passive=False)[np.ix_(places, places)], M
                size = np.abs(others).max()
                ours.append(np.ravel(mine) / size)
                theirs.append(np.ravel(others) / size)
        return np.concatenate(ours), np.concatenate(theirs)

    return run


def many_digits(question: str):
    """Compiled answers of double precision, and the algorithm interpreted in 50 digits."""
    algorithms = {
        "inverse": (inverse_dynamics.inverse_dynamics, "tau", ("q", "v", "a")),
        "forward": (forward_dynamics.forward_dynamics, "a", ("q", "v", "tau")),
    }

    def run():
        m = loaded("panda", "fixed")
        algorithm, result, names = algorithms[question]
        call = m.inverse_dynamics if question == "inverse" else m.forward_dynamics
        ours, theirs = [], []
        for q, v, x in states(m, 2):
            with mpmath.workdps(50):
                given = zip(names, (q, v, x), strict=True)
                inputs = {name: [mpmath.mpf(float(y)) for y in row] for name, row in given}
                theirs += [
                    float(y) for y in m.evaluator.interpret(algorithm, inputs).result(result)
                ]
            ours += list(call(q, v, x))
        return np.array(ours), np.array(theirs)

    return run


PIN = "Pinocchio, live, from the same URDF"
MUJOCO = "MuJoCo, live, from the same URDF"
EVERY = "8 robots (arms, hand, quadrupeds, humanoids)"
ENGINES = [
    Comparison("Other engines", f"{EVERY}: inverse dynamics", PIN, 14, pinocchio("inverse")),
    Comparison("Other engines", f"{EVERY}: mass matrix", PIN, 14, pinocchio("mass")),
    Comparison("Other engines", f"{EVERY}: forward dynamics", PIN, 11, pinocchio("forward")),
    Comparison("Other engines", "UR5, Panda, Kinova: mass matrix", MUJOCO, 14,
               mujoco_forces("mass")),
    Comparison("Other engines", "UR5, Panda, Kinova: bias forces", MUJOCO, 14,
               mujoco_forces("bias")),
    Comparison("Other engines", "corner of a car (double wishbone, wheel at 100 rad/s) that falls, "
               "0.3 s (rk4): place of the wheel", "Exudyn 1.13.6, two step sizes, extrapolated", 8,
               lambda: (fallen_corner()[:, 1:4], EXUDYN[:, 1:4])),
    Comparison("50 digits", "Panda: inverse dynamics, compiled",
               "the algorithm interpreted with mpmath, 50 digits", 14, many_digits("inverse")),
    Comparison("50 digits", "Panda: forward dynamics, compiled",
               "the algorithm interpreted with mpmath, 50 digits", 13, many_digits("forward")),
]  # fmt: skip
