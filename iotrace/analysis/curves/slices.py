"""A curve from slices of the references that run at the same time: their states merge into the table of one pass."""

from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pyarrow as pa

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.curves import Curves
from iotrace.analysis.curves.passes import references_read
from iotrace.analysis.curves.states import curves_of, record_slice
from iotrace.engine.native import StackState
from iotrace.errors import IotraceError, UsageError


def cut(rows: int, slices: int) -> list[range]:
    """Return consecutive slices of some rows, as equal as can be, none of them empty unless there are no rows."""
    slices = max(min(slices, rows), 1)
    return [range(*ends) for ends in pairwise(rows * place // slices for place in range(slices + 1))]


def simulate_slices(slices: Sequence[Iterable[pa.RecordBatch]], cache: Cache) -> Curves:
    """Run slices of references that follow each other through one cache of every size, each on its own thread.

    The curves are those of one pass. Raises UsageError for a cache whose states do not merge, and IotraceError for
    references that depend on earlier ones, with the advice to use one worker.
    """
    with ThreadPoolExecutor(max_workers=len(slices)) as pool:
        try:
            recorded = list(pool.map(lambda references: record_slice(references, cache, None), slices))
            state = _merged([state for state, _ in recorded], pool)
        except UsageError as error:
            raise UsageError(f"{error}; give --workers 1") from None
        except IotraceError as error:
            raise IotraceError(
                f"slices of the trace cannot run at the same time: {error}, or --workers 1"
            ) from None
    counts = [counts for _, counts in recorded]
    total = {name: sum(each[name] for each in counts) for name in counts[0]}
    return curves_of(state, total, cache)


def _merged(states: list[StackState], pool: ThreadPoolExecutor) -> StackState:
    """Merge neighbours at the same time until one state is left."""
    while len(states) > 1:
        merged = list(pool.map(_merge, states[::2], states[1::2]))
        states = merged + states[len(states) & ~1 :]
    return states[0]


def _merge(left: StackState, right: StackState) -> StackState:
    with references_read():
        left.merge(right)
    return left
