"""The tables of ``iotrace characterize`` as a person reads them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from iotrace.cli.output import Output
from iotrace.cli.terminal import print
from iotrace.errors import UsageError
from iotrace.libraries import pa


def emit_statistics(tables: Mapping[str, pa.Table], output: Output) -> None:
    """Write statistics; for a person, the verdict as sentences."""
    if output.is_interactive and "verdict" in tables:
        print(*tables["verdict"].column("sentence").to_pylist(), sep="\n")
        tables = {name: table for name, table in tables.items() if name != "verdict"}
    output.emit_many(tables)


def emit_list(output: Output) -> None:
    """Write which statistics there are."""
    from iotrace.analysis.characterize import describe

    output.emit(describe(), "Statistics")


def emit_sql(names: Sequence[str], output: Output) -> None:
    """Write the SQL of statistics: for a person to read or to copy as it is; raises UsageError for unknown names."""
    from iotrace.analysis.overview import sql_of

    if not names:
        raise UsageError("name the statistics after the trace; --list shows them")
    table = sql_of(names)
    if output.is_interactive:
        print(*table["sql"].to_pylist(), sep="\n", end="")
        return
    output.emit(table)
