"""Options of the test run."""

import gc
import os
from pathlib import Path

import pytest

from armillary.codegen import jit
from armillary.evaluate import request

# Files with the longest tests: begun first, so that two processes end together.
FIRST = (
    "docs/test_docs.py", "functions/test_whole_api.py", "vehicles/test_vehicles.py",
    "constrained/test_elimination.py", "functions/test_load_friction.py",
    "constrained/test_solution.py", "compiler/test_c_source.py", "sim/test_damaged_files.py",
    "constrained/test_fast_solver.py", "vehicles/test_compliance.py", "viewer/test_living.py",
    "elements/test_every_question.py", "viewer/test_browser.py", "compiler/test_life.py",
    "vehicles/test_trains.py", "studies/test_cluster.py", "tyres/test_tyre_runs.py",
)  # fmt: skip

_LEVEL = jit.level_of


@pytest.fixture
def shipped_code(monkeypatch):
    """Code is generated as users get it, whatever the run says."""
    monkeypatch.setattr(jit, "level_of", _LEVEL)


def pytest_collection_modifyitems(items):
    """Heavy tests are marked, by the list of them: one case, all cases of a test, or a file."""
    heavy = set((Path(__file__).parent / "heavy.txt").read_text().split("\n")) - {""}
    for item in items:
        test = item.nodeid.partition("[")[0]
        if heavy & {item.nodeid, test, test.partition("::")[0]}:
            item.add_marker("heavy")
    items.sort(key=lambda item: not item.path.as_posix().endswith(FIRST))


def pytest_addoption(parser):
    parser.addoption(
        "--lanes", type=int, default=None, choices=(2, 4, 8, 16),
        help="work on so many states of a batch together, as another processor would",
    )  # fmt: skip
    parser.addoption(
        "--llvm", default="quick", choices=("quick", "normal"),
        help="quick: code is generated at LLVM's level 0 (the same bits); normal: as users get it",
    )  # fmt: skip
    parser.addoption(
        "--costs", metavar="FILE", default=None,
        help="write the processor time of every test, dearest first",
    )  # fmt: skip


def pytest_configure(config):
    """Every mechanism that does not ask for lanes of its own gets these."""
    forced = config.getoption("--lanes")
    if forced is not None:
        own = request.lanes
        request.lanes = lambda batched, element, width=None, quick=False: own(
            batched, element, width or forced, quick
        )
    if config.getoption("--llvm") == "quick":
        jit.level_of = lambda optimize, quick: _LEVEL(optimize, quick=True)


def pytest_collection_finish():
    """What was made while tests were collected stays: it need not be looked through again."""
    gc.collect()
    gc.freeze()


# -- the processor time of tests ------------------------------------------------------------------


def _processor_time():
    """Of this process and of those it waited for, s."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item):
    item.begun = _processor_time()
    return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item):
    try:
        return (yield)
    finally:
        item.user_properties.append(("cost", _processor_time() - item.begun))


_costs = {}


def pytest_runtest_logreport(report):
    """Of one test; with several processes, in the one that directs the others."""
    if report.when == "call":
        _costs[report.nodeid] = dict(report.user_properties)["cost"]


def pytest_sessionfinish(session):
    file = session.config.getoption("--costs")
    if file is not None and not hasattr(session.config, "workerinput"):
        dearest = sorted(_costs.items(), key=lambda entry: -entry[1])
        Path(file).write_text("".join(f"{cost:.2f} {name}\n" for name, cost in dearest))
