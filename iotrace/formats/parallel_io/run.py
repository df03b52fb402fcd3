"""From the calls of any parallel format to table parallel_io: checked, numbered, counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from iotrace.formats.parallel_io.accesses import LAYERS, NUMBERS, OPERATIONS, WHENCES, ParallelSource
from iotrace.formats.parallel_io.checks import checked
from iotrace.formats.parallel_io.order import OrderWithin
from iotrace.formats.reading import tables
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import LONGEST_TRACE_NS
from iotrace.formats.reading.names import Numbers, known
from iotrace.formats.reading.run import TraceRun
from iotrace.libraries import pa, pl

MOVES = ("read", "write")
"""Operations that are requests."""


class ParallelRun(TraceRun):
    """A parallel trace on its way to table parallel_io, and to what tables file and process know of it."""

    table = "parallel_io"
    optional = (
        "time_ns", "duration_ns", "process", "node", "thread", "layer", "descriptor", "offset", "length",
        "requested", "compute_ns",
    )  # fmt: skip
    taken = "duration_ns"
    row = "call"
    without_records = "holds no call"

    def __init__(self, name: str, paths: Sequence[Path], source: ParallelSource) -> None:
        super().__init__(name, paths, source)
        self.source: ParallelSource = source
        self.files = Numbers()
        self.known: dict[str, tuple[int, str | None]] = {}
        self.in_several: set[str] = set()
        """Processes of which several files hold calls."""
        self._file_of: dict[str, Path] = {}
        self.order = OrderWithin(source.series)

    @property
    def unit(self) -> str:
        """What a record of the trace is called in a sentence."""
        return self.source.unit

    def _warnings(self) -> list[str]:
        broken = self.order.broken
        warning = f"{broken:,} of {self.rows:,} calls came after a later one of their process; they were sorted by time"
        return [*super()._warnings(), *([warning] if broken else [])]

    def _unsorted_seen(self) -> dict[str, int]:
        """Return the counts of disorder: the order of ranks among each other does not count."""
        return {"unsorted_requests": self.order.broken} if self.order.broken else {}

    def _further(self) -> Mapping[str, Any]:
        return {
            "nodes": [self.source.host_of(host) for host in self.hosts.of],
            "processes_in_several_files": len(self.in_several),
            **self.source.about(),
        }

    def _checked(self, batch: Batch) -> pl.DataFrame:
        return checked(batch)

    def _is_far(self, usual_ns: int) -> pl.Expr:
        return super()._is_far(usual_ns) | (pl.col("duration_ns") > LONGEST_TRACE_NS)

    def _columns(self, frame: pl.DataFrame) -> dict[str, Any]:
        return {
            **{name: frame[name].to_arrow() for name in NUMBERS if name != "process"},
            "seq": tables.running(self.rows, len(frame)),
            "time_ns": self.clock.since_zero(frame["time_ns"]).to_arrow(),
            "process": self._process_numbers(frame).to_arrow(),
            "node": self.hosts.numbers(frame["host"]).to_arrow(),
            "layer": known(frame["layer"], LAYERS),
            "operation": known(frame["operation"], OPERATIONS),
            "file": self.files.numbers(frame["file"]).to_arrow(),
            "whence": known(frame["whence"], WHENCES),
            "flags": self.flags.encoded(frame["flags"]),
        }

    def _count(self, frame: pl.DataFrame) -> None:
        super()._count(frame)
        self.order.see(frame)
        self.requests += int(frame["operation"].is_in(MOVES).sum())

    def _is_recorded(self, name: str, column: pa.Array, frame: pl.DataFrame) -> bool:
        """Return whether a batch tells anything of an optional column; an offset counts where a call moves bytes."""
        if name != "offset":
            return super()._is_recorded(name, column, frame)
        return bool(frame["offset"].is_not_null().filter(frame["operation"].is_in(MOVES)).any())

    def _process_numbers(self, frame: pl.DataFrame) -> pl.Series:
        """Give the processes numbers, those that a batch shows first in the order of their ranks."""
        key = pl.coalesce(pl.col("process_key"), pl.col("process").cast(pl.String))
        keyed = frame.select("process", "program", key=pl.when(pl.col("process").is_not_null()).then(key))
        seen = keyed.drop_nulls("key").unique("key", maintain_order=True).sort("process", maintain_order=True)
        for process, program, name in seen.iter_rows():
            if name not in self.known:
                self.known[name] = (process, program)
            if self._file_of.setdefault(name, self.source.reading.path) != self.source.reading.path:
                self.in_several.add(name)
        self.processes.numbers(seen["key"])
        return self.processes.numbers(keyed["key"])

    def _file_rows(self) -> list[dict[str, Any]]:
        paths = [self.source.path_of(name) for name in self.files.of]
        return [
            {
                "file": number,
                "path": path,
                "path_last": path,
                "kind": "regular",
                "created": False,
                "deleted": False,
            }
            for number, path in enumerate(paths)
        ]

    def _process_rows(self) -> list[dict[str, Any]]:
        rows = []
        for name, number in self.processes.of.items():
            process, program = self.known[name]
            job = self.source.run_of(name)
            rows.append(
                {"process": number, "thread": process, "pid": process, "program": program, "job": job}
            )
        return rows
