"""The table of ``iotrace nonvolatile`` as a person reads it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.output import PIECES, Output
from iotrace.cli.terminal import print, warn_of_all

if TYPE_CHECKING:
    import pyarrow as pa

AT_RISK = (
    "At risk is what a crash would have lost, at a random moment in the mean, and at the worst one."
    f" Oldest is the longest time for which a write was. {PIECES}"
)
UNSECURED = " Unsecured are dirty blocks of data that may be lost; they are not counted as at risk."
TEMPORARY = (
    " Temporary files are those that the trace creates and deletes, which is known only afterwards: these rows show"
    " what perfect knowledge would save."
)


def emit_nonvolatile(rows: pa.Table, warnings: Sequence[str], block_bytes: int, output: Output) -> None:
    """Write the result, after warnings."""
    from iotrace.simulate.nonvolatile.sentences import largest_saving

    warn_of_all(warnings)
    if not output.is_table:
        output.emit(rows)
        return
    title = f"Limited non-volatile memory, blocks of {units.size(block_bytes)}"
    intervals = sorted({value for value in rows["interval_ns"].to_pylist() if value is not None})
    if intervals:
        title += f", an interval of {', '.join(map(units.duration, intervals))}"
    conditions = set(rows["may_be_lost"].to_pylist()) - {None}
    saving = largest_saving(rows.to_pylist())
    if saving and output.output is None:
        print(saving)
    note = AT_RISK + UNSECURED * bool(conditions) + TEMPORARY * ("temporary" in conditions)
    output.emit(rows, title, note, block_bytes=block_bytes)
