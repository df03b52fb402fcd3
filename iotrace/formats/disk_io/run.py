"""From the requests of any block format to table disk_io: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.requests import BLOCK_BYTES, DISCARD, FIELDS, FLUSH, OPERATIONS
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch, Source
from iotrace.formats.reading.clock import LONGEST_TRACE_NS, Clock
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.skips import Skips

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa

DISK = "disk"
"""What a disk is called of which the trace gives no name."""
MOST_BLOCKS = 2**54
"""No disk has more blocks: a byte beyond them has no 64-bit address."""
LONGEST_BLOCKS = 2**23
"""No request to read or write has so many: its length in bytes fits 32 bits in every block layer."""
UNREADABLE = {
    "time_ns": "no time that can be read",
    "operation": "unknown operation",
    "lbn": "no block number that can be read",
    "blocks": "no length that can be read",
}
TEXT = ("device", "operation", "program", "file", "host", "flags", "reason")
OPTIONAL = ("time_ns", "operation", "blocks", "process", "file", "latency_ns", "service_ns", "host")
"""The columns of table disk_io that a format may lack."""


class DiskRun:
    """A block trace on its way to table disk_io, and to what tables file and process know of it."""

    def __init__(self, name: str, paths: Sequence[Path], source: Source) -> None:
        self.name = name
        self.paths = ", ".join(map(str, paths))
        self.source = source
        self.skips = Skips()
        self.devices, self.hosts, self.flags = Numbers(), Numbers(), Numbers()
        self.files: dict[tuple[str, str], int] = {}
        self.processes = Numbers()
        self.seen = dict.fromkeys(("empty_requests", "discards", "flushes", "unaligned_requests"), 0)
        self.told_columns: set[str] = set()
        self.rows = 0
        self.clock = Clock()
        self._usual_ns: int | None = None
        self._ended = False

    def tables(self) -> list[str]:
        """Return the tables that this run writes; the others are derived from them."""
        return ["disk_io", "file", "process"]

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; raises IotraceError at the end of a trace without requests."""
        if self._ended:
            return None
        batch = self.source.next()
        if batch is not None:
            return self._requests(batch)
        self._ended = True
        if not self.rows:
            raise IotraceError(f"{self.paths}: {self._refusal()}")
        return [("file", self._file_table()), ("process", self._process_table())]

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.source.progress()

    def report(self) -> dict[str, Any]:
        """Return what a manifest tells of the run; ``unsorted`` rows came before an earlier one in time."""
        told = self.source.told
        return {
            "counts": {
                "lines": told.records,
                "parsed": told.records - self.skips.total,
                "skipped_lines": self.skips.total,
                "requests": self.rows,
                "duration_ns": self.clock.duration_ns,
            },
            "skipped": dict(sorted(self.skips.reasons.items())),
            "remarks": told.remarks,
            "seen": {**self.seen, "unsorted_requests": self.clock.unsorted},
            "times": self.clock.report(told),
            "path_agreement": None,
            "lacks": [name for name in OPTIONAL if name not in self.told_columns],
            "warnings": [*self._warnings(), *told.warnings],
            "unsorted": self.clock.unsorted,
        }

    def _warnings(self) -> list[str]:
        told = self.skips.warnings(self.source.told.records)
        if self.clock.unsorted and self.source.told.ordered:
            told.append(
                f"{self.clock.unsorted:,} of {self.rows:,} requests came out of the order of time; they were sorted"
            )
        if unaligned := self.seen["unaligned_requests"]:
            told.append(
                f"{unaligned:,} of {self.rows:,} requests were for pieces of 512-byte blocks and count whole ones"
            )
        if "operation" not in self.told_columns:
            told.append(
                "the trace does not tell reads from writes: the reference stream takes all requests as reads"
            )
        if "blocks" not in self.told_columns:
            told.append("the trace does not tell how long requests are")
        return told

    def _refusal(self) -> str:
        records = self.source.told.records
        if not records and not self.skips.total:
            return "; ".join(["is empty", *self.source.told.warnings])
        if not self.skips.reasons:
            return f"is no {self.name} trace: none of its {records:,} records is a request"
        reason, first = next(iter(self.skips.reasons.items()))
        return (
            f"is no {self.name} trace: none of its {records:,} records is a request; record {first['first_line']}"
            f" ({reason}) is: {first['excerpt']}"
        )

    def _requests(self, batch: Batch) -> list[tuple[str, pa.RecordBatch]]:
        import polars as pl

        frame = self._in_time(checked(batch))
        self.skips.count(frame, batch.excerpt)
        frame = frame.filter(pl.col("reason").is_null())
        return [("disk_io", self._batch(frame))] if len(frame) else []

    def _in_time(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a batch with a reason in the rows that are absurdly far from the first batch's median time."""
        import polars as pl

        if self._usual_ns is None:
            median = frame.filter(pl.col("reason").is_null())["time_ns"].median()
            self._usual_ns = None if median is None else int(median)  # type: ignore[arg-type]
        if self._usual_ns is None:
            return frame
        is_far = ~pl.col("time_ns").is_between(
            self._usual_ns - LONGEST_TRACE_NS, self._usual_ns + LONGEST_TRACE_NS
        )
        return frame.with_columns(
            reason=pl.coalesce("reason", pl.when(is_far).then(pl.lit("time out of range")))
        )

    def _batch(self, frame: pl.DataFrame) -> pa.RecordBatch:
        """Return requests that make sense as rows of table disk_io."""
        import polars as pl

        self._count(frame)
        frame = frame.with_columns(pl.col("device").fill_null(DISK))
        columns: dict[str, Any] = {
            "seq": tables.running(self.rows, len(frame)),
            "time_ns": self.clock.since_zero(frame["time_ns"]).to_arrow(),
            "device": self._device_numbers(frame["device"]).to_arrow(),
            "operation": known(frame["operation"], OPERATIONS),
            "lbn": frame["lbn"].to_arrow(),
            "blocks": frame["blocks"].to_arrow(),
            "process": self._process_numbers(frame).to_arrow(),
            "file": self._file_numbers(frame).to_arrow(),
            "latency_ns": frame["latency_ns"].to_arrow(),
            "service_ns": frame["service_ns"].to_arrow(),
            "host": self.hosts.encoded(frame["host"]),
            "flags": self.flags.encoded(frame["flags"]),
        }
        self.rows += len(frame)
        self.told_columns |= {name for name in OPTIONAL if columns[name].null_count < len(frame)}
        return tables.of_columns("disk_io", columns)

    def _count(self, frame: pl.DataFrame) -> None:
        operation = frame["operation"]
        moves = operation.is_null() | operation.is_in(["read", "write"])
        self.seen["empty_requests"] += int((moves & (frame["blocks"] == 0)).fill_null(False).sum())
        self.seen["discards"] += int((operation == "discard").sum())
        self.seen["flushes"] += int((operation == "flush").sum())
        self.seen["unaligned_requests"] += int(frame["unaligned"].sum())
        self.clock.see(frame["time_ns"], frame["latency_ns"])

    def _device_numbers(self, names: pl.Series) -> pl.Series:
        before = len(self.devices.of)
        numbers = self.devices.numbers(names)
        for name in list(self.devices.of)[before:]:
            self.files.setdefault(("device", name), len(self.files))
        return numbers

    def _file_numbers(self, frame: pl.DataFrame) -> pl.Series:
        """Give the files that a trace names numbers among those of the devices."""
        import polars as pl

        names = frame["file"]
        if names.null_count() == len(names):
            return pl.Series([None] * 0, dtype=pl.Int32).extend_constant(None, len(names))
        here = {
            name: self.files.setdefault(("file", name), len(self.files))
            for name in names.drop_nulls().unique(maintain_order=True)
        }
        return names.replace_strict(here, default=None, return_dtype=pl.Int32)

    def _process_numbers(self, frame: pl.DataFrame) -> pl.Series:
        import polars as pl

        has_process = pl.col("pid").is_not_null()
        key = pl.when(has_process).then(
            pl.concat_str(pl.col("pid"), pl.col("program").fill_null(""), separator="\0")
        )
        return self.processes.numbers(frame.select(key.alias("process"))["process"])

    def _file_table(self) -> pa.RecordBatch:
        """Return a row for each device, and for each file that the trace names."""
        kinds = {"device": "device", "file": "regular"}
        rows = [
            {
                "file": number,
                "path": name,
                "path_last": name,
                "kind": kinds[kind],
                "device": self.devices.of.get(name) if kind == "device" else None,
                "created": False,
                "deleted": False,
            }
            for (kind, name), number in self.files.items()
        ]
        return tables.of_rows("file", rows)

    def _process_table(self) -> pa.RecordBatch:
        rows = []
        for key, number in self.processes.of.items():
            pid, program = key.split("\0", 1)
            rows.append({"process": number, "thread": int(pid), "pid": int(pid), "program": program or None})
        return tables.of_rows("process", rows)


def checked(batch: Batch) -> pl.DataFrame:
    """Return a batch with all `FIELDS`, places in 512-byte blocks, and a reason in each row that makes no sense."""
    import polars as pl

    frame = _complete(batch.frame)
    if "offset_bytes" in batch.frame.columns:
        offset, length = pl.col("offset_bytes"), pl.col("length_bytes")
        inside = offset % BLOCK_BYTES
        end = (inside + length + BLOCK_BYTES - 1) // BLOCK_BYTES
        frame = frame.with_columns(
            lbn=offset // BLOCK_BYTES,
            blocks=pl.when(length > 0).then(end).otherwise(length.clip(-1, 0)),
            unaligned=((inside != 0) | (length % BLOCK_BYTES != 0)).fill_null(False),
        )
    elif "length_bytes" in batch.frame.columns:
        length = pl.col("length_bytes")
        frame = frame.with_columns(
            blocks=pl.when(length > 0).then((length - 1) // BLOCK_BYTES + 1).otherwise(length.clip(-1, 0)),
            unaligned=(length % BLOCK_BYTES != 0).fill_null(False),
        )
    else:
        frame = frame.with_columns(unaligned=pl.lit(False))
    lbn, blocks = pl.col("lbn"), pl.col("blocks")
    many = blocks >= pl.when(pl.col("operation") == DISCARD).then(MOST_BLOCKS).otherwise(LONGEST_BLOCKS)
    needs_place = pl.col("operation").ne_missing(FLUSH)
    reason = pl.col("reason")
    for name in ("operation", "lbn", "blocks", "time_ns"):
        if name in (*batch.required, "lbn"):
            lacks = pl.col(name).is_null() & (pl.lit(name in ("time_ns", "operation")) | needs_place)
            reason = pl.coalesce(reason, pl.when(lacks).then(pl.lit(UNREADABLE[name])))
    reason = pl.coalesce(
        reason,
        pl.when(lbn < 0).then(pl.lit("negative block number")),
        pl.when(blocks < 0).then(pl.lit("negative length")),
        pl.when(many).then(pl.lit("length out of range")),
        pl.when((lbn >= MOST_BLOCKS) | (lbn + blocks > MOST_BLOCKS)).then(
            pl.lit("block number out of range")
        ),
        pl.when(pl.col("time_ns").abs() > 2**62).then(pl.lit("time out of range")),
    )
    pid = pl.when(pl.col("pid").abs() < 2**31).then(pl.col("pid"))
    answered = [
        pl.when(pl.col(name) >= 0).then(pl.col(name)).alias(name) for name in ("latency_ns", "service_ns")
    ]
    return frame.with_columns(*answered, reason=reason, pid=pid)


def _complete(frame: pl.DataFrame) -> pl.DataFrame:
    import polars as pl

    kinds = {name: pl.String if name in TEXT else pl.Int64 for name in FIELDS}
    given = set(frame.columns)
    return frame.select(
        (pl.col(name) if name in given else pl.lit(None)).cast(kind).alias(name)
        for name, kind in kinds.items()
    )
