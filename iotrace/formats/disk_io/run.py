"""From the requests of any block format to table disk_io: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from iotrace import schemas, units
from iotrace.errors import IotraceError
from iotrace.formats.disk_io.checks import LATENCIES, checked
from iotrace.formats.disk_io.order import Order
from iotrace.formats.disk_io.parsed import ParsedRequests
from iotrace.formats.disk_io.requests import BLOCK_BYTES, OPERATIONS, STAGES
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch, Source
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.run import TraceRun
from iotrace.libraries import pa, pl

if TYPE_CHECKING:
    from iotrace.engine.native import BlockRows

SHORT_BLOCKS, FEWEST_SHORT = 2, 3
"""Where most of some requests or more are for pieces, and reach into so few blocks, sectors may stand for bytes."""
SECTORS = (
    "; most reach into one or two of them, as if places and lengths were in sectors: if so, name the columns with"
    " --columns, those two as offset=COLUMN:512,length=COLUMN:512"
)
ENOUGH_OTHERS = 2
"""How many requests show that all are for whole blocks."""
DISK = "disk"
"""The name of a disk that has none in the trace."""


class DiskRun(TraceRun):
    """A block trace on its way to table disk_io, and to what tables file and process know of it."""

    table = "disk_io"
    optional = ("time_ns", "operation", "blocks", "process", "file", "latency_ns", "service_ns", "host")
    taken = "latency_ns"
    lasting = LATENCIES
    lasting_noun = "latencies"
    length = "blocks"
    length_unit_bytes = BLOCK_BYTES
    row = "request"
    without_records = "is empty"

    def __init__(self, name: str, paths: Sequence[Path], source: Source) -> None:
        super().__init__(name, paths, source)
        self.devices = Numbers()
        self.files: dict[tuple[str, str], int] = {}
        self.references = 0
        self.seen |= dict.fromkeys(
            (
                "empty_requests",
                "discards",
                "flushes",
                "unaligned_requests",
                "unknown_operations",
                "stages_out_of_range",
                "short_requests",
            ),
            0,
        )
        self._order = Order()

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; raises as `refuse_without_data` at the end."""
        tables = super().next()
        if tables is None:
            return None
        if self._ended:
            return [*((self.table, rows) for rows in self._order.rest()), *tables]
        return [(self.table, ready) for _, rows in tables for ready in self._order.take(rows)]

    def as_read(self) -> Iterator[pa.RecordBatch]:
        """Read on, and give the rows in the order of the trace, counted from its first record.

        For one file of a trace, which may lack what a trace must have (see `iotrace.formats.disk_io.parts`).
        """
        while (tables := self.next_rows()) is not None:
            for _, rows in tables:
                yield rows

    def refuse_without_data(self) -> None:
        """Raise IotraceError for a trace that gave no row, or only requests of length 0."""
        super().refuse_without_data()
        if self.rows == self.seen["empty_requests"]:
            raise IotraceError(
                f"{self.paths}: none of its {self.rows:,} requests moves data: all have length 0"
            )

    def report(self) -> dict[str, Any]:
        """Return the manifest's entries on the run; ``unsorted`` rows of the table are out of the order of time."""
        report = super().report()
        return report | {"unsorted": 0 if self._order.is_kept else report["unsorted"]}

    def _warnings(self) -> list[str]:
        warnings = super()._warnings()
        if empty := self.seen["empty_requests"]:
            warnings.append(
                f"{empty:,} of {self.rows:,} requests have length 0: they move no data and are not references"
            )
        if stages := self.seen["stages_out_of_range"]:
            warnings.append(
                f"{units.plural(stages, 'time', 'times')} at which requests were queued, issued or completed"
                f" {'is' if stages == 1 else 'are'} more than 30 years from their arrival, and so unknown"
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
            whole = f"{unaligned:,} of {self.rows:,} requests were for pieces of 512-byte blocks and count whole ones"
            may_be_sectors = min(unaligned, self.seen["short_requests"]) * 2 > self.rows >= FEWEST_SHORT
            warnings.append(f"{whole}{SECTORS if may_be_sectors else ''}")
        if "operation" not in self.recorded_columns:
            warnings.append(
                "the trace does not distinguish reads from writes: the reference stream takes all requests as reads"
            )
        elif unknown := self.seen["unknown_operations"]:
            warnings.append(
                f"the trace does not state of {unknown:,} of {self.rows:,} requests whether they read or write: the"
                " reference stream takes these as reads"
            )
        if "blocks" not in self.recorded_columns:
            warnings.append("the trace does not record the length of requests")
        return warnings

    def _read(self, batch: Batch | ParsedRequests) -> list[tuple[str, pa.RecordBatch]]:
        if not isinstance(batch, ParsedRequests):
            return super()._read(batch)
        summary = batch.rows.summary()
        self.durations.add(summary)
        is_cut = self.source.notes.open_end is not None
        if is_cut or not self._are_in_time(summary, lambda: batch.rows.requests(0)["time_ns"]):
            return self._rows(batch.frame(), batch.excerpt)
        if batch.has_skips:
            self.skips.count(batch.skipped(), batch.excerpt)
        return [(self.table, self._parsed_batch(batch.rows, summary))] if summary["rows"] else []

    def _parsed_batch(self, rows: BlockRows, summary: Mapping[str, int]) -> pa.RecordBatch:
        """Return requests that the engine read as rows of the table, counted and numbered as `_batch` does."""
        self.clock.see_summary(summary, rows.unsorted)
        count = summary["rows"]
        self.requests += count
        for kind in ("empty_requests", "discards", "flushes", "unaligned_requests"):
            self.seen[kind] += summary[kind]
        self.references += count - summary["discards"] - summary["empty_requests"]
        batch = rows.table(
            self.rows,
            self.clock.zero_ns or 0,
            self._numbered_devices(rows.devices),
            self.hosts.numbered(rows.hosts),
            list(self.hosts.of),
        )
        self.rows += count
        self.seen["unknown_operations"] += batch["operation"].null_count
        self._see_short(pl.Series(batch["blocks"]))
        self.lengths.see(batch["blocks"].drop_null().to_numpy())
        self.recorded_columns |= {name for name in self.optional if batch[name].null_count < count}
        return pa.RecordBatch.from_arrays(batch.columns, schema=schemas.schema(self.table))

    def _misfit(self, frame: pl.DataFrame) -> str | None:
        if self.seen["unaligned_requests"]:
            return None
        if frame["unaligned"].any() and self.requests >= ENOUGH_OTHERS:
            return f"it is for a piece of a block of {BLOCK_BYTES} bytes, all others are for whole ones"
        return super()._misfit(frame)

    def _counted(self, batch: Batch) -> pl.DataFrame:
        frame = super()._counted(batch)
        makes_sense = frame["reason"].is_null()
        for name in STAGES:
            if name in batch.frame.columns:
                is_lost = batch.frame[name].is_not_null() & frame[name].is_null() & makes_sense
                self.seen["stages_out_of_range"] += int(is_lost.sum())
        return frame

    def _checked(self, batch: Batch) -> pl.DataFrame:
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
        self.seen["unknown_operations"] += operation.null_count()
        self.seen["discards"] += int((operation == "discard").sum())
        flushes = int((operation == "flush").sum())
        self.seen["flushes"] += flushes
        self.references += int(moves.sum()) - empty + flushes
        self.seen["unaligned_requests"] += int(frame["unaligned"].sum())
        self._see_short(frame["blocks"])

    def _see_short(self, blocks: pl.Series) -> None:
        self.seen["short_requests"] += int(blocks.is_between(1, SHORT_BLOCKS).sum())

    def _device_numbers(self, names: pl.Series) -> pl.Series:
        here = names.unique(maintain_order=True).to_list()
        numbers = dict(zip(here, self._numbered_devices(here), strict=True))
        return names.replace_strict(numbers, return_dtype=pl.Int32)

    def _numbered_devices(self, names: Sequence[str]) -> list[int]:
        """Return the numbers of devices, and give new ones a number among the files."""
        kind = "file" if self.source.notes.by_file else "device"
        for name in names:
            self.files.setdefault((kind, name), len(self.files))
        return self.devices.numbered(names)

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
