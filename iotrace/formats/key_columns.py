"""Any text with a request to a cache on each line, described column by column: ``csv:time=ts,key=id,size=bytes,...``.

`iotrace.formats.columns` has the help. Keys are texts; those of a trace in which each is an integer from 0 below 2^64,
written without a sign or leading zeros, are integers, which changes how table key_name has them and nothing else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from iotrace.errors import UsageError
from iotrace.formats import described
from iotrace.formats.described import Column, Columns, DescribedLines, constant_bytes, unit_bytes, unit_ns
from iotrace.formats.disk_io.fields import filetime_ns
from iotrace.formats.format import Format
from iotrace.formats.key_io.format import key_format
from iotrace.formats.key_io.requests import decimal_ns, hit, name_of, operation, size, time_to_live
from iotrace.formats.reading.durations import stated_ns
from iotrace.libraries import pl

NAMES = ("time", "key", "size", "op", "ttl", "tenant", "hit", "latency")
FILLS = {"key": "key", "tenant": "tenant", "op": "operation", "hit": "hit"}
"""The batch's columns that have no unit."""


def parse(text: str) -> Columns:
    """Read a description with a column of keys; raises UsageError for words that are none."""
    columns = described.parse(text, NAMES, _expression)
    if any(column.name == "key" and column.source.startswith("@") for column in columns.columns):
        raise UsageError("--columns: key is a column, not the same for all requests")
    return columns


def _expression(column: Column, field: Callable[[str], str]) -> tuple[str, pl.Expr]:
    """Return the batch's column that this one fills, and how; `field` gives the field's name in the frame."""
    name, unit = column.name, column.unit
    at = field(column.source)
    if name == "time":
        return "time_ns", filetime_ns(at) if unit == "filetime" else decimal_ns(at, unit_ns(name, unit))
    if name == "latency":
        return "duration_ns", stated_ns(at, decimal_ns(at, unit_ns(name, unit)))
    if name == "ttl":
        return "ttl_ns", time_to_live(at, unit_ns(name, unit))
    if name == "size":
        return "size", size(at, unit_bytes(name, unit))
    if unit:
        raise UsageError(f"--columns: {name} has no unit")
    made = {"key": name_of, "tenant": name_of, "op": operation, "hit": hit}
    return FILLS[name], made[name](at)


def _constant(name: str, value: str) -> str | int:
    if name in ("op", "tenant"):
        return value.lower() if name == "op" else value
    if name == "hit":
        raise UsageError("--columns: hit is a column, not the same for all requests")
    return constant_bytes(value) * (1 if name == "size" else unit_ns(name, ""))


def columns_format(name: str, text: str) -> Format:
    """Return the format that a description makes; raises UsageError for one that cannot be understood."""
    columns = parse(text)
    required = ["key", *(["time_ns"] if "time" in columns.names else [])]

    def source(paths: Sequence[Path]) -> DescribedLines:
        return DescribedLines(paths, columns, _expression, _constant, required)

    return key_format(name=name, sentence="", endings="", recognises=lambda head: False, source=source)
