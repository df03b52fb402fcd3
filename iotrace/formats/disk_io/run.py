"""From the requests of any block format to table disk_io: checked, numbered, counted."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.formats.disk_io.checks import LATENCIES, checked
from iotrace.formats.disk_io.requests import OPERATIONS, STAGES
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch, Source
from iotrace.formats.reading.clock import LONGEST_TRACE_NS
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.run import TraceRun
from iotrace.libraries import pa, pl

DISK = "disk"
"""What a disk is called of which the trace gives no name."""


class DiskRun(TraceRun):
    """A block trace on its way to table disk_io, and to what tables file and process know of it."""

    table = "disk_io"
    optional = ("time_ns", "operation", "blocks", "process", "file", "latency_ns", "service_ns", "host")
    taken = "latency_ns"
    row = "request"
    without_records = "is empty"

    def __init__(self, name: str, paths: Sequence[Path], source: Source) -> None:
        super().__init__(name, paths, source)
        self.devices = Numbers()
        self.files: dict[tuple[str, str], int] = {}
        self.references = 0
        self.seen = dict.fromkeys(("empty_requests", "discards", "flushes", "unaligned_requests"), 0)
        self.seen |= {"negative_latencies": 0, "latencies_out_of_range": 0}

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; raises IotraceError at the end of a trace that gave no row, or only requests of length 0."""
        tables = super().next()
        if self._ended and self.rows == self.seen["empty_requests"]:
            raise IotraceError(
                f"{self.paths}: none of its {self.rows:,} requests moves data: all have length 0"
            )
        return tables

    def _warnings(self) -> list[str]:
        warnings = super()._warnings()
        if empty := self.seen["empty_requests"]:
            warnings.append(
                f"{empty:,} of {self.rows:,} requests have length 0: they move no data and are no references"
            )
        if not self.references:
            warnings.append("the trace holds discards only: there are no references")
        if self.source.notes.by_file:
            warnings.append(
                f"the trace places requests within files: each of the {len(self.devices.of):,} files counts as a"
                " separate disk"
            )
        if self.clock.unsorted and self.source.notes.ordered:
            warnings.append(
                f"{self.clock.unsorted:,} of {self.rows:,} requests came out of the order of time; they were sorted"
            )
        if unaligned := self.seen["unaligned_requests"]:
            warnings.append(
                f"{unaligned:,} of {self.rows:,} requests were for pieces of 512-byte blocks and count whole ones"
            )
        if negative := self.seen["negative_latencies"]:
            warnings.append(f"{negative:,} latencies of {self.rows:,} requests are negative, and so unknown")
        if long := self.seen["latencies_out_of_range"]:
            warnings.append(
                f"{long:,} latencies of {self.rows:,} requests are longer than thirty years, and so unknown"
            )
        if "operation" not in self.recorded_columns:
            warnings.append(
                "the trace does not distinguish reads from writes: the reference stream takes all requests as reads"
            )
        if "blocks" not in self.recorded_columns:
            warnings.append("the trace does not record the length of requests")
        return warnings

    def _checked(self, batch: Batch) -> pl.DataFrame:
        for name in LATENCIES:
            if name in batch.frame.columns:
                self.seen["negative_latencies"] += int((batch.frame[name] < 0).sum())
                self.seen["latencies_out_of_range"] += int((batch.frame[name] > LONGEST_TRACE_NS).sum())
        return checked(batch)

    def _columns(self, frame: pl.DataFrame) -> dict[str, Any]:
        by_file = self.source.notes.by_file
        frame = frame.with_columns(pl.col("file" if by_file else "device").fill_null(DISK).alias("device"))
        return {
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
            **{name: self.clock.since_zero(frame[name]).to_arrow() for name in STAGES},
        }

    def _count(self, frame: pl.DataFrame) -> None:
        super()._count(frame)
        self.requests += len(frame)
        operation = frame["operation"]
        moves = operation.is_null() | operation.is_in(["read", "write"])
        empty = int((moves & (frame["blocks"] == 0)).fill_null(False).sum())
        self.seen["empty_requests"] += empty
        self.seen["discards"] += int((operation == "discard").sum())
        flushes = int((operation == "flush").sum())
        self.seen["flushes"] += flushes
        self.references += int(moves.sum()) - empty + flushes
        self.seen["unaligned_requests"] += int(frame["unaligned"].sum())

    def _device_numbers(self, names: pl.Series) -> pl.Series:
        before = len(self.devices.of)
        numbers = self.devices.numbers(names)
        kind = "file" if self.source.notes.by_file else "device"
        for name in itertools.islice(self.devices.of, before, None):
            self.files.setdefault((kind, name), len(self.files))
        return numbers

    def _file_numbers(self, frame: pl.DataFrame) -> pl.Series:
        """Give the files that a trace names numbers among those of the devices."""
        names = frame["file"]
        if names.null_count() == len(names):
            return pl.Series([None] * 0, dtype=pl.Int32).extend_constant(None, len(names))
        here = {
            name: self.files.setdefault(("file", name), len(self.files))
            for name in names.drop_nulls().unique(maintain_order=True)
        }
        return names.replace_strict(here, default=None, return_dtype=pl.Int32)

    def _process_numbers(self, frame: pl.DataFrame) -> pl.Series:
        has_process = pl.col("pid").is_not_null()
        key = pl.when(has_process).then(
            pl.concat_str(pl.col("pid"), pl.col("program").fill_null(""), separator="\0")
        )
        return self.processes.numbers(frame.select(key.alias("process"))["process"])

    def _file_rows(self) -> list[dict[str, Any]]:
        """Return a row for each device, and for each file that the trace names.

        Where places are counted in files each of them is alone on a device, which has its number and no row.
        """
        own_device = "file" if self.source.notes.by_file else "device"
        kinds = {"device": "device", "file": "regular"}
        return [
            {
                "file": number,
                "path": name,
                "path_last": name,
                "kind": kinds[kind],
                "device": self.devices.of.get(name) if kind == own_device else None,
                "created": False,
                "deleted": False,
            }
            for (kind, name), number in self.files.items()
        ]

    def _process_rows(self) -> list[dict[str, Any]]:
        rows = []
        for key, number in self.processes.of.items():
            pid, program = key.split("\0", 1)
            rows.append({"process": number, "thread": int(pid), "pid": int(pid), "program": program or None})
        return rows
