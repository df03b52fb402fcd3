"""From the requests of any key format to tables key_io and key_name: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.formats.disk_io.delimited import DelimitedSource
from iotrace.formats.disk_io.order import Order
from iotrace.formats.key_io.checks import checked
from iotrace.formats.key_io.parsed import ParsedKeys
from iotrace.formats.key_io.requests import ENDLESS_NS
from iotrace.formats.reading import tables
from iotrace.formats.reading.ahead import Ahead
from iotrace.formats.reading.batches import Batch, Source
from iotrace.formats.reading.names import Numbers
from iotrace.formats.reading.run import TraceRun
from iotrace.key_operations import UNKNOWN, kind_of
from iotrace.libraries import np, pa, pl

ROWS = 1 << 17
"""Keys that are written at a time."""


class KeyRun(TraceRun):
    """A key trace on its way to tables key_io and key_name, and to table file, which has a row for each key."""

    table = "key_io"
    optional = ("time_ns", "operation", "size", "ttl_ns", "tenant", "hit", "duration_ns", "tokens")
    taken = "duration_ns"
    lasting = ("duration_ns",)
    length = "size"
    row = "request"
    without_records = "is empty"

    def __init__(self, name: str, paths: Sequence[Path], source: Source) -> None:
        from iotrace.engine import native

        super().__init__(name, paths, source)
        self.keys = native.KeyNumbers()
        self.operations, self.tenants = Numbers(), Numbers()
        self.seen |= dict.fromkeys(("zero_sizes", "zero_ttls", "endless_ttls", "unknown_operations"), 0)
        self._order = Order()

    def read_ahead(self, threads: int) -> None:
        """Have threads read the fields of lines before their turn; keys are numbered in the order of the lines."""
        if isinstance(self.source, DelimitedSource):
            self.source = Ahead(self.source, threads)

    def tables(self) -> list[str]:
        """Return the tables that this run writes."""
        return [self.table, "key_name", "tenant_name", "file", "process"]

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on, then return what tenants and keys are called; raises IotraceError for a trace that gave no row."""
        if self._ended:
            return self._next_keys()
        tables = self.next_rows()
        if tables is not None:
            return [(self.table, ready) for _, rows in tables for ready in self._order.take(rows)]
        self._ended = True
        self.refuse_without_data()
        return [*((self.table, rows) for rows in self._order.rest()), ("tenant_name", self._tenants())]

    def report(self) -> dict[str, Any]:
        """Return the manifest's entries on the run; ``unsorted`` rows of the table are out of the order of time,
        and the columns ``unknown`` are yet to be made null."""
        unknown = self.source.notes.unknown
        self.recorded_columns -= set(unknown)
        report = super().report()
        report["counts"]["keys"] = len(self.keys)
        return report | {"unsorted": 0 if self._order.is_kept else report["unsorted"], "unknown": unknown}

    def _next_keys(self) -> list[tuple[str, pa.RecordBatch]] | None:
        rows = self.keys.next_rows(ROWS)
        if rows is None:
            return None
        columns = {name: rows[name] for name in rows.schema.names}
        path = columns["name"] if columns["number"].null_count else _unsigned(columns["number"])
        count = rows.num_rows
        of_file = {
            "file": columns["key"],
            "path": path,
            "path_last": path,
            "kind": pa.DictionaryArray.from_arrays(
                pa.repeat(pa.scalar(0, pa.int32()), count), pa.array(["regular"], pa.string())
            ),
            **dict.fromkeys(("job", "of_file", "device"), pa.nulls(count, pa.int32())),
            **{name: columns[name] for name in rows.schema.names if name.startswith("size_")},
            **dict.fromkeys(("created", "deleted"), pa.repeat(False, count)),
        }
        return [
            ("key_name", tables.of_columns("key_name", columns)),
            ("file", tables.of_columns("file", of_file)),
        ]

    def _tenants(self) -> pa.RecordBatch:
        names = pa.array(list(self.tenants.of), pa.string())
        return tables.of_columns("tenant_name", {"tenant": tables.running(0, len(names)), "name": names})

    def _warnings(self) -> list[str]:
        warnings = super()._warnings()
        if self.clock.unsorted and self.source.notes.ordered:
            warnings.append(
                f"{self.clock.unsorted:,} of {self.rows:,} requests came out of the order of time; they were sorted"
            )
        if "operation" not in self.recorded_columns:
            warnings.append(
                "the trace does not state operations: the reference stream takes all requests as reads"
            )
        elif unknown := self.seen["unknown_operations"]:
            names = [name for name in self.operations.of if kind_of(name) == UNKNOWN]
            warnings.append(
                f"{unknown:,} of {self.rows:,} requests have operations that are not known to read, write or delete,"
                f" and count as reads: {', '.join(names[:5])}"
            )
        if "size" not in self.recorded_columns:
            warnings.append("the trace does not state the sizes of objects")
        if zero := self.seen["zero_ttls"]:
            warnings.append(
                f"{zero:,} of {self.rows:,} requests have a time to live of 0, which is taken for none"
            )
        if endless := self.seen["endless_ttls"]:
            warnings.append(
                f"{endless:,} of {self.rows:,} requests have a time to live beyond 292 years, which is taken for none"
            )
        return warnings

    def _read(self, batch: Batch | ParsedKeys) -> list[tuple[str, pa.RecordBatch]]:
        if not isinstance(batch, ParsedKeys):
            return super()._read(batch)
        rows, summary = batch.rows, batch.rows.summary()
        if not self._are_in_time(summary, lambda: rows.requests(0)["time_ns"]):
            return super()._read(batch.batch())
        if rows.is_cut:
            self.skips.count(batch.skipped(), batch.excerpt)
        return [(self.table, self._parsed_batch(batch, summary))] if summary["rows"] else []

    def _parsed_batch(self, batch: ParsedKeys, summary: Mapping[str, int]) -> pa.RecordBatch:
        """Return requests that the engine read as rows of the table, counted and numbered as `_batch` does."""
        self.clock.see_summary(summary, batch.rows.unsorted)
        self.requests += summary["rows"]
        self.seen["zero_sizes"] += summary["zero_sizes"]
        operations, tenants = batch.operations(), batch.tenants()
        rows = batch.rows.table(
            self.keys,
            self.rows,
            self.clock.zero_ns or 0,
            dict(zip(operations, self.operations.numbered(operations.values()), strict=True)),
            dict(zip(tenants, self.tenants.numbered(tenants.values()), strict=True)),
        )
        self.rows += len(rows)
        columns = {name: rows[name] for name in rows.schema.names}
        self.recorded_columns |= {name for name in self.optional if columns[name].null_count < len(rows)}
        columns["operation"] = self._named_operations(columns["operation"])
        return tables.of_columns(self.table, columns)

    def _checked(self, batch: Batch) -> pl.DataFrame:
        return checked(batch)

    def _count(self, frame: pl.DataFrame) -> None:
        super()._count(frame)
        self.requests += len(frame)
        self.seen["zero_sizes"] += int((frame["size"] == 0).sum())
        self.seen["zero_ttls"] += int((frame["ttl_ns"] == 0).sum())
        self.seen["endless_ttls"] += int((frame["ttl_ns"] == ENDLESS_NS).sum())

    def _columns(self, frame: pl.DataFrame) -> dict[str, Any]:
        are_names = frame["number"].null_count() == len(frame)
        keys = frame["key"].to_arrow().cast(pa.large_string()) if are_names else frame["number"].to_arrow()
        numbers = self.keys.numbers(keys)
        sizes = frame["size"].to_arrow()
        if sizes.null_count < len(sizes):
            self.keys.see_sizes(numbers, sizes)
        ttl_ns = pl.col("ttl_ns")
        lasting = frame.select(pl.when((ttl_ns > 0) & (ttl_ns < ENDLESS_NS)).then(ttl_ns).alias("ttl_ns"))
        return {
            "seq": tables.running(self.rows, len(frame)),
            "time_ns": self.clock.since_zero(frame["time_ns"]).to_arrow(),
            "operation": self._named_operations(self.operations.numbers(frame["operation"]).to_arrow()),
            "key": numbers,
            "size": sizes,
            "ttl_ns": lasting["ttl_ns"].to_arrow(),
            "tenant": self.tenants.numbers(frame["tenant"]).to_arrow(),
            "hit": frame["hit"].to_arrow(),
            "duration_ns": frame["duration_ns"].to_arrow(),
            "request": frame["request"].to_arrow(),
            "tokens": frame["tokens"].to_arrow(),
        }

    def _named_operations(self, numbers: pa.Array) -> pa.Array:
        """Return numbers of operations with their names, and count those of which is not known what they do."""
        unknown = [number for name, number in self.operations.of.items() if kind_of(name) == UNKNOWN]
        if unknown:
            self.seen["unknown_operations"] += int(np.isin(numbers.drop_null().to_numpy(), unknown).sum())
        return pa.DictionaryArray.from_arrays(numbers, pa.array(list(self.operations.of), pa.string()))

    def _file_rows(self) -> list[dict[str, Any]]:
        return []

    def _process_rows(self) -> list[dict[str, Any]]:
        return []


def _unsigned(numbers: pa.Array) -> pa.Array:
    """Return signed integers of 64 bits as the texts of unsigned ones."""
    return numbers.view(pa.uint64()).cast(pa.string())
