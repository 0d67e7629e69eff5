"""Options of the test run."""

from armillary.evaluate import options


def pytest_addoption(parser):
    parser.addoption(
        "--lanes", type=int, default=None, choices=(2, 4, 8, 16),
        help="work on so many states of a batch together, as another processor would",
    )  # fmt: skip


def pytest_configure(config):
    """Every mechanism that does not ask for lanes of its own gets these."""
    forced = config.getoption("--lanes")
    if forced is not None:
        own = options.lanes
        options.lanes = lambda batched, element, width=None: own(batched, element, width or forced)
