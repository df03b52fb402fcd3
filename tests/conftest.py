"""What every test needs of the process that runs them."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    """Let programs that tests start hear interruptions, where this process ignores them (in the background, or nohup).

    What is ignored stays so across an exec; what is handled, if by doing nothing, does not.
    """
    for number in (signal.SIGINT, signal.SIGQUIT, signal.SIGHUP, signal.SIGTERM):
        if signal.getsignal(number) is signal.SIG_IGN:
            signal.signal(number, lambda *_: None)
