"""The command line: one thin function per verb, one file per verb.

Nothing heavy is imported until a verb runs, so that ``iotrace --help`` answers at once.
"""

from __future__ import annotations

import importlib
import sys
from typing import NoReturn

import typer

from iotrace.errors import IotraceError

PANELS = {
    "Make a store": ("record", "ingest"),
    "Ask it": ("info", "characterize", "curve", "sql"),
    "Hand it on": ("report", "export"),
    "Look things up": ("formats", "schema"),
}


def application() -> typer.Typer:
    """Return the command line with every verb registered; each verb's module offers a function of the verb's name."""
    app = typer.Typer(
        name="iotrace",
        epilog="In a hurry: iotrace report strace.log",
        no_args_is_help=True,
        rich_markup_mode="rich",
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    for panel, verbs in PANELS.items():
        for verb in verbs:
            module = importlib.import_module(f"iotrace.cli.{verb}")
            settings = getattr(module, "SETTINGS", {})
            app.command(verb, rich_help_panel=panel, **settings)(getattr(module, verb))
    return app


def _show_version(asked: bool) -> None:
    if asked:
        from iotrace import __version__

        typer.echo(f"iotrace {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and leave."
    ),
) -> None:
    """What does my I/O look like, and what cache would serve it?"""


def main() -> NoReturn:
    """Run the command line; every error that a user can cause ends in one line and exit code 1 or 2."""
    try:
        application()()
    except IotraceError as error:
        _fail(str(error), error.exit_code)
    except KeyboardInterrupt:
        _fail("interrupted; nothing half-written is left behind", 130)
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(141) from None
    except MemoryError:
        _fail("out of memory", 1)
    except OSError as error:
        name = f"{error.filename}: " if error.filename else ""
        _fail(f"{name}{error.strerror or error}", 1)
    raise SystemExit(0)


def _fail(message: str, code: int) -> NoReturn:
    line = " ".join(message.split())
    print(f"iotrace: {line}", file=sys.stderr)
    raise SystemExit(code)
