"""What the commands that generate traces have in common: options, and how the trace leaves."""

from __future__ import annotations

import contextlib
import shlex
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from iotrace.cli.output import Format, emit_many, output_path, refuse_to_overwrite
from iotrace.cli.terminal import print
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.generate.generated import GeneratedTrace

OutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        parser=output_path,
        metavar="FILE",
        help="Text, - for stdout; or a store if it ends in .iotrace.",
    ),
]
ProgramOutputOption = Annotated[
    Path,
    typer.Option(
        "--output",
        "-o",
        parser=output_path,
        metavar="FILE",
        help="UMD's text, - for stdout; the table if it ends in .parquet; a store if in .iotrace.",
    ),
]


def _seed(seed: int) -> int:
    if seed < 0:
        raise UsageError(f"--seed is a whole number from 0, not {seed}")
    return seed


SeedOption = Annotated[
    int, typer.Option("--seed", callback=_seed, help="The same seed makes the same trace.")
]
SetOption = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter (repeatable).", show_default=False),
]
FormOption = Annotated[
    Format, typer.Option("--format", "-f", help="How to write the parameters and where they come from.")
]


def refuse(output: Path, force: bool, form: Format = Format.TABLE) -> None:
    """Raise UsageError where the output cannot be replaced by a file; a store is looked at where it is written."""
    if form is Format.PARQUET:
        raise UsageError(
            "what is said about a generated trace is several tables: --format table, csv or json"
        )
    if output.exists() and output.suffix != ".iotrace" and not output.is_file():
        raise UsageError(f"{output}: is no file; -o takes one, or - for standard output")
    refuse_to_overwrite(output, force)


def hand_out(trace: GeneratedTrace, output: Path, force: bool, form: Format = Format.TABLE) -> None:
    """Write a generated trace, and say what was made: on standard error where the trace goes to standard output."""
    from iotrace.generate.generated import write

    count = write(trace, output, force)
    is_apart = str(output) == "-"
    with contextlib.redirect_stdout(sys.stderr) if is_apart else contextlib.nullcontext():
        if trace.tables:
            emit_many(trace.tables, form)
        if form is Format.TABLE:
            print(trace.sentence(count))
            if not is_apart:
                print(output)


def named_values(words: Iterable[str] | None) -> dict[str, str]:
    """Return the values given by ``--set``, by name; raises UsageError for what is not NAME=VALUE."""
    values = {}
    for word in words or ():
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"--set takes NAME=VALUE, not {word!r}")
        values[name.strip().replace("-", "_")] = value
    return values


def command_line() -> str:
    """Return the command without its output."""
    words = iter(sys.argv[1:])
    kept = [word for word in words if not (word in ("-o", "--output") and next(words, "") is not None)]
    return shlex.join(
        ["iotrace", *(word for word in kept if not word.startswith(("-o", "--output=", "--force")))]
    )
