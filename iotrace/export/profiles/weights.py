"""The weights of a profile: stacks of frames, each with its time, bytes or calls."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, field

from iotrace.analysis.grouping import Weight
from iotrace.errors import IotraceError
from iotrace.libraries import duckdb
from iotrace.store.store import Store

ROWS = 65536
MOST_BYTES = 192 << 20
"""The memory of the query; what does not fit goes to temporary files."""
Frames = tuple[str, ...]

_LACKING = {
    Weight.TIME: "no call of the trace has a duration; --by calls and --by bytes need none",
    Weight.BYTES: "no call of the trace moved bytes",
    Weight.CALLS: "the trace has no calls",
}
_SUMS = """
    sum(cost_ns)::hugeint as time, sum(bytes)::hugeint as bytes, count(*)::hugeint as calls,
    count(*) filter (cost_ns is null) as without_time
"""
_OF_PLACES = f"""
    select list_filter([outermost, directory, file, call], lambda frame: frame is not null) as frames, *
    from (select outermost, directory, file, call, {_SUMS} from placed_call group by all)
"""
_OF_STACKS = f"""
    select [program] || functions || if(call is null, [], [call]) as frames, *
    from (select program, stack, call, {_SUMS} from {{calls}} group by all)
    join (select stack, list(name order by depth desc) as functions from frame_name group by stack) using (stack)
"""
_CALLS = """(
    select program, stack, call, cost_ns, bytes
    from timed_call
    join call_stack on call_seq = seq
    join process_name using (process)
)"""
_WAITS = """(
    select coalesce(program, '(unknown)') as program, stack, call, blocked_ns as cost_ns, null::bigint as bytes
    from off_cpu
    left join process_name using (process)
)"""


@dataclass
class Weights:
    """The stacks of a store, the outermost frame first, and how many calls have no place in them."""

    store: Store
    by: Weight
    stacks: bool = False
    left_out: dict[str, int] = field(default_factory=dict, init=False)

    def rows(self) -> Iterator[tuple[Frames, int]]:
        """Give each stack once, with its weight; raises IotraceError where all weigh nothing."""
        source, views = self._of_stacks() if self.stacks else (_OF_PLACES, ["placed_call"])
        summed = f"""
            select frames, coalesce(sum({self.by}), 0)::hugeint as weight, sum(without_time) as without_time
            from ({source}) group by frames order by frames
        """
        without, total = 0, 0
        with closing(self.store.sandboxed(views, most_bytes=MOST_BYTES)) as connection:
            try:
                cursor = connection.execute(summed)
                while rows := cursor.fetchmany(ROWS):
                    for frames, weight, without_time in rows:
                        without += without_time
                        total += weight
                        if weight:
                            yield tuple(frames), weight
            except duckdb.Error as error:
                raise IotraceError(f"{self.store.name}: {error}") from None
        if not total:
            raise IotraceError(f"{self.store.name}: {_LACKING[self.by]}")
        if without and self.by is Weight.TIME:
            self.left_out["calls without a duration"] = without

    def _of_stacks(self) -> tuple[str, list[str]]:
        """Return the query of stacks, of calls where the trace has those, else of waits; and the views it needs."""
        tables = self.store.manifest["tables"]
        if not self.store.family.has_model or not tables.get("stack_frame"):
            raise IotraceError(
                f"{self.store.name}: the trace has no stacks; iotrace record --stacks and strace -k record them"
            )
        if tables.get("call_stack"):
            return _OF_STACKS.format(calls=_CALLS), ["timed_call", "frame_name", "process_name"]
        if self.by is Weight.BYTES:
            raise IotraceError(
                f"{self.store.name}: waits move no bytes; --by time and --by calls have stacks"
            )
        return _OF_STACKS.format(calls=_WAITS), ["frame_name", "process_name"]
