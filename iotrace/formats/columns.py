"""Any text with a request on each line, described column by column: ``csv:time=ts:us,offset=lba:512,...``.

See `HELP` for the words. Fields may be in double quotes, as in RFC 4180.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from iotrace.errors import IotraceError, UsageError
from iotrace.formats import described, key_columns
from iotrace.formats.described import Column, Columns, DescribedLines, constant_bytes, unit_bytes, unit_ns
from iotrace.formats.disk_io.delimited import Taken
from iotrace.formats.disk_io.event_pairs import COMPLETED, ISSUED, QUEUED, EventPairs
from iotrace.formats.disk_io.fields import decimal_ns, filetime_ns, one_of, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.format import Format
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.durations import stated_ns
from iotrace.formats.vscsi import READS, WRITES
from iotrace.libraries import pl

PREFIX = "csv:"
HELP = """
[b]Columns of a text[/b] (--columns NAME=COLUMN:UNIT,... reads any text with a request on each line):

 NAME     of requests to disks: time, offset, length, op, device, latency, service, end, action,
          pair, pid, program, file, host; only offset is required
          of requests to caches and key-value stores: time, key, size, op, ttl, tenant, hit,
          latency; only key is required
 COLUMN   its name in the first line; or its number from 1, for text without a line of names;
          or @VALUE, the same value for all requests
 UNIT     of time, end, latency, service, ttl: s (the default), ms, us, ns; of time also filetime
          (100 ns since 1601)
          of offset, length, size: bytes in a unit, 1 by default: 512, 4K
          of a disk's op: the words for read and write, as in 0/1 or READ/WRITE; scsi for SCSI
          codes; by default r, w, read and write, in any case (also d and discard, f and flush)

 a cache's op is a word: get, set, add, replace, append, delete, ...; what codes and other
 words do is said as in op=2:0=get,1=set,2=delete
 file without device: offsets are within the file, and each file counts as a separate disk
 file with device: offsets are on the device; file is a name
 separator=tab, space or semicolon instead of the comma; epoch=1970 for times since 1970
 skip=N: skip the first N lines
 lines that are events: action=COLUMN:ISSUE/COMPLETION has the words for these, as in D/C, or
 with one for queued requests before them, as in Q/D/C (the default); other lines are counted.
 Events of a request have the same pair=COLUMN, or else the same device, offset and length
 For example: time=ts:us,offset=lba:512,length=@4096,op=type:0/1
              time=1,key=2,size=3,separator=space
              time=ts:ms,op=op:0=set,1=get,2=delete,key=id,size=size
              time=1,end=2,pid=4,op=5,device=6,offset=7:512,length=8,separator=space,skip=2
              time=1,action=4:Q/D/C,offset=5:512,length=6:512

 Parquet, Arrow, NumPy (.npy) and JSON Lines have columns, too; their timestamps are in s
"""
WORDS = {
    **dict.fromkeys(("r", "read"), "read"),
    **dict.fromkeys(("w", "write"), "write"),
    **dict.fromkeys(("d", "discard", "trim", "unmap"), "discard"),
    **dict.fromkeys(("f", "flush", "sync"), "flush"),
}
TIMES = {"time": "time_ns", "end": "end_ns", "latency": "latency_ns", "service": "service_ns"}
SIZES = {"offset": "offset_bytes", "length": "length_bytes"}
TEXTS = {"device": "device", "program": "program", "file": "file", "host": "host"}
NAMES = (*TIMES, *SIZES, "op", "action", "pair", "pid", *TEXTS)
ACTIONS = "Q/D/C"
"""blktrace's words for queued, issued and completed."""
LARGEST_BYTES = 2**62
"""Offsets and lengths are smaller."""
MOST_FAR = 0.01
"""Lines with an offset beyond any disk are skipped if they are at most this share; else the column is not an offset."""
FEW_FAR = 20
"""Up to this number of lines count as damaged at any share, unless they are most of the trace."""


def parse(text: str) -> Columns:
    """Read a description; raises UsageError for words that are none."""
    columns = described.parse(text, NAMES, _expression)
    if "offset" not in columns.names:
        keys = (
            "; where each file= is an object without places, key= takes its keys" if columns.by_file else ""
        )
        raise UsageError(
            "--columns: offset or key is needed: where a request's place stands, as in offset=lba:512, or the object"
            f" of a cache's request, as in key=id{keys}"
        )
    _check_events(columns.names)
    return columns


def _check_events(names: set[str]) -> None:
    """Raise UsageError where columns do not go together."""
    for name in ("end", "action"):
        if name in names and "time" not in names:
            raise UsageError(f"--columns: {name} needs time")
    for name, others in (("end", {"latency", "action"}), ("action", {"latency", "service"})):
        if name in names and names & others:
            raise UsageError(f"--columns: {min(names & others)} follows from {name}: give one of the two")
    if "pair" in names and "action" not in names:
        raise UsageError("--columns: pair needs action: which lines begin a request, and which complete it")


def _expression(column: Column, field: Callable[[str], str]) -> tuple[str, pl.Expr]:
    """Return the batch's column that this one fills, and how; `field` gives the field's name in the frame."""
    name, unit = column.name, column.unit
    at = field(column.source)
    if name == "time" and unit == "filetime":
        return "time_ns", filetime_ns(at)
    if name in TIMES:
        moment_ns = decimal_ns(at, unit_ns(name, unit))
        return TIMES[name], moment_ns if name in ("time", "end") else stated_ns(at, moment_ns)
    if name in SIZES:
        scale = unit_bytes(name, unit)
        units = whole(at)
        return SIZES[name], pl.when(units.abs() < LARGEST_BYTES // scale).then(units * scale)
    if name == "op":
        return "operation", one_of(at, _words(unit))
    if name == "action":
        return name, one_of(at, _actions(unit))
    if unit:
        raise UsageError(f"--columns: {name} has no unit")
    if name == "file":
        return name, pl.when(pl.col(at) != "").then(pl.col(at))
    if name == "pair":
        return name, pl.col(at)
    return (name, whole(at)) if name == "pid" else (TEXTS[name], pl.col(at))


def _is_far(offset: Column, at: str) -> pl.Expr:
    """Return whether an offset is a whole number of units that lies beyond the end of any disk."""
    units, digits = whole(at), pl.col(at).str.contains(r"^[0-9]+$")
    return (units.is_null() & digits) | (units >= LARGEST_BYTES // unit_bytes("offset", offset.unit))


def _actions(unit: str) -> Mapping[str, str]:
    actions = (unit or ACTIONS).split("/")
    if (
        len(actions) not in (2, 3)
        or not all(actions)
        or len({word.lower() for word in actions}) < len(actions)
    ):
        raise UsageError(
            "--columns: the unit of action is the words for issue and completion as in D/C, or for queue, issue and"
            f" completion as in {ACTIONS}, not {unit}"
        )
    return dict(zip(actions, (QUEUED, ISSUED, COMPLETED)[-len(actions) :], strict=True))


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


class ColumnsSource(DescribedLines):
    """Lines of requests to disks, whose fields a description names."""

    def __init__(self, paths: Sequence[Path], columns: Columns) -> None:
        self._lines = self._far = 0
        required = [
            {"op": "operation", "length": "blocks", "time": "time_ns"}.get(column.name, "lbn")
            for column in columns.columns
        ] + (["file"] if columns.by_file else [])
        super().__init__(paths, columns, _expression, _constant, required)
        self.notes.by_file = columns.by_file
        self._pairs: EventPairs | None = None
        if "action" in columns.names:
            is_tag = "pair" in columns.names
            places = {**SIZES, **TEXTS}
            indices = [places[part] for part in ("device", "file", *SIZES) if part in columns.names]
            self._pairs = EventPairs(["pair"] if is_tag else indices, self.notes, is_tag=is_tag)
            # a request is known at its completion, after later ones
            self.notes.ordered = False

    def next(self) -> Batch | None:
        """Return the requests of the next lines; raises IotraceError if offsets are no places on a disk."""
        batch = super().next()
        if batch is None and self._pairs is not None:
            waiting = self._pairs.finish()
            return (
                None
                if waiting is None
                else Batch(waiting, self.layout.required, lambda record: f"line {record}")
            )
        if batch is None or "is_far" not in batch.frame.columns:
            return batch
        far = batch.frame.filter(pl.col("is_far").fill_null(False))
        if len(far):
            self.reading.refuse_in_part("has offsets beyond the end of any disk")
        self._lines += len(batch.frame)
        self._far += len(far)
        are_keys = self._far > FEW_FAR or 2 * self._far > self._lines
        if len(far) and are_keys and self._far > MOST_FAR * self._lines:
            line = far["record"][0]
            key = next(column.source for column in self.columns.columns if column.name == "offset")
            raise IotraceError(
                f"{self.reading.path}: line {line}: the offset is beyond the end of any disk, as in {self._far:,} of"
                f" {self._lines:,} lines; if it is the key of an object, give key={key} instead of offset={key}"
            )
        return batch

    def _expressions(self, numbers: Mapping[str, int]) -> dict[str, pl.Expr]:
        chosen = super()._expressions(numbers)
        if "end_ns" in chosen:
            chosen["latency_ns"] = chosen.pop("end_ns") - chosen["time_ns"]
        if "action" in chosen:
            chosen["remark"] = pl.when(chosen["action"].is_null()).then(pl.lit("events of no request"))
        offset = next(column for column in self.columns.columns if column.name == "offset")
        if not offset.source.startswith("@"):
            chosen["is_far"] = _is_far(offset, f"field_{numbers.get(offset.source, offset.source)}")
        return chosen

    def taken(
        self,
        lines: list[str],
        records: pl.Series,
        excerpt: Callable[[int], str],
        quoted: Mapping[int, list[str]] | None = None,
    ) -> Taken:
        """Return records of which some complete requests whose first line was among earlier ones."""
        first: int = next(iter(records.head(1).to_list()), 0)

        def shown(record: int) -> str:
            return excerpt(record) if record >= first else f"line {record}"

        return super().taken(lines, records, shown if self._pairs else excerpt, quoted)

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self._pairs is None:
            return frame
        is_event = pl.col("reason").is_null() & pl.col("remark").is_null()
        requests = self._pairs.take(frame.filter(is_event))
        return pl.concat([frame.filter(~is_event).drop("action"), requests], how="diagonal")


def _constant(name: str, value: str) -> str | int:
    if name == "op":
        if value.lower() not in WORDS:
            raise UsageError(f"--columns: {value} is not an operation")
        return WORDS[value.lower()]
    if name in TEXTS:
        return value
    return constant_bytes(value)


def columns_format(text: str) -> Format:
    """Return the format that a description makes; raises UsageError for one that cannot be understood."""
    if described.names_key(text):
        return key_columns.columns_format(PREFIX + text, text)
    columns = parse(text)
    return block_format(
        name=PREFIX + text,
        description="",
        endings="",
        recognises=lambda head: False,
        source=lambda paths: ColumnsSource(paths, columns),
        is_split="action" not in columns.names,
        has_lines="action" not in columns.names,
    )


def _told_to_describe(paths: Sequence[Path]) -> ColumnsSource:
    raise UsageError("csv: describe the columns with --columns; see iotrace ingest --help-all")


FORMAT = block_format(
    name="csv",
    description="Any text with a request on each line, described by --columns (see iotrace ingest --help-all).",
    endings=".csv .txt",
    recognises=lambda head: False,
    source=_told_to_describe,
)
