"""What a living page carries: the functions of a run as WebAssembly, a start, and proofs.

The loop over time in client/src/engine.ts is that of runtime/time_loop.py over one state.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import numpy as np

from armillary.codegen.wasm import Kernel, module
from armillary.constraints.projection import STEPS
from armillary.errors import CompileError, InputError
from armillary.evaluate.compile_function import NotNative
from armillary.evaluate.inputs import Array
from armillary.graph.function import FunctionGraph
from armillary.mechanism.function_graph import trace
from armillary.mechanism.mechanism import Mechanism
from armillary.runtime.time_context import Policy
from armillary.sim.control.open_targets import SetPoint
from armillary.sim.control.traced_function import over_nodes
from armillary.sim.loop.run_graphs import REGULARISED, graphs_of_run
from armillary.sim.methods.tableaux import EXPLICIT
from armillary.sim.motion.user_functions import several
from armillary.viewer.experiment import Experiment
from armillary.viewer.living_checks import CHECKED, checks
from armillary.viewer.living_events import page_events
from armillary.viewer.living_motion import motion_graph
from armillary.viewer.pack import encoded

FORMAT = "armillary.living/2"
SOLVERS = ("dynamics", REGULARISED + "dynamics")
_SPARE = 200  # arrays of a state that the loop of the page may have


@dataclass(frozen=True)
class Living:
    """The page of an experiment."""

    experiment: Experiment

    @property
    def mechanism(self) -> Mechanism:
        return self.experiment.mechanism

    def data(self) -> dict[str, object]:
        """The data of the page, plain lists and numbers.  InputError: it cannot go into a page."""
        experiment, mechanism = self.experiment, self.mechanism
        experiment.refuse()
        graphs = self._graphs()
        run = experiment.run(max(CHECKED))
        q, v = run.q[0], run.v[0]
        watched = page_events(experiment, q)
        solvers = [graphs[role] for role in SOLVERS if role in graphs]
        self._refuse_doubt(solvers, q, v)
        graphs |= watched.graphs | motion_graph(experiment)
        sampled, start = experiment.system.chain.sampled, experiment.start(q, v)
        code, kernels = self._code(graphs, start)
        return {
            "format": FORMAT,
            "wasm": encoded(code),
            "kernels": {k.name: list(k.inputs.items()) for k in kernels},
            "results": {k.name: len(k.roots) for k in kernels},
            "sizes": {name: len(numbers) for name, numbers in start.items()},
            "step": experiment.step,
            "method": self._method(),
            "policy": asdict(Policy(corrections=STEPS)),
            "start": start,
            "sliders": self._sliders(),
            "periods": [round(float(s.period or 0.0) / experiment.step) for s in sampled],
            "loads": experiment.loads().tolist(),
            "limits": watched.limits,
            "events": watched.events,
            "labels": list(mechanism.q_labels),
            "units": list(mechanism.q_units),
            "pulls": self._pulls(q),
            "checks": checks(experiment, run, solvers),
        }

    def _code(
        self, graphs: dict[str, FunctionGraph], start: dict[str, list[float]]
    ) -> tuple[bytes, list[Kernel]]:
        kernels = [Kernel(role, graph.inputs, graph.roots()) for role, graph in graphs.items()]
        memory = sum(sum(k.inputs.values()) + len(k.roots) for k in kernels)
        memory += _SPARE * (sum(len(x) for x in start.values()) + 1)
        try:
            return module(kernels, 8 * memory), kernels
        except CompileError as fault:
            raise InputError(f"page: {fault}") from fault

    # -- what cannot go into a page --------------------------------------------------------------

    def _graphs(self) -> dict[str, FunctionGraph]:
        """By role, with the poses of all bodies."""
        try:
            found = graphs_of_run(
                self.mechanism,
                over_nodes(self.mechanism, several(self.experiment.controller)),
                self.experiment.actuators,
                external=True,
                targets=True,
                ladder=True,
                moving=bool(self.experiment.moved),
                voltages=self.experiment.volts,
                period=self.experiment.period,
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

    def _refuse_doubt(self, solvers: Sequence[FunctionGraph], q: Array, v: Array) -> None:
        """One solver of the page must know the answer at the start."""
        given = {"q": q.tolist(), "v": v.tolist()}
        if not any(np.isfinite(graph.values(given)).all() for graph in solvers):
            raise InputError(
                f"page: at the start of '{self.mechanism.name}' the constraints depend on each "
                "other so that only the null-space method solves them, which cannot go into a "
                "page. Start elsewhere (q0=...), or show a run: run.animate(...)."
            )

    # -- parts -----------------------------------------------------------------------------------

    def _method(self) -> dict[str, object]:
        if self.experiment.method == "semi-implicit":
            return {"a": [[]], "b": [1.0], "c": [0.0], "semi": True}
        table = EXPLICIT[self.experiment.method]
        a = [[float(x) for x in row] for row in table.a]
        return {
            "a": a,
            "b": list(map(float, table.b)),
            "c": list(map(float, table.c)),
            "semi": False,
        }

    def _sliders(self) -> list[dict[str, object]]:
        """What the reader may move: set-points, voltages and joint forces."""
        mechanism, found = self.mechanism, []
        for k, point in enumerate(self.experiment.points()):
            found.append({**_slider(point, mechanism), "at": k})
        for k, force in self.experiment.forces().items():
            found.append({**_slider(force, mechanism), "at": k})
        return found

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
            found.append(
                {"kernel": place.kernel, "matrix": matrix, "mass": mass, "com": list(body.mass.com)}
            )
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


def _slider(point: SetPoint, mechanism: Mechanism) -> dict[str, object]:
    """A number with the range of its slider: limits of the joint or its motor, else around it."""
    if point.kind == "gain":
        return {**asdict(point), "least": 0.0, "greatest": 4.0}
    around = np.pi if point.unit == "rad" else max(1.0, 2.0 * abs(point.value))
    least, greatest = point.value - around, point.value + around
    for body in mechanism.model.bodies:
        if body.joint.name != point.label:
            continue
        limits = body.joint.limits
        if point.kind == "target" and len(limits) == 1:
            low, high = limits[0].lower, limits[0].upper
            if low is not None and high is not None and np.isfinite([low, high]).all():
                least, greatest = min(low, point.value), max(high, point.value)
        if point.kind == "voltage" and body.motor is not None and body.motor.voltage_limit:
            most = max(body.motor.voltage_limit, abs(point.value))
            least, greatest = -most, most
        if point.kind == "force" and len(limits) == 1 and limits[0].effort:
            most = max(limits[0].effort, abs(point.value))
            least, greatest = -most, most
    return {**asdict(point), "least": least, "greatest": greatest}
