"""The tables of ``iotrace cluster`` as a person reads them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from iotrace.cli.output import Output

if TYPE_CHECKING:
    import pyarrow as pa

    from iotrace.simulate.cluster.settings import By


def emit_cluster(table: pa.Table, by: By | None, tally: Sequence[str], output: Output) -> None:
    """Write a table of runs, or of counts; with what to say of the program and of them."""
    from iotrace.simulate.cluster.simulation import measures, readings

    remarks: list[str] = [*tally, *json.loads(table.schema.metadata[b"remarks"])]
    if output.is_table:
        remarks += readings(table) if by is None else []
        table = table if by is None else measures(table, by)
    output.emit_remarked({"": table}, remarks, is_part=by is not None)
