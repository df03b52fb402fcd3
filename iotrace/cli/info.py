"""``iotrace info``: what a store holds, what its ingest skipped, how far it can be trusted."""

from __future__ import annotations

from typing import Any

from iotrace.cli.output import Format, FormatOption, OutputOption
from iotrace.cli.trace import ModelOption, TraceArgument, TraceFormatOption, open_trace

SETTINGS = {
    "epilog": """
[b]Examples[/b]

 iotrace info build.iotrace
 iotrace info strace.log --format json
"""
}


def info(
    trace: TraceArgument,
    form: FormatOption = Format.TABLE,
    output: OutputOption = None,
    model: ModelOption = None,
    trace_format: TraceFormatOption = None,
) -> None:
    """Tell what a trace holds: counts, skipped lines, warnings, and agreement with the kernel's paths."""
    from iotrace.cli.output import emit, write_json
    from iotrace.information import information, information_table

    store = open_trace(trace, model, trace_format)
    told: dict[str, Any] = information(store)
    if form is Format.JSON:
        write_json(told, output)
    else:
        emit(information_table(told), form, output, str(store.path))
