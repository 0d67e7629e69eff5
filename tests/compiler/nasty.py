"""Trees that are hard on the compiler: every joint type and friction law, welds, a moving base."""

from functools import cache

import numpy as np

import armillary as am
from armillary.algorithms.passes import Algorithm
from armillary.algorithms.tree import (
    coriolis,
    derivatives,
    energy,
    forward_dynamics,
    inverse_dynamics,
    kinematics,
    mass_matrix,
    operational,
)
from armillary.algorithms.tree.regressor import regressor
from armillary.evaluate.program import Program
from armillary.evaluate.request import CompileOptions
from armillary.model import Builder, Model, Passive, Rotor
from armillary.scalar import tanh, where
from samples import random_joint, random_mass, random_pose, random_state


def own_law(x, v):
    """A person's own friction: quadratic drag, and a stop that pushes back beyond 1 rad."""
    return 0.3 * v * where(v < 0, -v, v) + where(x > 1.0, 5.0 * (x - 1.0), 0.0) + 0.1 * tanh(3 * x)


LAWS = {
    "stribeck": Passive(viscous=0.3, coulomb=0.5, static=0.9, stribeck=0.2),
    "tanh": Passive(coulomb=0.4, static=0.7, stribeck=0.3, smoothing=0.05),
    "table": Passive(viscous=0.1, table=((-1.0, -0.8), (-0.1, -0.2), (0.1, 0.2), (2.0, 1.0))),
    "own": Passive(law=own_law),
    "spring": Passive(viscous=0.2, spring=7.0, rest=0.3),
}


def tree(name: str, seed: int, parts: list[tuple], moving: bool = False) -> Model:
    """parts: (joint type, number of the parent or -1, friction law or "", rotor)."""
    rng = np.random.default_rng(seed)
    builder = Builder(name, gravity=(1.5, -2.5, -9.0))
    for k, (kind, parent, law, rotor) in enumerate(parts):
        extra = {}
        if law:
            extra["passive"] = LAWS[law]
        if rotor:
            extra["rotor"] = Rotor(0.02 + 0.01 * k, 4.0)
        builder.body(f"body{k}", f"body{parent}" if parent >= 0 else "world", kind,
                     random_pose(rng), mass=random_mass(rng), joint_name=f"joint{k}",
                     **random_joint(kind, rng), **extra)  # fmt: skip
    builder.frame("tip", f"body{len(parts) - 1}", random_pose(rng))
    builder.frame("side", f"body{len(parts) // 2}", random_pose(rng))
    if moving:
        builder.base_velocity = (0.3, -0.2, 0.5, 0.4, 0.1, -0.3)
        builder.base_acceleration = (-0.6, 0.2, 0.1, 0.9, -0.5, 0.7)
    return builder.build()


@cache
def models() -> dict[str, Model]:
    """Between them every joint type, as a root and further out, with and without friction."""
    return {
        # two trees side by side, on a base that moves
        "limbs": tree("limbs", 1, [
            ("revolute", -1, "stribeck", True), ("fixed", 0, "", False),
            ("universal", 1, "tanh", False), ("prismatic", 2, "table", True),
            ("fixed", 3, "", False), ("helical", 0, "own", False),
            ("planar", -1, "spring", False), ("revolute", 6, "", False),
        ], moving=True),
        # quaternions, joints of many axes, welds on the ground
        "floater": tree("floater", 2, [
            ("fixed", -1, "", False), ("free", 0, "", False), ("spherical", 1, "", False),
            ("gimbal", 2, "tanh", True), ("cylindrical", 1, "spring", False),
            ("general", 4, "stribeck", False), ("revolute", 1, "", False),
        ]),
        # small enough for straight-line code of everything
        "wrist": tree("wrist", 3, [
            ("prismatic", -1, "spring", True), ("universal", 0, "own", False),
            ("fixed", 1, "", False), ("revolute", 1, "tanh", True),
        ], moving=True),
        "ball": tree("ball", 4, [("spherical", -1, "", False), ("revolute", 0, "table", False)]),
    }  # fmt: skip


@cache
def mechanism(name: str, tier: int) -> am.Mechanism:
    return am.Mechanism(models()[name], CompileOptions(tier=tier))


ALGORITHMS: dict[str, Algorithm] = {
    algorithm.name: algorithm
    for algorithm in (
        inverse_dynamics.inverse_dynamics, inverse_dynamics.bias_forces,
        inverse_dynamics.static_forces, inverse_dynamics.body_forces,
        forward_dynamics.forward_dynamics, mass_matrix.mass_matrix, coriolis.coriolis_matrix,
        energy.energy, energy.momentum, energy.momentum_matrix, energy.center_of_mass,
        energy.center_of_mass_jacobian,
        kinematics.poses, kinematics.frame_pose,
        *(kinematics.frame_motion(c, kind) for c in kinematics.COORDINATES
          for kind in ("classical", "spatial")),
        *(kinematics.frame_velocity(c) for c in kinematics.COORDINATES),
        *(kinematics.jacobian(c) for c in kinematics.COORDINATES),
        *(kinematics.jacobian_dot(c) for c in kinematics.COORDINATES),
        *(operational.operational_inertia(c) for c in kinematics.COORDINATES),
        derivatives.inverse_dynamics_derivatives, derivatives.forward_dynamics_derivatives,
        regressor,
    )
}  # fmt: skip
# bodies of their own for every result: welds are not fused
UNFUSED = ("body_forces", "poses", "regressor")
FRAMED = tuple(n for n in ALGORITHMS if n.startswith(("frame", "jacobian", "operational")))


def states(model: Model, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Batches of q, v, a, tau and a wrench."""
    rows = [random_state(model, 100 * seed + k) for k in range(count)]
    q, v, a = (np.array(x).reshape(count, -1) for x in zip(*rows, strict=True))
    rng = np.random.default_rng(seed)
    return {"q": q, "v": v, "a": a, "tau": rng.normal(size=a.shape) * 3.0,
            "wrench": rng.normal(size=(count, 6)) * 2.0}  # fmt: skip


class Case:
    """One algorithm on one mechanism, asked in every way."""

    def __init__(self, name: str, algorithm: str, passive: bool = True):
        self.model, self.algorithm = models()[name], ALGORITHMS[algorithm]
        self.name, self.passive = name, passive
        self.fuse = algorithm not in UNFUSED
        self.frame = "tip" if algorithm in FRAMED else None

    def inputs(self, count: int, seed: int = 0) -> dict[str, np.ndarray]:
        """What the algorithm reads, (count, n) each; a wrench acts on the frame "side"."""
        batch, mech = states(self.model, count, seed), mechanism(self.name, 1)
        wrench = {"side": (batch["wrench"], False)}
        tables = mech.evaluator.tables(self.fuse, self.passive)
        batch["external"] = mech.evaluator.external_rows(wrench, count, tables)
        return {name: batch[name] for name in self.algorithm.reads}

    def kernels(self, tier: int) -> Program:
        mech = mechanism(self.name, tier)
        return mech.evaluator.kernels_of(
            self.algorithm, self.algorithm.reads, self.fuse, self.passive
        )

    def compiled(self, tier: int, inputs: dict, dtype=np.float64, rows: int = 0) -> dict:
        """Results (rows, ...); an input of one row goes with all."""
        mech, spot = mechanism(self.name, tier), None
        if self.frame is not None:
            place = mech.evaluator.place(self.frame, self.fuse)
            spot = (place.kernel, place.numbers())
        rows = rows or len(inputs["q"])
        return self.kernels(tier)(inputs, rows, mech.evaluator.base_numbers, spot, dtype)

    def interpreted(self, inputs: dict) -> dict[str, np.ndarray]:
        """Row by row, in plain Python."""
        mech = mechanism(self.name, 1)
        results: dict[str, list] = {name: [] for name in self.algorithm.writes}
        for k in range(len(inputs["q"])):
            row = {name: array[k].tolist() for name, array in inputs.items()}
            run = mech.interpret(
                self.algorithm, row, frame=self.frame, passive=self.passive, fuse=self.fuse
            )
            for name in results:
                results[name].append(np.array(run.result(name), float))
        return {name: np.array(values) for name, values in results.items()}
