"""Every public name of a mechanism, and what it takes.  Names that are in no table are found."""

import dataclasses
import re
from typing import Any

import numpy as np

import armillary as am
from armillary.evaluate.functions import HANGS
from armillary.evaluate.results import OperationalInertia

# questions about states: the state they take, and what else
STATES: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "acceleration": (("q", "v", "a"), {"frame": "last"}),
    "bias_forces": (("q", "v"), {}),
    "body_forces": (("q", "v", "a"), {}),
    "center_of_mass": (("q",), {}),
    "center_of_mass_jacobian": (("q",), {}),
    "conditions": (("q",), {}),
    "constraint_jacobian": (("q",), {}),
    "constraint_rate": (("q", "v"), {}),
    "constraint_residual": (("q",), {}),
    "coriolis_matrix": (("q", "v"), {}),
    "difference": (("q", "q1"), {}),
    "driving_forces": (("q", "v", "a"), {}),
    "element_forces": (("q", "v"), {}),
    "energy": (("q", "v"), {}),
    "forward_dynamics": (("q", "v", "tau"), {}),
    "forward_dynamics.vjp": (("q", "v", "tau", "weight"), {}),
    "forward_dynamics.jvp": (("q", "v", "tau", "dq", "dv", "dtau"), {}),
    "forward_dynamics.parameter_jacobian": (("q", "v", "tau"), {}),
    "forward_dynamics.offset_jacobian": (("q", "v", "tau"), {}),
    "forward_dynamics.derivatives": (("q", "v", "tau"), {}),
    "gravity_forces": (("q",), {}),
    "integrate": (("q", "v"), {}),
    "inverse_dynamics": (("q", "v", "a"), {}),
    "inverse_dynamics.vjp": (("q", "v", "a", "weight"), {}),
    "inverse_dynamics.jvp": (("q", "v", "a", "dq", "dv", "da"), {}),
    "inverse_dynamics.parameter_jacobian": (("q", "v", "a"), {}),
    "inverse_dynamics.offset_jacobian": (("q", "v", "a"), {}),
    "inverse_dynamics.derivatives": (("q", "v", "a"), {}),
    "jacobian": (("q",), {"frame": "last"}),
    "jacobian_dot": (("q", "v"), {"frame": "last"}),
    "mass_matrix": (("q",), {}),
    "momentum": (("q", "v"), {}),
    "momentum_matrix": (("q",), {}),
    "operational_inertia": (("q",), {"frame": "last"}),
    "pose": (("q",), {"frame": "last"}),
    "homogeneous": (("q",), {"frame": "last"}),
    "quaternion": (("q",), {"frame": "last"}),
    "poses": (("q",), {}),
    "project": (("q", "v"), {}),
    "project_acceleration": (("q", "v", "a"), {}),
    "reactions": (("q", "v", "a"), {}),
    "regressor": (("q", "v", "a"), {}),
    "solve": (("q", "v", "tau"), {}),
    "static_torques": (("q",), {}),
    "velocity": (("q", "v"), {"frame": "last"}),
}
# questions about one state: a batch is refused by name
ONE_STATE: dict[str, tuple[str, ...]] = {
    "actuator_forces": ("q", "v", "a"),
    "assemble": ("q",),
    "check": ("q", "v", "tau"),
    "equilibrium": ("q",),
    "classify": ("q",),
    "dexterity": ("q",),
    "force_limits": ("q",),
    "holding_forces": ("q",),
    "linkage": ("q",),
    "payload": ("q",),
    "task_dynamics": ("q", "v"),
    "linearize": ("q", "v", "tau"),
    "mobility": ("q",),
    "modes": ("q", "v", "tau"),
}
# known for trees alone: closed mechanisms refuse them by name
TREES_ONLY = frozenset(
    {"forward_dynamics.offset_jacobian"}
    | {f"inverse_dynamics.{name}" for name in ("vjp", "jvp", "derivatives")}
    | {f"inverse_dynamics.{name}" for name in ("parameter_jacobian", "offset_jacobian")}
)
# known where there are force elements: others refuse it by name
ELEMENTS_ONLY = frozenset({"element_forces"})
# what is no question about a state
OTHERS = frozenset(
    re.findall(
        r"\w+",
        "additive answers attach base_parameters bodies compile compile_report constraint_rows "
        "explain mount "
        "constraint_solver constraints counts draw energy_lacks evaluator frames "
        "geometry_tolerance gravity initial interpret inverse_kinematics joint_names joints "
        "load_friction lock model name neutral nq nv page "
        "offset_names options parameter_names parameters q_labels q_units random_state replace "
        "report report_page save subtree to_c tree unlock v_labels v_units variant view with_base "
        "with_model "
        "with_tolerance "
        # of more than a state: tests/seeds, tests/tyres, tests/studies
        "announced assembly_modes certified force_sources joint_space operation_counts "
        "spatial_inertia transform "
        "tyre_forces varying workspace wrench_at",
    )
)


def public_names(m: am.Mechanism) -> set[str]:
    """Names of everything that a mechanism offers, and of what hangs on its questions."""
    names = {name for name in dir(m) if not name.startswith("_")}
    for name in sorted(names & {*STATES, *ONE_STATE}):
        value = getattr(m, name)
        names |= {f"{name}.{inner}" for inner in HANGS if hasattr(value, inner)}
    return names


def asked(m: am.Mechanism, name: str) -> Any:
    """The method with a (dotted) name, or None."""
    found: Any = m
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def arrays_of(found: Any, path: str = "result") -> dict[str, np.ndarray]:
    """All arrays of floating-point numbers in a result, by their place in it."""
    if isinstance(found, (np.ndarray, np.floating, float)):
        return {path: np.asarray(found)} if np.asarray(found).dtype.kind == "f" else {}
    if isinstance(found, am.model.Model):
        return {}
    if dataclasses.is_dataclass(found):
        parts = {f.name: getattr(found, f.name) for f in dataclasses.fields(found)}
    elif isinstance(found, OperationalInertia):
        parts = {"W": found.W}
    elif isinstance(found, dict):
        parts = found
    elif isinstance(found, tuple) and not all(isinstance(x, (str, tuple)) for x in found):
        parts = dict(enumerate(found))
    else:
        return {}
    result: dict[str, np.ndarray] = {}
    for key, value in parts.items():
        if key != "states":  # one object per state
            result |= arrays_of(value, f"{path}.{key}")
    return result
