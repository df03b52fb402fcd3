"""The output of ``iotrace disk``: tables and drawings of drives."""

from __future__ import annotations

from typing import TYPE_CHECKING

from iotrace.cli.output import Format, Output, write_json
from iotrace.libraries import pa

if TYPE_CHECKING:
    from iotrace.simulate.disk import Description


def emit_drive(name: str, drive: Description, output: Output) -> None:
    """Write a drive: its properties, its zones, its seek curve, and the sources of all that."""
    from iotrace.simulate.disk import overview, seek_table, zone_table

    tables = {"drive": overview({name: drive}), "zones": zone_table(drive), "seek": seek_table(drive)}
    sources = [f"Source: {source}" for source in drive.sources]
    note = [f"Where its parameters come from: {drive.provenance}.", *sources]
    output.emit_many(tables, "\n".join(note))


def emit_agreement(requests: pa.Table, title: str, output: Output) -> None:
    """Write how far simulated service times agree with those measured; as JSON one object, its halves below it."""
    from iotrace.simulate.disk import agreement

    table = agreement(requests)
    if output.form is Format.JSON:
        whole, *halves = table.to_pylist()
        write_json({**whole, "halves": halves}, output.output)
    else:
        output.emit(table, title)
