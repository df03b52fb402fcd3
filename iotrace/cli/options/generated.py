"""Code that the commands that generate traces share: options, and how the trace leaves."""

import contextlib
import shlex
import sys
from collections.abc import Callable, Iterator, Mapping
from inspect import Parameter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace.cli.options.groups import Command, with_parameters
from iotrace.cli.options.settings import takes
from iotrace.cli.output import ForceOption, Format, emit_many, refuse_to_overwrite, written_option
from iotrace.cli.terminal import print
from iotrace.errors import UsageError
from iotrace.files.remote import Place

if TYPE_CHECKING:
    from iotrace.generate.generated import GeneratedTrace
    from iotrace.generate.registry import Generator

OutputOption = Annotated[
    Place, written_option("--output", "-o", help="Text, - for stdout; or a store if it ends in .iotrace.")
]
ProgramOutputOption = Annotated[
    Place,
    written_option(
        "--output",
        "-o",
        help="UMD's text, - for stdout; the table if it ends in .parquet; a store if in .iotrace.",
    ),
]


FormOption = Annotated[
    Format, typer.Option("--format", "-f", help="How to write the parameters and where they come from.")
]


def refuse(output: Place, force: bool, form: Format = Format.TABLE) -> None:
    """Raise UsageError if the output cannot be replaced by a file; a store is checked when it is written."""
    if form is Format.PARQUET:
        raise UsageError(
            "the description of a generated trace has several tables: give --format table, csv or json"
        )
    if output.exists() and output.suffix != ".iotrace" and not output.is_file():
        raise UsageError(f"{output}: is not a file; -o takes a file, or - for standard output")
    refuse_to_overwrite(output, force)


def write_and_describe(
    trace: "GeneratedTrace", output: Place, force: bool, form: Format = Format.TABLE
) -> None:
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


def command_line() -> str:
    """Return the command without its output."""
    arguments = iter(sys.argv[1:])
    others = [
        word for word in arguments if not (word in ("-o", "--output") and next(arguments, "") is not None)
    ]
    return shlex.join(
        ["iotrace", *(word for word in others if not word.startswith(("-o", "--output=", "--force")))]
    )


def as_command(generator: "Generator", action: Callable[..., None]) -> Command:
    """Return the command of a kind of trace, which calls `action` with what was given for it."""
    settings = {
        f"settings{number}": settings_class for number, settings_class in enumerate(generator.settings)
    }

    def run(output: Place, force: bool, form: Format = Format.TABLE, **given: Any) -> None:
        action([given[name] for name in ("subject", *settings) if name in given], output, force, form)

    command = with_parameters(run, list(_parameters(generator, settings)))
    for name, settings_class in settings.items():
        command = takes(settings_class, name, generator.without)(command)
    return command


def _parameters(generator: "Generator", settings: Mapping[str, type]) -> Iterator[Parameter]:
    def parameter(name: str, annotation: Any, default: Any = Parameter.empty) -> Parameter:
        return Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=annotation)

    if generator.subject is not None:
        argument = typer.Argument(metavar=generator.subject.metavar, help=generator.subject.help)
        yield parameter("subject", Annotated[str, argument])
    yield parameter("output", ProgramOutputOption if generator.is_program else OutputOption)
    for name in settings:
        yield parameter(name, Any)
    if generator.has_tables:
        yield parameter("form", FormOption, Format.TABLE)
    yield parameter("force", ForceOption, False)
