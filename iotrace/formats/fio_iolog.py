"""fio's I/O logs, versions 2 and 3 (HOWTO, "Trace file format"; what ``--write_iolog`` writes is version 3).

``file action [offset length]``, bytes; version 3 has the microseconds since the start before it.
Version 2 has no times but ``wait`` actions, each that many microseconds after the last; without them times are
unknown. add, open and close are not requests; sync and datasync are flushes, trim a discard. Version 1 is refused.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.formats.disk_io.delimited import DelimitedSource, Layout
from iotrace.formats.disk_io.fields import one_of, steps_ns, whole
from iotrace.formats.disk_io.format import block_format
from iotrace.formats.reading.batches import Batch
from iotrace.formats.reading.clock import NS_PER_S, NS_PER_US
from iotrace.libraries import pl

HEADER = r"fio version (\d{1,9}) iolog"
ACTIONS = {"read": "read", "write": "write", "trim": "discard", "sync": "flush", "datasync": "flush"}
FILE_ACTIONS = ("add", "open", "close")
WAIT = "wait"


def _requests() -> Mapping[str, pl.Expr]:
    action = pl.col("action").str.to_lowercase()
    moves = ~action.is_in(["sync", "datasync"])
    return {
        "time_ns": steps_ns("time", NS_PER_US),
        "device": pl.col("name"),
        "operation": one_of("action", ACTIONS),
        "offset_bytes": pl.when(moves).then(whole("offset")),
        "length_bytes": pl.when(moves).then(whole("length")),
        "wait_ns": pl.when(action == WAIT).then(steps_ns("offset", NS_PER_US)),
        "remark": pl.when(action.is_in([*FILE_ACTIONS, WAIT])).then(action),
    }


LONGEST_GAP_NS, FEWEST_TIMES = NS_PER_S, 3
"""From this mean time between requests on, a log of at least this number may have its times in nanoseconds."""

LAYOUT = Layout(
    fields=("name", "action"),
    requests=_requests,
    required=("operation", "blocks"),
    at_least=2,
    header=re.compile(HEADER),
    pattern=r"^(?:(?P<time>\d+) )?\s*(?P<name>\S+)\s+(?P<action>[a-z]+)(?:\s+(?P<offset>-?\d+)\s+(?P<length>-?\d+))?$",
)


class IologSource(DelimitedSource):
    """Lines of either version; the header says which."""

    def __init__(self, paths: Sequence[Path]) -> None:
        super().__init__(paths, LAYOUT)
        self._version = 0
        self._waited_ns: int | None = None
        self._times = 0
        self._first_ns = self._last_ns = 0

    def next(self) -> Batch | None:
        """Return the requests of the next lines; say at the end if their times look like nanoseconds."""
        batch = super().next()
        if batch is not None:
            self._see(batch.frame.filter(pl.col("reason").is_null())["time_ns"].drop_nulls())
        elif self._times >= FEWEST_TIMES and self._version == 3:
            gap_ns = (self._last_ns - self._first_ns) / (self._times - 1)
            if gap_ns >= LONGEST_GAP_NS:
                self.notes.warnings.append(
                    f"its requests are {units.duration(gap_ns)} apart on average, if its times are microseconds, as"
                    " they should be; if they are nanoseconds, rewrite them: awk '$1 ~ /^[0-9]+$/ { $1 = int($1 /"
                    " 1000) } 1' LOG"
                )
                self._times = 0
        return batch

    def _see(self, times_ns: pl.Series) -> None:
        if len(times_ns):
            least_ns, most_ns = int(times_ns.min()), int(times_ns.max())  # type: ignore[arg-type]
            self._first_ns = min(self._first_ns, least_ns) if self._times else least_ns
            self._last_ns = max(self._last_ns, most_ns) if self._times else most_ns
            self._times += len(times_ns)

    def _begin(self, header: str) -> None:
        match = re.match(HEADER, header)
        self._version = int(match[1]) if match else 0
        if self._version not in (2, 3):
            raise IotraceError(
                f"{self.reading.path}: is version {self._version} of fio's iolog; versions 2 and 3 can be read"
            )

    def _followed(self, frame: pl.DataFrame) -> pl.DataFrame:
        if self._version == 0:
            raise IotraceError(
                f"{self.reading.path}: is not an iolog of fio: its first line is not 'fio version N iolog'"
            )
        if self._version == 3:
            unread = pl.col("reason").is_null() & pl.col("time_ns").is_null() & pl.col("remark").is_null()
            return frame.drop("wait_ns").with_columns(
                reason=pl.coalesce("reason", pl.when(unread).then(pl.lit("no time that can be read")))
            )
        if self._waited_ns is None and frame["wait_ns"].null_count() < len(frame):
            self._waited_ns = 0
        if self._waited_ns is not None:
            reached = frame["wait_ns"].fill_null(0).cum_sum() + self._waited_ns
            self._waited_ns = int(reached[-1])
            frame = frame.with_columns(reached.alias("time_ns"))
        return frame.drop("wait_ns")


FORMAT = block_format(
    name="fio-iolog",
    description="fio I/O logs, versions 2 and 3 (fio --write_iolog): file, action, offset, length.",
    endings=".iolog .log",
    recognises=lambda head: re.match(HEADER.encode(), head) is not None,
    source=IologSource,
)
