"""Opens and closes of a trace, put among the records of its processes."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.simulate.programs import names
from iotrace.simulate.programs.columns import Integers, flags, integers
from iotrace.simulate.programs.program import Tally
from iotrace.store.store import Store

_OPEN, _RECORD, _CLOSE = range(3)
"""The order of operations at the same time."""
WORDS = ("open", "record", "close")


def inserted(
    store: Store, taken: pa.Table, process: Integers, types: Sequence[str], files: Sequence[str]
) -> tuple[pa.Table, Integers, Tally]:
    """Return records, sorted by process, with opens and closes among them, the process of each, and what is left out.

    They are those of table use, at the times that it has: an open from before the trace is none, nor is a close that
    was not seen, and a trace without times has neither. How long they took is not recorded: it counts as 0, so the
    think time after them contains it. Processes that read and write nothing stay left out; their opens and closes are
    counted, as are the opens of a trace without times.
    """
    if "use" not in store.tables:
        return taken, process, Tally()
    uses = _uses(store, types, files)
    events = _events(uses)
    if not events.num_rows:
        has_no_times = taken["time_ns"].null_count == taken.num_rows
        return taken, process, Tally(opens_without_time=uses.num_rows if has_no_times else 0)
    count = taken.num_rows
    rows = np.concatenate([integers(taken["process"], -1), integers(events["process"], -1)])
    dense, _ = names.processes(store, rows)
    theirs = dense[count:]
    # the same process has the same number in both, if not that of the records alone
    known, first = np.unique(dense[:count], return_index=True)
    is_taken = np.isin(theirs, known[known >= 0])
    tally = Tally(opens_of_idle_processes=int((~is_taken).sum()))
    events, theirs = events.filter(pa.array(is_taken)), theirs[is_taken]
    firsts = first[np.searchsorted(known, theirs)]
    events = events.append_column("node", taken["node"].take(pa.array(firsts)))
    plain = _plain(taken)
    missing = [field for field in plain.schema if field.name not in events.column_names]
    for field in missing:
        events = events.append_column(field, pa.nulls(events.num_rows, field.type))
    joined = pa.concat_tables([plain, events.select(plain.column_names).cast(plain.schema)])
    kind = np.concatenate([np.full(count, _RECORD), _kinds(events)])
    time = np.concatenate([_not_before(taken, process), integers(events["time_ns"], -1)])
    of = np.concatenate([process, process[firsts]])
    order = np.lexsort((kind, time, of))
    return joined.take(pa.array(order)), of[order], tally


def _uses(store: Store, types: Sequence[str], files: Sequence[str]) -> pa.Table:
    uses = store.arrow("use", ["file", "process", "type", "open_ns", "close_ns"])
    uses = uses.filter(
        pc.and_(pc.is_in(uses["type"].cast(pa.string()), pa.array(types)), uses["process"].is_valid())
    )
    if files:
        uses = uses.filter(pc.is_in(uses["file"], names.matching(store, files)))
    return uses


def _events(uses: pa.Table) -> pa.Table:
    """Return an open and a close for each use, where it has their times."""
    parts = []
    for word in ("open", "close"):
        timed = uses.filter(uses[f"{word}_ns"].is_valid())
        parts.append(
            pa.table(
                {
                    "time_ns": timed[f"{word}_ns"],
                    "duration_ns": pa.array(np.zeros(timed.num_rows, np.int64)),
                    "process": timed["process"],
                    "file": timed["file"],
                    "operation": pa.array([word] * timed.num_rows, pa.string()),
                }
            )
        )
    return pa.concat_tables(parts)


def _kinds(events: pa.Table) -> Integers:
    return integers(pc.index_in(events["operation"], pa.array(WORDS)), -1)


def _plain(taken: pa.Table) -> pa.Table:
    """Return a table with strings instead of dictionaries."""
    fields = [
        field.with_type(pa.string()) if pa.types.is_dictionary(field.type) else field.with_nullable(True)
        for field in taken.schema
    ]
    return taken.cast(pa.schema([field.with_nullable(True) for field in fields]))


def _not_before(taken: pa.Table, process: Integers) -> Integers:
    """Return when each record comes, but not before those that are before it in its process."""
    time = np.where(flags(taken["time_ns"].is_valid()), integers(taken["time_ns"], -1), -1)
    ends = np.append(np.flatnonzero(np.diff(process)) + 1, len(process))
    start = 0
    for end in ends:
        np.maximum.accumulate(time[start:end], out=time[start:end])
        start = end
    return time
