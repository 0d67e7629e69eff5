"""Options of the test run."""

import gc

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
