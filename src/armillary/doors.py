"""The doors: methods of a lower room that only open an upper one.

A door has two rows: the function itself for type checkers and completion, and its address for the
running program, which imports the upper room when the method is first used.  No other file may
point upwards (tests/test_rooms.py).
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from armillary.analysis.classification import classify
    from armillary.analysis.dexterity import dexterity
    from armillary.analysis.equilibrium import equilibrium
    from armillary.analysis.force_sources import force_sources
    from armillary.analysis.linearize import linearize
    from armillary.analysis.linkage import assembly_modes, linkage
    from armillary.analysis.modes import modes
    from armillary.analysis.strength import force_limits, payload
    from armillary.analysis.task_dynamics import task_dynamics
    from armillary.analysis.workspace import workspace
    from armillary.sim.loop.experiment import experiment_of_run, text_of_run
    from armillary.sim.loop.mode_run import run_of_mode
    from armillary.sim.motion.roads import heights_at, motion_under, profile_of_csv
    from armillary.sim.record.frames import run_to_pandas, run_to_xarray
    from armillary.sim.record.plotting import plot_run
    from armillary.studies.identification.plotting import plot_identification
    from armillary.studies.identification.tables import text_of
    from armillary.studies.plotting import plot_study
    from armillary.studies.sensitivity import local_sensitivities, sobol_indices
    from armillary.textbook.certifying import certified
    from armillary.textbook.checking import check
    from armillary.textbook.explaining import explain
    from armillary.textbook.operation_counts import operation_counts
    from armillary.viewer.analysis_plots import plot_linkage, plot_workspace
    from armillary.viewer.living import page_mechanism, page_run
    from armillary.viewer.notebook import mechanism_html, run_html
    from armillary.viewer.pages import animate_run, view_mechanism, view_run, view_variant
    from armillary.viewer.report.report import report_mechanism, report_run
    from armillary.viewer.report.study_section import report_study
    from armillary.viewer.sketch.draw import draw_mechanism, draw_run


class Door:
    """A method by its address "module:function"; the object is the function's first argument."""

    def __init__(self, address: str):
        self.address = address

    def __set_name__(self, owner: type, name: str) -> None:
        self.owner, self.name = owner, name

    def __get__(self, instance: object | None, cls: type) -> Callable[..., Any]:
        module, _, name = self.address.partition(":")
        function = getattr(import_module(module), name)
        setattr(self.owner, self.name, function)  # bound: from now on an ordinary method
        method: Callable[..., Any] = function if instance is None else function.__get__(instance)
        return method


class MechanismDoors:
    """What a `Mechanism` opens."""

    if TYPE_CHECKING:
        assembly_modes = assembly_modes
        classify = classify
        dexterity = dexterity
        force_limits = force_limits
        force_sources = force_sources
        linkage = linkage
        operation_counts = operation_counts
        payload = payload
        task_dynamics = task_dynamics
        workspace = workspace
        certified = certified
        check = check
        equilibrium = equilibrium
        explain = explain
        linearize = linearize
        modes = modes
        draw = draw_mechanism
        view = view_mechanism
        page = page_mechanism
        report_page = report_mechanism
        _repr_html_ = mechanism_html
    else:
        assembly_modes = Door("armillary.analysis.linkage:assembly_modes")
        classify = Door("armillary.analysis.classification:classify")
        dexterity = Door("armillary.analysis.dexterity:dexterity")
        force_limits = Door("armillary.analysis.strength:force_limits")
        force_sources = Door("armillary.analysis.force_sources:force_sources")
        linkage = Door("armillary.analysis.linkage:linkage")
        operation_counts = Door("armillary.textbook.operation_counts:operation_counts")
        payload = Door("armillary.analysis.strength:payload")
        task_dynamics = Door("armillary.analysis.task_dynamics:task_dynamics")
        workspace = Door("armillary.analysis.workspace:workspace")
        certified = Door("armillary.textbook.certifying:certified")
        check = Door("armillary.textbook.checking:check")
        equilibrium = Door("armillary.analysis.equilibrium:equilibrium")
        explain = Door("armillary.textbook.explaining:explain")
        linearize = Door("armillary.analysis.linearize:linearize")
        modes = Door("armillary.analysis.modes:modes")
        draw = Door("armillary.viewer.sketch.draw:draw_mechanism")
        view = Door("armillary.viewer.pages:view_mechanism")
        page = Door("armillary.viewer.living:page_mechanism")
        report_page = Door("armillary.viewer.report.report:report_mechanism")
        _repr_html_ = Door("armillary.viewer.notebook:mechanism_html")


class RunDoors:
    """What a `Run` opens."""

    if TYPE_CHECKING:
        animate = animate_run
        plot = plot_run
        to_pandas = run_to_pandas
        to_xarray = run_to_xarray
        view = view_run
        page = page_run
        draw = draw_run
        report = report_run
        to_experiment = experiment_of_run
        to_experiment_text = text_of_run
        _repr_html_ = run_html
    else:
        animate = Door("armillary.viewer.pages:animate_run")
        plot = Door("armillary.sim.record.plotting:plot_run")
        to_pandas = Door("armillary.sim.record.frames:run_to_pandas")
        to_xarray = Door("armillary.sim.record.frames:run_to_xarray")
        view = Door("armillary.viewer.pages:view_run")
        page = Door("armillary.viewer.living:page_run")
        draw = Door("armillary.viewer.sketch.draw:draw_run")
        report = Door("armillary.viewer.report.report:report_run")
        to_experiment = Door("armillary.sim.loop.experiment:experiment_of_run")
        to_experiment_text = Door("armillary.sim.loop.experiment:text_of_run")
        _repr_html_ = Door("armillary.viewer.notebook:run_html")


class ModesDoors:
    """What `Modes` open."""

    if TYPE_CHECKING:
        run = run_of_mode
    else:
        run = Door("armillary.sim.loop.mode_run:run_of_mode")


class RoadProfileDoors:
    """What a road `Profile` opens."""

    if TYPE_CHECKING:
        __call__ = heights_at
        from_csv = profile_of_csv
        under = motion_under
    else:
        __call__ = Door("armillary.sim.motion.roads:heights_at")
        from_csv = Door("armillary.sim.motion.roads:profile_of_csv")
        under = Door("armillary.sim.motion.roads:motion_under")


class LinkageDoors:
    """What a `Linkage` opens."""

    if TYPE_CHECKING:
        plot = plot_linkage
    else:
        plot = Door("armillary.viewer.analysis_plots:plot_linkage")


class WorkspaceDoors:
    """What a `Workspace` opens."""

    if TYPE_CHECKING:
        plot = plot_workspace
    else:
        plot = Door("armillary.viewer.analysis_plots:plot_workspace")


class IdentificationDoors:
    """What an `Identification` opens."""

    if TYPE_CHECKING:
        plot = plot_identification
        table = text_of
    else:
        plot = Door("armillary.studies.identification.plotting:plot_identification")
        table = Door("armillary.studies.identification.tables:text_of")


class StudyDoors:
    """What a `Study` opens."""

    if TYPE_CHECKING:
        plot = plot_study
        sensitivities = local_sensitivities
        sobol = sobol_indices
        view = view_variant
        report = report_study
    else:
        plot = Door("armillary.studies.plotting:plot_study")
        sensitivities = Door("armillary.studies.sensitivity:local_sensitivities")
        sobol = Door("armillary.studies.sensitivity:sobol_indices")
        view = Door("armillary.viewer.pages:view_variant")
        report = Door("armillary.viewer.report.study_section:report_study")
