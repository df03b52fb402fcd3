"""What every test needs of the process that runs them, and ``--full``, which tries all that tests of many cases can."""

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings
from property_tests import FULL, QUICK

settings.register_profile("full", max_examples=FULL, deadline=None)
settings.register_profile("quick", max_examples=QUICK, deadline=None)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="try all cases and examples, not a sample of them")


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start hear interruptions, where this process ignores them (in the background, or nohup).

    What is ignored stays so across an exec; what is handled, if by doing nothing, does not.
    """
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="iotrace-tests-")
    settings.load_profile("full" if config.getoption("--full") else "quick")
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_unconfigure() -> None:
    """Remove the stores that tests within this process kept of raw traces."""
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
