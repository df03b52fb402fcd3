"""The output of commands on a store as a whole: how much was read, and notes on it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from iotrace import units
from iotrace.cli.inputs import warn
from iotrace.cli.output import Format, Output, write_json
from iotrace.cli.terminal import print, warn_of
from iotrace.errors import IotraceError
from iotrace.store.skipped import SkippedRecords

if TYPE_CHECKING:
    from iotrace.store.store import Store


def emit_information(store: Store, output: Output) -> None:
    """Write what there is to know of a store, nested as JSON, else as items and values."""
    from iotrace.store.info import information, information_table

    known = information(store)
    if output.form is Format.JSON:
        write_json(known, output.output)
    else:
        output.emit(information_table(known), store.name)


def emit_disagreements(store: Store, output: Output) -> None:
    """Write where the reconstructed paths are not the kernel's, and say how much could be compared."""
    from iotrace.store.info import checked_calls, disagreements_table

    output.emit(disagreements_table(store), store.name)
    checked, calls = checked_calls(store)
    if checked < calls:
        warn_of(
            f"only {checked:,} of {calls:,} calls could be compared with the kernel's path"
            " (see path_agreement in iotrace info)"
        )


def _read(store: Store) -> str:
    """Return how much was read of a trace."""
    from iotrace.store.info import counted, counted_rows

    if not store.family.answers("accesses"):
        return counted_rows(store)
    counts = store.manifest["counts"]
    requests = "calls" if "calls" in counts else "requests"
    read = counted(store, ("lines", requests, "references", "files", "processes"))
    return f"{read}; {units.plural(counts['skipped_lines'], 'line', 'lines')} skipped"


def say_what_was_read(
    store: Store,
    form: Format | None,
    max_skipped_percent: float,
    judged: Mapping[str, Any] | None = None,
) -> None:
    """Print what was read, and the warnings, or what iotrace info prints.

    Raises IotraceError for a trace that was not read to its end, and for too much skipped. Of a store that grows the
    members of its manifest that are ``judged`` are those of the last partition.
    """
    judged = store.manifest if judged is None else judged
    warn(store.manifest)
    if form is not None:
        emit_information(store, Output(form))
    else:
        print(f"{store.path}: {_read(store)}")
    if judged.get("damage"):
        raise IotraceError(f"{store.path}: is written, but the trace could not be read to its end")
    if too_many := SkippedRecords.too_many_of(judged):
        whose = "" if too_many[0].file is None else f" of {too_many[0].file}"
        raise IotraceError(
            f"{store.path}: is written, but more records{whose} were skipped than --max-skipped"
            f" {max_skipped_percent:g} allows"
        )
