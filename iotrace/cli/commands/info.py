"""``iotrace info``: what a store holds, what was skipped when it was written, and its warnings."""

from typing import Annotated

import typer

from iotrace.cli.inputs import RawTrace, TraceArgument
from iotrace.cli.options.groups import grouped
from iotrace.cli.output import Output
from iotrace.cli.tables.store import emit_disagreements, emit_information

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace info build.iotrace
 iotrace info strace.log --format json
 iotrace info build.iotrace --disagreements
"""
}


@grouped
def info(
    trace: TraceArgument,
    *,
    output: Output,
    raw: RawTrace,
    disagreements: Annotated[
        bool,
        typer.Option(
            "--disagreements",
            help="List the reads and writes for which the reconstructed path is not the kernel's (of logs with -y).",
        ),
    ] = False,
) -> None:
    """Show what a trace holds, what was skipped, warnings, and how many paths agree with the kernel's."""
    store = raw.open(trace)
    if disagreements:
        emit_disagreements(store, output)
    else:
        emit_information(store, output)
