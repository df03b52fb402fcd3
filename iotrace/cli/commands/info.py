"""``iotrace info``: what a store holds, what its ingest skipped, how far it can be trusted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from iotrace.cli.inputs import ModelOption, TraceArgument, TraceFormatOption, open_trace
from iotrace.cli.output import (
    ForceOption,
    Format,
    FormatOption,
    OutputOption,
    refuse_to_overwrite,
)
from iotrace.cli.terminal import warn_of

if TYPE_CHECKING:
    from iotrace.store.store import Store

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace info build.iotrace
 iotrace info strace.log --format json
 iotrace info build.iotrace --disagreements
"""
}


DisagreementsOption = Annotated[
    bool,
    typer.Option(
        "--disagreements",
        help="List the reads and writes for which the reconstructed path is not the kernel's (of logs with -y).",
    ),
]


def info(
    trace: TraceArgument,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    force: ForceOption = False,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
    disagreements: DisagreementsOption = False,
) -> None:
    """Show what a trace holds: counts, skipped lines, warnings, and agreement with the kernel's paths."""
    refuse_to_overwrite(output, force)
    store = open_trace(trace, model, trace_format)
    if disagreements:
        from iotrace.cli.output import emit
        from iotrace.store.info import checked_calls, disagreements_table

        emit(disagreements_table(store), form, output, str(store.path))
        checked, calls = checked_calls(store)
        if checked < calls:
            warn_of(
                f"only {checked:,} of {calls:,} calls could be compared with the kernel's path"
                " (see path_agreement in iotrace info)"
            )
    else:
        tell(store, form, output)


def tell(store: Store, form: Format, output: Path | None = None) -> None:
    """Write what there is to know of a store, nested as JSON, else as items and values."""
    from iotrace.cli.output import emit, write_json
    from iotrace.store.info import information, information_table

    told: dict[str, Any] = information(store)
    if form is Format.JSON:
        write_json(told, output)
    else:
        emit(information_table(told), form, output, str(store.path))
