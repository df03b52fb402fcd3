"""Any text with a request on each line, described column by column: ``csv:time=ts:us,offset=lba:512,...``.

See `HELP` for the words. Fields in double quotes lose them; a separator within them is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout, plain_header
from iotrace.formats.disk_io.fields import decimal_ns, filetime_ns, one_of, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.format import Format
from iotrace.formats.reading.batches import Batch
from iotrace.formats.vscsi import READS, WRITES
from iotrace.libraries import pl

PREFIX = "csv:"
HELP = """
[b]Columns of a text[/b] (--columns NAME=COLUMN:UNIT,... reads any text with a request on each line):

 NAME     time, offset, length, op, device, latency, service, pid, program, file, host;
          only offset is required
 COLUMN   its name in the first line; or its number from 1, for text without a line of names;
          or @VALUE, the same value for all requests
 UNIT     of time, latency, service: s (the default), ms, us, ns; of time also filetime (100 ns
          since 1601)
          of offset and length: bytes in a unit, 1 by default: 512, 4K
          of op: the words for read and write, as in 0/1 or READ/WRITE; scsi for SCSI codes; by
          default r, w, read and write, in any case (also d and discard, f and flush)

 file without device: offsets are within the file, and each file counts as a separate disk, as for
 traces of a cache's keys (file=KEY,offset=@0,length=SIZE)
 file with device: offsets are on the device; file is a name
 separator=tab, space or semicolon instead of the comma; epoch=1970 for times since 1970
 For example: time=ts:us,offset=lba:512,length=@4096,op=type:0/1
"""
WORDS = {
    **dict.fromkeys(("r", "read"), "read"),
    **dict.fromkeys(("w", "write"), "write"),
    **dict.fromkeys(("d", "discard", "trim", "unmap"), "discard"),
    **dict.fromkeys(("f", "flush", "sync"), "flush"),
}
TIME_UNITS = {"s": 1_000_000_000, "ms": 1_000_000, "us": 1_000, "ns": 1}
TIMES = {"time": "time_ns", "latency": "latency_ns", "service": "service_ns"}
SIZES = {"offset": "offset_bytes", "length": "length_bytes"}
TEXTS = {"device": "device", "program": "program", "file": "file", "host": "host"}
NAMES = (*TIMES, *SIZES, "op", "pid", *TEXTS)
SEPARATORS = {"tab": "\t", "space": " ", "semicolon": ";", "comma": ","}
LARGEST_BYTES = 2**62
"""What offsets and lengths are below."""
MOST_FAR = 0.01
"""The largest share of lines with an offset beyond any disk that are skipped as damaged; with more it is no offset."""
FEW_FAR = 20
"""Up to this number of lines count as damaged at any share, unless they are most of the trace."""
MOST_DIGITS = 5
"""Of a column's number."""
MULTIPLES = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


@dataclass(frozen=True)
class Column:
    """Where a quantity stands and in what unit."""

    name: str
    source: str
    unit: str


@dataclass(frozen=True)
class Columns:
    """A whole description, as the user wrote it and understood."""

    text: str
    columns: tuple[Column, ...]
    separator: str = ","
    base: str = "relative"

    @property
    def by_file(self) -> bool:
        """Whether offsets are places in files: those of a trace that names files and no devices."""
        names = {column.name for column in self.columns}
        return "file" in names and "device" not in names

    @property
    def has_header(self) -> bool:
        """Whether a column is called by a name."""
        return any(
            not column.source.isdecimal() for column in self.columns if not column.source.startswith("@")
        )


def parse(text: str) -> Columns:
    """Read a description; raises UsageError for words that are none."""
    columns: dict[str, Column] = {}
    separator, base = ",", "relative"
    for item in filter(None, text.split(",")):
        name, equals, rest = item.partition("=")
        name = name.strip().lower()
        if not equals or not rest:
            raise UsageError(f"--columns: {item!r} is not NAME=COLUMN")
        if name == "separator":
            separator = _choice(SEPARATORS, rest, "separator")
        elif name == "epoch":
            base = _choice({"1970": "epoch"}, rest, "epoch")
        elif name not in NAMES:
            raise UsageError(
                f"--columns: there is no {name}; there are {', '.join(NAMES)}, separator and epoch"
            )
        elif name in columns:
            raise UsageError(f"--columns: {name} is given twice")
        else:
            source, _, unit = rest.partition(":") if not rest.startswith("@") else (rest, "", "")
            columns[name] = Column(name, source.strip(), unit.strip())
            _expression(columns[name], lambda source: "")  # so that a bad unit is reported at once
    if "offset" not in columns:
        keys = "; where each file= is an object without places, offset=@0" if "file" in columns else ""
        raise UsageError(
            f"--columns: offset is needed: where a request's place stands, as in offset=lba:512{keys}"
        )
    if columns.get("time", Column("", "", "")).unit == "filetime":
        base = "epoch"
    return Columns(text, tuple(columns.values()), separator, base)


def _choice(known: Mapping[str, str], word: str, name: str) -> str:
    if word not in known:
        raise UsageError(f"--columns: {name} is {' or '.join(known)}, not {word}")
    return known[word]


def _expression(column: Column, field: Callable[[str], str]) -> tuple[str, pl.Expr]:
    """Return the batch's column that this one fills, and how; `field` gives the field's name in the frame."""
    name, unit = column.name, column.unit
    at = field(column.source)
    if name == "time" and unit == "filetime":
        return "time_ns", filetime_ns(at)
    if name in TIMES:
        if unit and unit not in TIME_UNITS:
            raise UsageError(f"--columns: the unit of {name} is one of {', '.join(TIME_UNITS)}, not {unit}")
        return TIMES[name], decimal_ns(at, TIME_UNITS[unit or "s"])
    if name in SIZES:
        scale = _bytes(name, unit)
        units = whole(at)
        return SIZES[name], pl.when(units.abs() < LARGEST_BYTES // scale).then(units * scale)
    if name == "op":
        return "operation", one_of(at, _words(unit))
    if unit:
        raise UsageError(f"--columns: {name} has no unit")
    if name == "file":
        return name, pl.when(pl.col(at) != "").then(pl.col(at))
    return (name, whole(at)) if name == "pid" else (TEXTS[name], pl.col(at))


def _is_far(offset: Column, at: str) -> pl.Expr:
    """Return whether an offset is a whole number of units that lies beyond the end of any disk."""
    units, digits = whole(at), pl.col(at).str.contains(r"^[0-9]+$")
    return (units.is_null() & digits) | (units >= LARGEST_BYTES // _bytes("offset", offset.unit))


def _bytes(name: str, unit: str) -> int:
    match = re.fullmatch(r"([1-9][0-9]{0,9}|)([KMG]?)B?", unit, re.IGNORECASE)
    if not match:
        raise UsageError(f"--columns: the unit of {name} is a number of bytes such as 512 or 4K, not {unit}")
    return int(match[1] or 1) * MULTIPLES[match[2].upper()]


def _words(unit: str) -> Mapping[str, str]:
    if not unit:
        return WORDS
    if unit.lower() == "scsi":
        codes = [(f"{code:x}", "read") for code in READS] + [(f"{code:x}", "write") for code in WRITES]
        return {
            form + code: meaning
            for code, meaning in codes
            for form in ("", "0x", "0" if len(code) == 1 else "0x0")
        }
    read, slash, write = unit.partition("/")
    if not slash or not read or not write or read.lower() == write.lower():
        raise UsageError(
            f"--columns: the unit of op is scsi, or the words for read and write as in 0/1, not {unit}"
        )
    return {read: "read", write: "write"}


class ColumnsSource(DelimitedSource):
    """Lines whose fields a description names, by the first line where there are names."""

    def __init__(self, paths: Sequence[Path], columns: Columns) -> None:
        self.columns = columns
        self._lines = self._far = 0
        numbered = [column.source for column in columns.columns if column.source.isdecimal()]
        if any(len(number) > MOST_DIGITS for number in numbered):
            raise UsageError("--columns: a column's number is beyond the end of every line")
        numbers = [int(number) for number in numbered]
        if 0 in numbers:
            raise UsageError("--columns: columns are numbered from 1")
        count = max(numbers, default=1)
        layout = Layout(
            fields=[f"field_{number}" for number in range(1, count + 1)],
            requests=lambda: self._expressions({}),
            required=[
                {"op": "operation", "length": "blocks", "time": "time_ns"}.get(column.name, "lbn")
                for column in columns.columns
            ]
            + (["file"] if columns.by_file else []),
            at_least=count,
            separator=columns.separator,
            header=re.compile("") if columns.has_header else None,
            base=columns.base,
        )
        super().__init__(paths, layout)
        self.notes.by_file = columns.by_file

    def next(self) -> Batch | None:
        """Return the requests of the next lines; raises IotraceError if offsets are no places on a disk."""
        batch = super().next()
        if batch is None or "is_far" not in batch.frame.columns:
            return batch
        far = batch.frame.filter(pl.col("is_far").fill_null(False))
        self._lines += len(batch.frame)
        self._far += len(far)
        are_keys = self._far > FEW_FAR or 2 * self._far > self._lines
        if len(far) and are_keys and self._far > MOST_FAR * self._lines:
            line = far["record"][0]
            key = next(column.source for column in self.columns.columns if column.name == "offset")
            raise IotraceError(
                f"{self.reading.path}: line {line}: the offset is beyond the end of any disk, as in {self._far:,} of"
                f" {self._lines:,} lines; if it is the key of an object, file={key},offset=@0 instead of"
                f" offset={key} takes each object for a file"
            )
        return batch

    def _expressions(self, numbers: Mapping[str, int]) -> Mapping[str, pl.Expr]:
        constants = {
            column.name: column.source[1:] for column in self.columns.columns if column.source[:1] == "@"
        }
        chosen = dict(
            _expression(column, lambda source: f"field_{numbers.get(source, source)}")
            for column in self.columns.columns
            if column.name not in constants
        )
        if "offset" not in constants:
            offset = next(column for column in self.columns.columns if column.name == "offset")
            chosen["is_far"] = _is_far(offset, f"field_{numbers.get(offset.source, offset.source)}")
        for name, value in constants.items():
            kind, _ = _expression(Column(name, "1", ""), lambda source: "")
            chosen[kind] = pl.lit(_constant(name, value))
        return chosen

    def _begin(self, header: str) -> None:
        """Find the columns by their names in the first line."""
        header = plain_header(header)
        separator = None if self.columns.separator == " " else self.columns.separator
        names = [name.strip().strip('"') for name in header.split(separator)]
        places = {name: number for number, name in enumerate(names, 1)}
        places |= {mark + names[0]: 1 for mark in ("#", "# ")}
        wanted = [column.source for column in self.columns.columns if not column.source.startswith("@")]
        if missing := [name for name in wanted if name not in places and not name.isdecimal()]:
            raise IotraceError(
                f"{self.reading.path}: line 1 names no column {', '.join(missing)}; it names {', '.join(names)[:200]}"
            )
        used = [places[name] if name in places else int(name) for name in wanted]
        self.layout = replace(
            self.layout,
            fields=[f"field_{number}" for number in range(1, max([len(names), *used]) + 1)],
            requests=lambda: self._expressions(places),
            at_least=max(used),
            header=re.compile(re.escape(header) + "$"),
        )


def _constant(name: str, value: str) -> str | int:
    if name == "op":
        if value.lower() not in WORDS:
            raise UsageError(f"--columns: {value} is no operation")
        return WORDS[value.lower()]
    if name in TEXTS:
        return value
    match = re.fullmatch(r"(\d{1,12})([KMG]?)", value, re.IGNORECASE)
    if not match:
        raise UsageError(f"--columns: @{value} is no number")
    return int(match[1]) * MULTIPLES[match[2].upper()]


def columns_format(text: str) -> Format:
    """Return the format that a description makes; raises UsageError for one that cannot be understood."""
    columns = parse(text)
    return block_format(
        name=PREFIX + text,
        sentence="",
        endings="",
        recognises=lambda head: False,
        source=lambda paths: ColumnsSource(paths, columns),
        is_split=True,
    )


def _told_to_describe(paths: Sequence[Path]) -> ColumnsSource:
    raise UsageError("csv: describe the columns with --columns; see iotrace ingest --help-all")


FORMAT = block_format(
    name="csv",
    sentence="Any text with a request on each line, described by --columns (see iotrace ingest --help-all).",
    endings=".csv .txt",
    recognises=lambda head: False,
    source=_told_to_describe,
)
