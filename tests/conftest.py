"""What every test needs of the process that runs them, and how much tests of many cases try.

``--full`` tries all of it, ``--times N`` draws N times as many examples. Examples are drawn anew in each run; for the
same again give ``--hypothesis-seed``.
"""

import os
import shutil
import signal
import tempfile

import pytest
from hypothesis import settings
from property_tests import FULL, QUICK


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="try all cases and examples, not a sample of them")
    parser.addoption(
        "--times", type=int, default=0, help="with --full's cases, draw this many times its examples"
    )


def pytest_configure(config: pytest.Config) -> None:
    """Let programs that tests start hear interruptions, where this process ignores them (in the background, or nohup).

    What is ignored stays so across an exec; what is handled, if by doing nothing, does not.
    """
    os.environ["XDG_CACHE_HOME"] = tempfile.mkdtemp(prefix="iotrace-tests-")
    times = config.getoption("--times") or int(config.getoption("--full"))
    settings.register_profile("chosen", max_examples=times * FULL or QUICK, deadline=None)
    settings.load_profile("chosen")
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)


def pytest_unconfigure() -> None:
    """Remove the stores that tests within this process kept of raw traces."""
    shutil.rmtree(os.environ["XDG_CACHE_HOME"], ignore_errors=True)
