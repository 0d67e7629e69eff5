"""What a living page carries: the functions of a run as WebAssembly, a start, and proofs.

The loop over time in client/src/engine.ts is that of runtime/time_loop.py over one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from armillary.codegen.wasm import Kernel, module
from armillary.errors import CompileError, InputError
from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.evaluate.named_states import State
from armillary.graph.evaluate import evaluate
from armillary.graph.function import FunctionGraph
from armillary.mechanism.function_graph import trace
from armillary.mechanism.mechanism import Mechanism
from armillary.runtime.time_context import Policy
from armillary.sim.control.open_targets import OpenTargets, SetPoint
from armillary.sim.loop.run_graphs import graphs_of_run
from armillary.sim.loop.simulate import simulate
from armillary.sim.methods.system import System
from armillary.sim.methods.tableaux import EXPLICIT
from armillary.sim.record.run import Run
from armillary.viewer.pack import encoded

FORMAT = "armillary.living/1"
METHODS = (*(name for name, table in EXPLICIT.items() if not table.error), "semi-implicit")
_CHECKED = (1, 20)  # steps after which the page must be where the library is
_SPARE = 200  # arrays of a state that the loop of the page may have


@dataclass(frozen=True)
class Living:
    """What is simulated: mechanism, controllers and actuators, start, method and step (s)."""

    mechanism: Mechanism
    q0: State | None
    v0: State | None
    controller: object
    actuators: object
    method: str
    step: float

    def data(self) -> tuple[dict[str, object], Array]:
        """The data of the page, plain lists and numbers, and q at the start.  InputError: it
        cannot go into a page."""
        self._refuse()
        graphs = self._graphs()
        kernels = [Kernel(role, graph.inputs, graph.roots()) for role, graph in graphs.items()]
        run = self._run()
        q, v = run.q[0], run.v[0]
        system = System(self.mechanism, self.controller, self.actuators)
        sizes = {"q": self.mechanism.nq, "v": self.mechanism.nv, "z": system.nz}
        memory = sum(sum(k.inputs.values()) + len(k.roots) for k in kernels)
        memory += _SPARE * (sum(sizes.values()) + 1)
        self._refuse_doubt(graphs["dynamics"], q, v)
        try:
            code = module(kernels, 8 * memory)
        except CompileError as fault:
            raise InputError(f"page: {fault}") from fault
        points = OpenTargets(self.mechanism, self.controller).points
        found = {
            "format": FORMAT,
            "wasm": encoded(code),
            "kernels": {k.name: list(k.inputs.items()) for k in kernels},
            "results": {k.name: len(k.roots) for k in kernels},
            "sizes": sizes,
            "step": self.step,
            "method": self._method(),
            "policy": asdict(Policy()),
            "start": {"q": q.tolist(), "v": v.tolist(), "z": system.start(0.0, q, v).tolist()},
            "targets": [_slider(point, self.mechanism) for point in points],
            "labels": list(self.mechanism.q_labels),
            "units": list(self.mechanism.q_units),
            "pulls": self._pulls(q),
            "checks": self._checks(run),
        }
        return found, q

    # -- what cannot go into a page --------------------------------------------------------------

    def _refuse(self) -> None:
        if self.method not in METHODS:
            raise InputError(
                f"method: a page steps with one of {', '.join(METHODS)}; found {self.method!r}."
            )
        if not (np.isfinite(self.step) and self.step > 0.0):
            raise InputError(f"step: expected a number of seconds above 0, found {self.step!r}.")
        model = self.mechanism.model
        if model.load_dependent_joints:
            names = ", ".join(f"'{name}'" for name in model.load_dependent_joints)
            raise _cannot(
                f"friction that depends on the load of joints: {names}", "Passive(coulomb=...)"
            )
        touching = [c.name for c in model.contacts if c.normals or c.friction]
        if touching:
            names = ", ".join(f"'{name}'" for name in touching)
            raise _cannot(f"contacts that open or rub: {names}", "ideal contacts")
        sampled = System(self.mechanism, self.controller, self.actuators).chain.sampled
        if sampled:
            names = ", ".join(type(stage.block).__name__ for stage in sampled)
            raise _cannot(f"sampled controllers: {names}", "a controller without period=")

    def _graphs(self) -> dict[str, FunctionGraph]:
        """By role, with the poses of all bodies."""
        try:
            found = graphs_of_run(
                self.mechanism, self.controller, self.actuators, external=True, targets=True
            )
        except NotNative as reason:
            raise InputError(
                f"page: '{self.mechanism.name}' cannot go into a page as it is ({reason}). Pages "
                "take controllers over scalars (PID, computed torque, ...) and constraints without "
                "the null-space method; run.animate shows every run."
            ) from reason
        poses = trace(self.mechanism, "poses")
        outputs = {result.name: nodes for result, _, nodes in poses.results}
        found["poses"] = FunctionGraph({"q": self.mechanism.nq}, outputs)
        return found

    def _refuse_doubt(self, dynamics: FunctionGraph, q: Array, v: Array) -> None:
        """The code of the page must know the answer at the start."""
        given = {"q": q, "v": v}
        values = evaluate(
            dynamics.roots(),
            lambda at: float(given[at[0]][at[1]]) if at[0] in given else 0.0,
            float,
        )
        if not np.isfinite([values[node.index] for node in dynamics.roots()]).all():
            raise InputError(
                f"page: at the start of '{self.mechanism.name}' the constraints depend on each "
                "other so that only the null-space method solves them, which cannot go into a "
                "page. Start elsewhere (q0=...), or show a run: run.animate(...)."
            )

    # -- parts -----------------------------------------------------------------------------------

    def _method(self) -> dict[str, object]:
        if self.method == "semi-implicit":
            return {"a": [[]], "b": [1.0], "c": [0.0], "semi": True}
        table = EXPLICIT[self.method]
        a = [[float(x) for x in row] for row in table.a]
        return {"a": a, "b": list(map(float, table.b)), "c": list(map(float, table.c)),
                "semi": False}  # fmt: skip

    def _run(self) -> Run:
        """The first steps as the library makes them."""
        run = simulate(
            self.mechanism,
            self.q0,
            self.v0,
            max(_CHECKED) * self.step,
            self.step,
            self.method,
            controller=self.controller,
            actuators=self.actuators,
        )
        if len(run) <= max(_CHECKED):
            raise InputError(
                f"page: the run ends after {len(run) - 1} steps of {self.step:g} s "
                f"({run.message}). Take a smaller step=, other gains or another start."
            )
        return run

    def _pulls(self, q: Array) -> list[dict[str, object]]:
        """For every body where the dynamics read its wrench, (n; f) in its frame at its origin, by
        which matrix, and which mass (kg) a hand feels at its centre of mass."""
        evaluator = self.mechanism.evaluator
        tables = evaluator.tables()
        found: list[dict[str, object]] = []
        for body in self.mechanism.model.bodies:
            place = evaluator.place(body.name)
            rows = evaluator.external_rows({body.name: (np.eye(6), False)}, 6, tables)
            own = rows[:, 6 * place.kernel : 6 * place.kernel + 6] if place.kernel >= 0 else None
            matrix = [] if own is None else own.T.ravel().tolist()
            mass = 0.0 if own is None else self._felt(q, body.name, body.mass.com)
            found.append({"kernel": place.kernel, "matrix": matrix, "mass": mass,
                          "com": list(body.mass.com)})  # fmt: skip
        return found

    def _felt(self, q: Array, body: str, com: Sequence[float]) -> float:
        """1 / the largest eigenvalue of da/df, f at the centre of mass: kg; 0: it cannot move."""
        rest = np.zeros(self.mechanism.nv)
        forces = np.hstack([np.cross(com, np.eye(3)), np.eye(3)])
        answer = self.mechanism.forward_dynamics
        moved = [answer(q, rest, rest, external={body: f}) for f in forces]
        jacobian = self.mechanism.jacobian(q, body)
        change = (np.array(moved) - answer(q, rest, rest)) @ jacobian.T  # (3, 6): angular, linear
        points = change[:, 3:] + np.cross(change[:, :3], com)
        easiest = float(np.linalg.eigvalsh((points + points.T) / 2.0)[-1])
        return 1.0 / easiest if easiest > 1e-9 else 0.0

    def _checks(self, run: Run) -> dict[str, object]:
        """States of the library with its results: places after some steps, poses, and what a
        wrench does."""
        last = int(max(_CHECKED))
        q, v = run.q[last], run.v[last]
        R, p = self.mechanism.poses(q)
        checks: dict[str, object] = {
            "steps": [
                {"steps": k, "q": run.q[k].tolist(), "v": run.v[k].tolist()} for k in _CHECKED
            ],
            "poses": [*np.ravel(R).tolist(), *np.ravel(p).tolist()],
        }
        movable = [b.name for b in self.mechanism.model.bodies
                   if self.mechanism.evaluator.place(b.name).kernel >= 0]  # fmt: skip
        if movable:
            body, wrench = movable[-1], [0.3, -0.2, 0.1, 1.0, -2.0, 0.7]
            rest = np.zeros(self.mechanism.nv)
            a = self.mechanism.forward_dynamics(q, v, rest, external={body: wrench})
            number = self.mechanism.model.index[body]
            checks["wrench"] = {"body": number, "wrench": wrench, "a": a.tolist()}
        return checks


def _cannot(what: str, cure: str) -> InputError:
    return InputError(
        f"page: {what} cannot go into a page. Use {cure} instead, or show a run: run.animate(...)."
    )


def _slider(point: SetPoint, mechanism: Mechanism) -> dict[str, object]:
    """A set-point with the range of its slider: the joint's limits, else around its value."""
    around = np.pi if point.unit == "rad" else max(1.0, 2.0 * abs(point.value))
    least, greatest = point.value - around, point.value + around
    for body in mechanism.model.bodies:
        if body.joint.name == point.label and len(body.joint.limits) == 1:
            low, high = body.joint.limits[0].lower, body.joint.limits[0].upper
            if low is not None and high is not None and np.isfinite([low, high]).all():
                least, greatest = min(low, point.value), max(high, point.value)
    return {**asdict(point), "least": least, "greatest": greatest}
