"""The command line: one thin function per command, one file per command.

Nothing heavy is imported until a command runs, so that ``iotrace --help`` answers at once.
"""

import atexit
import gc
import importlib
import os
import signal
import sys
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

import typer

from iotrace.cli import interruption, partly_read
from iotrace.cli.help import Commands, HelpGroup
from iotrace.cli.sentences import SENTENCES
from iotrace.cli.terminal import StandardOutput, prepare_streams, print, visible
from iotrace.errors import IotraceError, chain, is_interruption, reason

PANELS = {
    "Record and import": ("demo", "record", "top", "ingest", "formats"),
    "Analyze": (
        "report",
        "info",
        "jobs",
        "catalogue",
        "time",
        "advice",
        "compare",
        "characterize",
        "patterns",
        "curve",
        "memory",
        "merge-curves",
        "sql",
        "views",
        "schema",
    ),
    "Simulate": ("attribute", "nonvolatile", "write-cache", "cluster", "parallel", "disk", "paper"),
    "Generate": ("generate",),
    "Share": ("export",),
    "Housekeeping": ("cache",),
}
COMMANDS = [command for commands in PANELS.values() for command in commands]
SCREEN = "screen"
"""The command that words without a command's name are for; it has no name that a user types."""

ALONE: tuple[list[str], ...] = ([], ["-h"], ["--help"], ["--version"])
"""Words with which no command runs."""
COMPLETION = "_IOTRACE_COMPLETE"
"""The variable with which a shell asks for words that may follow."""

INTERRUPTED = "interrupted; partial output was removed"
OUTPUT_CLOSED = 128 + signal.SIGPIPE
"""The exit status of a program whose output nobody reads any more, as after `| head -1`."""


class _Root(HelpGroup):
    """The commands in the order of their panels."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Return their names."""
        return list(COMMANDS)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """Return the command that the first word names; of another word, the one that shows a trace."""
        if args and args[0] not in COMMANDS and SCREEN in self.commands:
            return "", self.commands[SCREEN], args
        return super().resolve_command(ctx, args)


def application(names: Collection[str] | None = None) -> typer.Typer:
    """Return the command line with the commands of these names, else with every one.

    A command is a function of the same name in a module of its name. Without any the help lists them all.
    """
    app = Commands(
        name="iotrace",
        cls=_Root,
        epilog="In a hurry: iotrace strace.log shows where its time goes, what to change, and which cache.",
        no_args_is_help=True,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(_root)
    if names is not None and not names:
        for panel, commands in PANELS.items():
            for command in commands:
                app.listed(command, panel, SENTENCES[command])
        return app
    for panel, commands in PANELS.items():
        for command in commands if names is None else (name for name in commands if name in names):
            name = command.replace("-", "_")
            module = importlib.import_module(f"iotrace.cli.commands.{name}")
            settings, action = getattr(module, "SETTINGS", {}), getattr(module, name)
            if isinstance(action, typer.Typer):
                app.add_typer(action, name=command, rich_help_panel=panel, **settings)
            else:
                app.command(command, rich_help_panel=panel, **settings)(action)
    if names is None or SCREEN in names:
        module = importlib.import_module(f"iotrace.cli.commands.{SCREEN}")
        app.command(SCREEN, **module.SETTINGS)(module.screen)
    return app


def _named(arguments: Sequence[str]) -> Collection[str] | None:
    """Return the command that the first word names, since no other need be loaded then; None where all may be."""
    if list(arguments) in ALONE and COMPLETION not in os.environ:
        return ()
    if not arguments or (arguments[0].startswith("-") and arguments[0] != "-"):
        return None
    return arguments[:1] if arguments[0] in COMMANDS else (SCREEN,)


def _show_version(is_given: bool) -> None:
    if is_given:
        from iotrace import __version__

        print(f"iotrace {__version__}")
        raise typer.Exit


def _root(
    version: bool = typer.Option(
        False, "--version", callback=_show_version, is_eager=True, help="Show the version and exit."
    ),
) -> None:
    """What does my I/O look like, and what cache would serve it?"""


def main() -> NoReturn:
    """Run the command line; every error that a user can cause ends in one line and exit code 1 or 2."""
    gc.set_threshold(20_000, 50, 50)  # nearly all of what is loaded lasts to the end
    atexit.register(gc.freeze)  # and is then given back with the process
    _set_up_libraries(sys.argv[1:])
    _have_standard_streams()
    prepare_streams()
    for number in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, interruption.end)
    try:
        app = application(_named(sys.argv[1:]))
        interruption.watch()
        try:
            app()
        finally:
            sys.stdout.flush()
    except IotraceError as error:
        if is_interruption(error):
            _fail(*_ending(error))
        _fail(str(error), error.exit_code, getattr(error, "excerpt", ""))
    except KeyboardInterrupt as ending:
        _fail(*_ending(ending))
    except SystemExit as ending:
        if ending.code in interruption.EXIT_CODES and interruption.caused(ending):
            _fail(*_ending(ending))
        if StandardOutput.is_closed:  # for which Typer ends with 1
            raise SystemExit(OUTPUT_CLOSED) from None
        if not ending.code and (warning := partly_read.sentence()):
            _fail(warning, 1)
        raise
    except BrokenPipeError:
        sys.stderr.close()
        raise SystemExit(OUTPUT_CLOSED) from None
    except OSError as error:
        if _is_shortage(error):
            _fail(OUT_OF_MEMORY, 1)
        name = f"{error.filename}: " if error.filename else ""
        _fail(f"{name}{reason(error)}", 1)
    except Exception as error:
        if is_interruption(error):
            _fail(*_ending(error))
        if os.environ.get("IOTRACE_TRACEBACK"):
            raise
        if _is_shortage(error):
            _fail(OUT_OF_MEMORY, 1)
        _fail(_unforeseen(error), 1)
    except BaseException as error:
        if type(error).__name__ != "PanicException" or not _is_shortage(error):  # of a library in Rust
            raise
        _fail(OUT_OF_MEMORY, 1)
    if warning := partly_read.sentence():
        _fail(warning, 1)
    raise SystemExit(0)


def _set_up_libraries(arguments: Sequence[str]) -> None:
    """Set variables for libraries that are not loaded yet.

    OpenBLAS, which NumPy loads, starts no threads: they take time, and no large matrices are multiplied here. mimalloc,
    which Arrow and the engine use, takes back what a thread allocated that has ended, as one that reads a trace.

    A command that is recorded is to run as without iotrace, and gets the environment as it was.
    """
    if arguments[:1] != ["record"]:
        os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
        os.environ.setdefault("MIMALLOC_ABANDONED_RECLAIM_ON_FREE", "1")


def _ending(ending: BaseException) -> tuple[str, int]:
    """Return what to say where a signal has ended the program, and its exit status.

    Notes of the exception, or of those that it came from, say what is kept.
    """
    from iotrace.files import memory

    if (why := memory.exceeded()) is not None:
        return why, 1
    notes = [note for error in chain(ending) for note in getattr(error, "__notes__", [])]
    return "; ".join(dict.fromkeys([INTERRUPTED, *notes])), interruption.exit_code()


def _have_standard_streams() -> None:
    """Open ``/dev/null`` in place of standard streams that the caller closed."""
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is None:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest free number, which is this one
            setattr(sys, name, open(number, "w" if number else "r", closefd=False))  # noqa: SIM115


def _unforeseen(error: Exception) -> str:
    """Return the message for an unexpected error: a library's own, or an internal error."""
    if type(error).__module__.partition(".")[0] in ("duckdb", "_duckdb", "pyarrow"):
        return (str(error).splitlines() or [type(error).__name__])[0]
    if (limit_bytes := _memory_limit_bytes()) is not None:
        return (
            f"{type(error).__name__}: {error}; memory is limited to {limit_bytes:,} bytes (ulimit -v), which may be"
            " the cause: raise the limit"
        )
    return (
        f"internal error: {type(error).__name__}: {error}; "
        "please report it, with the traceback that IOTRACE_TRACEBACK=1 prints"
    )


def _memory_limit_bytes() -> int | None:
    """Return the limit of the address space; None if it has none."""
    import resource

    limit, _ = resource.getrlimit(resource.RLIMIT_AS)
    return None if limit == resource.RLIM_INFINITY else limit


SHORTAGES = (
    "annot allocate memory",
    "an't start new thread",
    "ailed to map segment from shared object",
    "ut of memory",
    "std::bad_alloc",
    "emory allocation",
    "esource temporarily unavailable",
)
"""Parts of the messages of libraries when memory is short, or threads, each of which needs memory."""
OUT_OF_MEMORY = "out of memory"


def _is_shortage(error: BaseException | None) -> bool:
    """Return whether an error, or its cause, is a shortage of memory or threads."""
    return any(
        isinstance(cause, MemoryError) or any(phrase in str(cause) for phrase in SHORTAGES)
        for cause in chain(error)
    )


def _fail(message: str, code: int, excerpt: str = "") -> NoReturn:
    """End with a message in one line; on a terminal an excerpt of what was refused is below it."""
    print(f"iotrace: {' '.join(message.split())}", file=sys.stderr)
    if excerpt and sys.stderr.isatty():
        print(*map(visible, excerpt.splitlines()), sep="\n", file=sys.stderr)
    raise SystemExit(code)
