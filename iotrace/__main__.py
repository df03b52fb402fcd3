"""How the command starts: ``iotrace``, or ``python -m iotrace``.

An interrupt before this module has begun, while the interpreter starts, is handled by Python alone, which prints a
traceback. Therefore nothing else is loaded before: neither here nor by the package itself.
"""

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import NoReturn


def main() -> "NoReturn":
    """Load the command line and run it; an interrupt meanwhile ends the process at once, and without a traceback."""
    try:
        import signal

        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.SIG_DFL)
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    from iotrace import cli

    cli.main()


if __name__ == "__main__":
    main()
