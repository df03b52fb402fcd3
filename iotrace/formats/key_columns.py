"""Any text with a request to a cache on each line, described column by column: ``csv:time=ts,key=id,size=bytes,...``.

`iotrace.formats.columns` has the help. Keys are texts; those of a trace in which each is an integer from 0 below 2^64,
written without a sign or leading zeros, are integers, which changes how table key_name has them and nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats import described
from iotrace.formats.described import Column, Columns, DescribedLines, constant_bytes, unit_bytes, unit_ns
from iotrace.formats.disk_io.delimited import Taken
from iotrace.formats.disk_io.fields import filetime_ns
from iotrace.formats.format import Format
from iotrace.formats.key_io.format import key_format
from iotrace.formats.key_io.requests import decimal_ns, hit, name_of, operation, size, time_to_live
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.durations import stated_ns
from iotrace.key_operations import UNKNOWN, kind_of
from iotrace.libraries import pl

NAMES = ("time", "key", "size", "op", "ttl", "tenant", "hit", "latency")
FILLS = {"key": "key", "tenant": "tenant", "op": "operation", "hit": "hit"}
"""The batch's columns that have no unit; but op may have what its codes mean."""
CODE = re.compile(r"[-+]?[0-9]")
"""How an operation begins that is a code, which says by itself nothing of what it does."""
MOST_CODES = 5
"""How many codes without names an error lists."""


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
    if name == "op" and unit:
        return "operation", operation(at).replace(_meanings(unit))
    if unit:
        raise UsageError(f"--columns: {name} has no unit")
    readers = {"key": name_of, "tenant": name_of, "op": operation, "hit": hit}
    return FILLS[name], readers[name](at)


def _meanings(unit: str) -> dict[str, str]:
    """Return what codes of operations mean, of CODE=OPERATION,...; raises UsageError for what is none."""
    meanings: dict[str, str] = {}
    for item in unit.split(","):
        code, _, meaning = (part.strip().lower() for part in item.partition("="))
        if not code or not meaning:
            raise UsageError(f"--columns: {item!r} of op is not CODE=OPERATION, as in 0=get")
        if code in meanings:
            raise UsageError(f"--columns: code {code} of op is given twice")
        meanings[code] = _known(meaning)
    return meanings


def _known(word: str) -> str:
    """Return an operation; raises UsageError for another word."""
    if kind_of(word) == UNKNOWN:
        raise UsageError(f"--columns: {word} is not an operation of a cache, such as get, set or delete")
    return word


def _constant(name: str, value: str) -> str | int:
    if name in ("op", "tenant"):
        return _known(value.lower()) if name == "op" else value
    if name == "hit":
        raise UsageError("--columns: hit is a column, not the same for all requests")
    return constant_bytes(value) * (1 if name == "size" else unit_ns(name, ""))


class KeyColumnsSource(DescribedLines):
    """Lines of requests to caches, whose fields a description names."""

    def finished(self, taken: Taken, frame: pl.DataFrame) -> Batch:
        """Return the requests of records; raises IotraceError for codes of operations that have no names."""
        batch = super().finished(taken, frame)
        if "operation" not in batch.frame.columns:
            return batch
        operations = batch.frame["operation"].drop_nulls().unique(maintain_order=True).to_list()
        if codes := sorted(word for word in operations if CODE.match(word))[:MOST_CODES]:
            line = batch.frame.filter(pl.col("operation").is_in(codes))["record"][0]
            column = next(column.source for column in self.columns.columns if column.name == "op")
            raise IotraceError(
                f"{self.path}: line {line}: what operation {' or '.join(codes)} does is not known; name each"
                f" code in --columns, as in op={column}:0=get,1=set,2=delete"
            )
        return batch


def columns_format(name: str, text: str) -> Format:
    """Return the format that a description makes; raises UsageError for one that cannot be understood."""
    columns = parse(text)
    required = ["key", *(["time_ns"] if "time" in columns.names else [])]

    def source(paths: Sequence[Path]) -> KeyColumnsSource:
        return KeyColumnsSource(paths, columns, _expression, _constant, required)

    return key_format(
        name=name,
        description="",
        endings="",
        recognises=lambda head: False,
        source=source,
        reads_ahead=True,
    )
