"""The option of every command that limits its memory."""

import functools
import inspect
import os
import signal
from typing import Annotated, Any

import typer

from iotrace.cli.options.groups import RARE, Command, with_parameters


def with_memory(command: Command) -> Command:
    """Give a command the option that limits its memory."""
    parameters = list(inspect.signature(command, eval_str=True).parameters.values())
    declared = typer.Option(
        "--memory",
        metavar="SIZE",
        callback=_limit,
        rich_help_panel=RARE,
        help="Memory limit (2G); beyond it SQL spills to files, and anything else fails.",
        show_default=False,
    )

    @functools.wraps(command)
    def run(*arguments: Any, memory: str | None, **given: Any) -> None:
        command(*arguments, **given)

    shown = inspect.Parameter(
        "memory", inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[str | None, declared]
    )
    return with_parameters(run, [*parameters, shown])


def _limit(given: str | None) -> str | None:
    if given is not None:
        from iotrace import units
        from iotrace.files import memory

        memory.limit(units.size_bytes(given))
        memory.watch(lambda: os.kill(os.getpid(), signal.SIGTERM))
    return given
