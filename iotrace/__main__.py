"""How the command starts: ``iotrace``, or ``python -m iotrace``."""

from __future__ import annotations

import signal
from typing import NoReturn


def main() -> NoReturn:
    """Load the command line and run it; an interrupt meanwhile ends the process at once, and without a traceback."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    from iotrace import cli

    cli.main()


if __name__ == "__main__":
    main()
