"""A trace on its way to its native table, batch by batch: checked, numbered, counted, the same for every family."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

from iotrace.errors import IotraceError
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import BLANK, Batch, Source
from iotrace.formats.reading.clock import Clock, trace_limits
from iotrace.formats.reading.durations import Durations
from iotrace.formats.reading.file_counts import CountsByFile, FileCounts
from iotrace.formats.reading.names import Numbers
from iotrace.formats.reading.open_ends import Lengths, left_out, may_be_cut
from iotrace.formats.reading.skips import Skips
from iotrace.libraries import np, pa, pl

LEAVE_OUT = "the files of one trace have one format: leave this one out, or ingest it alone"


class TraceRun(ABC):
    """A trace on its way to a native table, and to what tables file and process know of it."""

    table: ClassVar[str]
    """The native table."""
    optional: ClassVar[Sequence[str]]
    """The columns of the native table that a format may lack."""
    taken: ClassVar[str]
    """The column with a row's duration, in nanoseconds."""
    lasting: ClassVar[Sequence[str]]
    """All columns of a batch with durations, in nanoseconds."""
    lasting_noun: ClassVar[str] = "durations"
    length: ClassVar[str]
    """The column of a batch with the length of a record."""
    length_unit_bytes: ClassVar[int] = 1
    row: ClassVar[str]
    """The name of a row of the table in a sentence."""
    without_records: ClassVar[str]
    """The error message for a trace without records."""

    def __init__(self, name: str, paths: Sequence[Path], source: Source) -> None:
        self.name = name
        self.paths = ", ".join(map(str, paths))
        self.source = source
        self.skips = Skips()
        self.counts_by_file = CountsByFile()
        self.clock = Clock()
        self.hosts, self.flags, self.processes = Numbers(), Numbers(), Numbers()
        self.seen: dict[str, int] = {}
        self.durations = Durations(self.lasting, self.lasting_noun, self.seen)
        self.recorded_columns: set[str] = set()
        self.rows = 0
        self.requests = 0
        self.usual_ns: int | None = None
        """The median time of the first batch that has times; times too far from it are rejected."""
        self._ended = False
        self.lengths = Lengths(self.length_unit_bytes)

    @property
    def unit(self) -> str:
        """The name of a record of the trace in a sentence."""
        return "record"

    def tables(self) -> list[str]:
        """Return the tables that this run writes; the others are derived from them."""
        return [self.table, "file", "process"]

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; raises IotraceError at the end of a trace that gave no row."""
        if self._ended:
            return None
        tables = self.next_rows()
        if tables is not None:
            return tables
        self._ended = True
        self.refuse_without_data()
        return self.last_tables()

    def next_rows(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Return the rows of the next batch, and count them for its file; None after the last."""
        records, rows = self._records, self.rows
        batch = self.source.next()
        if batch is None:
            return None
        file = self.source.notes.file
        if file is not None:
            self.skips.of_file = self.counts_by_file.setdefault(file, FileCounts()).skipped
        tables = self._read(batch)
        self.counts_by_file.see(file, self._records - records, self.rows - rows)
        return tables

    @property
    def _records(self) -> int:
        """How many records were read; blank lines are none."""
        return self.source.notes.records - self.source.notes.remarks.get(BLANK, 0)

    def refuse_without_data(self) -> None:
        """Raise IotraceError for a trace that gave no row, and for one of several files of which none was readable."""
        if not self.rows:
            raise IotraceError(f"{self.paths}: {self._refusal()}")
        if (unreadable := self.counts_by_file.unreadable()) is not None:
            file, counts = unreadable
            raise IotraceError(f"{file}: {self._refused(counts.records, counts.skipped)}; {LEAVE_OUT}")

    def last_tables(self) -> list[tuple[str, pa.RecordBatch]]:
        """Return the tables that are complete only at the end."""
        return [
            ("file", tables.of_rows("file", self._file_rows())),
            ("process", tables.of_rows("process", self._process_rows())),
        ]

    def progress(self) -> tuple[int, int | None]:
        """Return the bytes read and in all."""
        return self.source.progress()

    def report(self) -> dict[str, Any]:
        """Return the manifest's entries on the run; ``unsorted`` rows came before an earlier one in time."""
        notes = self.source.notes
        return {
            "counts": {
                "lines": notes.records,
                "parsed": self._records - self.skips.total,
                "skipped_lines": self.skips.total,
                "requests": self.requests,
                "duration_ns": self.clock.duration_ns,
            },
            "skipped": dict(sorted(self.skips.reasons.items())),
            **self.counts_by_file.report(notes.merged_files),
            "remarks": notes.remarks,
            "seen": {**self.seen, **self._unsorted_seen()},
            "times": self.clock.report(notes),
            "path_agreement": None,
            "lacks": [name for name in self.optional if name not in self.recorded_columns],
            **self._further(),
            "warnings": [*self._warnings(), *notes.damage, *notes.warnings],
            "damage": notes.damage,
            "unsorted": self.clock.unsorted,
        }

    def _unsorted_seen(self) -> dict[str, int]:
        """Return how many requests came out of order, where that is worth telling."""
        return {"unsorted_requests": self.clock.unsorted}

    def _further(self) -> Mapping[str, Any]:
        """Return the entries that only this family's report has."""
        return {}

    def _warnings(self) -> list[str]:
        return [
            *self.skips.warnings(self.source.notes.records),
            *self.durations.warnings(self.rows, self.row),
        ]

    def _refusal(self) -> str:
        records = self.source.notes.records
        if not records and not self.skips.total:
            return "; ".join([self.without_records, *self.source.notes.damage, *self.source.notes.warnings])
        return self._refused(records, self.skips.reasons)

    def _refused(self, records: int, skipped: Mapping[str, Mapping[str, Any]]) -> str:
        """Return what is said where none of some records could be read."""
        refused = f"is not in format {self.name}: none of its {records:,} records is a {self.row}"
        if not skipped:
            return refused
        reason, first = next(iter(skipped.items()))
        return f"{refused}; {self.unit} {first['first_line']} ({reason}) is: {first['excerpt']}"

    def _read(self, batch: Any) -> list[tuple[str, pa.RecordBatch]]:
        """Return the rows of a batch of the source."""
        return self._rows(self._counted(batch), batch.excerpt)

    def _counted(self, batch: Batch) -> pl.DataFrame:
        """Return a batch as `_checked`, and count the durations of rows that make sense."""
        checked = self._checked(batch)
        self.durations.see(batch.frame, checked["reason"].is_null())
        return checked

    def _rows(self, checked: pl.DataFrame, excerpt: Callable[[int], str]) -> list[tuple[str, pa.RecordBatch]]:
        frame = self._end_judged(self._in_time(checked))
        self.skips.count(frame, excerpt)
        frame = frame.filter(pl.col("reason").is_null())
        return [(self.table, self._batch(frame))] if len(frame) else []

    def _end_judged(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a batch that is one line without an end with a reason where that is left out; say what it is."""
        notes, end = self.source.notes, self.source.notes.open_end
        if end is None:
            return frame
        notes.open_end = None
        is_last = pl.lit(True) if end.record is None else pl.col("record") == end.record
        last = frame.filter(is_last)
        if not len(last):
            return frame
        reasons = last["reason"].drop_nulls()
        why = str(reasons[0]) if len(reasons) else self._misfit(last)
        if why is None:
            notes.warnings.append(may_be_cut(end))
            return frame
        notes.damage.append(left_out(end, why))
        return frame.with_columns(reason=pl.coalesce("reason", pl.when(is_last).then(pl.lit("cut short"))))

    def _misfit(self, frame: pl.DataFrame) -> str | None:
        """Return why a record that makes sense by itself is none beside all others."""
        return self.lengths.misfit(frame[self.length])

    def _in_time(self, frame: pl.DataFrame) -> pl.DataFrame:
        """Return a batch with a reason in the rows that are absurdly far from the first batch's median time."""
        if self.usual_ns is None:
            median = frame.filter(pl.col("reason").is_null())["time_ns"].median()
            self.usual_ns = None if median is None else int(median)  # type: ignore[arg-type]
        if self.usual_ns is None:
            return frame
        is_far = pl.when(self._is_far(self.usual_ns)).then(pl.lit("time out of range"))
        return frame.with_columns(reason=pl.coalesce("reason", is_far))

    def _are_in_time(self, summary: Mapping[str, int], times_ns: Callable[[], pa.Array]) -> bool:
        """Return whether no row that the engine read, of this summary, is absurdly far from the usual time."""
        if not summary["rows"]:
            return True
        if self.usual_ns is None:
            self.usual_ns = int(np.median(times_ns().to_numpy()))
        ends_ns = (summary["least_ns"], summary["most_ns"])
        longest_ns = trace_limits()["duration_ns"]
        return all(abs(time_ns - self.usual_ns) <= longest_ns for time_ns in ends_ns)

    def _is_far(self, usual_ns: int) -> pl.Expr:
        """Return which rows are absurdly far from the usual time."""
        longest_ns = trace_limits()["duration_ns"]
        return ~pl.col("time_ns").is_between(usual_ns - longest_ns, usual_ns + longest_ns)

    def _batch(self, frame: pl.DataFrame) -> pa.RecordBatch:
        """Return rows that make sense as rows of the native table."""
        self._count(frame)
        columns = self._columns(frame)
        self.rows += len(frame)
        self.recorded_columns |= {
            name for name in self.optional if self._is_recorded(name, columns[name], frame)
        }
        return tables.of_columns(self.table, columns)

    def _count(self, frame: pl.DataFrame) -> None:
        self.lengths.see(frame[self.length].drop_nulls().to_numpy())
        self.clock.see(frame["time_ns"], frame[self.taken])

    def _is_recorded(self, name: str, column: pa.Array, frame: pl.DataFrame) -> bool:
        """Return whether a batch has a value in an optional column."""
        return bool(column.null_count < len(column))

    @abstractmethod
    def _checked(self, batch: Batch) -> pl.DataFrame:
        """Return a batch with all fields of its family, and a reason in each invalid row."""

    @abstractmethod
    def _columns(self, frame: pl.DataFrame) -> dict[str, Any]:
        """Return the columns of the native table, as Arrow's arrays; `rows` are before them."""

    @abstractmethod
    def _file_rows(self) -> list[dict[str, Any]]:
        """Return the rows of table file, at the end."""

    @abstractmethod
    def _process_rows(self) -> list[dict[str, Any]]:
        """Return the rows of table process, at the end."""
