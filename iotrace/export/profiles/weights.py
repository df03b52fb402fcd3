"""What a profile adds up: stacks of frames, each with its time, bytes or calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field
from enum import StrEnum

from iotrace.errors import IotraceError
from iotrace.families import CALLS
from iotrace.libraries import duckdb
from iotrace.store.store import Store

ROWS = 65536
MOST_BYTES = 192 << 20
"""The memory of the query; what does not fit goes to temporary files."""
Frames = tuple[str, ...]


class Weight(StrEnum):
    """What a frame is as wide as."""

    TIME = "time"
    BYTES = "bytes"
    CALLS = "calls"


_SUMS = {
    Weight.TIME: "sum(cost_ns)",
    Weight.BYTES: "sum(bytes)",
    Weight.CALLS: "count(*)",
}
_UNKNOWN = {Weight.TIME: "cost_ns is null", Weight.BYTES: "false", Weight.CALLS: "false"}
_LACKING = {
    Weight.TIME: "no call of the trace has a duration; --by calls and --by bytes need none",
    Weight.BYTES: "no call of the trace moved bytes",
    Weight.CALLS: "the trace has no calls",
}
_PLACES = "list_filter([outermost, directory, file, call], lambda frame: frame is not null)"
_FUNCTIONS = "select stack, list(name order by depth desc) as functions from frame_name group by stack"
_WAITS = f"""
    select [coalesce(program, '(unknown)')] || functions || if(call is null, [], [call]) as frames,
           blocked_ns as cost_ns, null::bigint as bytes
    from off_cpu
    join ({_FUNCTIONS}) using (stack)
    left join process_name using (process)
"""


@dataclass
class Weights:
    """The stacks of a store, the outermost frame first, and how many calls have no place in them."""

    store: Store
    by: Weight
    stacks: bool = False
    left_out: dict[str, int] = field(default_factory=dict, init=False)

    def rows(self) -> Iterator[tuple[Frames, int]]:
        """Give each stack once, with its weight; raises IotraceError where all weigh nothing."""
        if self.stacks:
            self._check_stacks()
        source = _WAITS if self.stacks else f"select {_PLACES} as frames, cost_ns, bytes from placed_call"
        summed = f"""
            select frames, coalesce({_SUMS[self.by]}, 0)::hugeint as weight,
                   count(*) filter ({_UNKNOWN[self.by]}) as unknown
            from ({source}) group by frames order by frames
        """
        views = ["frame_name", "process_name"] if self.stacks else ["placed_call"]
        without, total = 0, 0
        with closing(self.store.sandboxed(views, MOST_BYTES)) as connection:
            try:
                cursor = connection.execute(summed)
                while rows := cursor.fetchmany(ROWS):
                    for frames, weight, unknown in rows:
                        without += unknown
                        total += weight
                        if weight:
                            yield tuple(frames), weight
            except duckdb.Error as error:
                raise IotraceError(f"{self.store.name}: {error}") from None
        if not total:
            raise IotraceError(f"{self.store.name}: {_LACKING[self.by]}")
        if without:
            self.left_out["calls without a duration"] = without

    def _check_stacks(self) -> None:
        if self.by is Weight.BYTES:
            raise IotraceError(
                f"{self.store.name}: waits move no bytes; --by time and --by calls have stacks"
            )
        tables = self.store.manifest["tables"]
        if self.store.family is not CALLS or not tables.get("stack_frame"):
            raise IotraceError(
                f"{self.store.name}: the trace has no stacks; iotrace record --stacks records them"
            )
