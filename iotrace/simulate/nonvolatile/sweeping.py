"""Limited non-volatile memory with many settings, over the references of a store: here, or by remote workers."""

from collections.abc import Sequence
from functools import partial

import pyarrow as pa

from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.requests import RemoteRequests, Requests
from iotrace.simulate.in_parts import outcomes_of_parts, threads_of
from iotrace.simulate.nonvolatile.columns import references
from iotrace.simulate.nonvolatile.settings import Settings
from iotrace.simulate.nonvolatile.simulation import TimeSpan, run, with_memory
from iotrace.workers import Workers


def sweep(
    requests: Requests, settings: Sequence[Settings], cache: Cache, workers: Workers | None = None
) -> tuple[pa.Table, TimeSpan]:
    """Return a row for each of the settings that has memory (see `run`), and from when to when references are.

    Remote workers take some of the settings each, and read the references themselves. Raises as `run`, `references`
    and `map_merge` do.
    """
    if workers is None or not workers.is_remote:
        return _run(requests, settings, cache, threads_of(workers))
    simulated = partial(_remote, requests.sent(), cache)
    parts = outcomes_of_parts(workers, simulated, with_memory(settings, cache))
    return pa.concat_tables([rows for rows, _ in parts]).combine_chunks(), parts[0][1]


def _run(
    requests: Requests, settings: Sequence[Settings], cache: Cache, threads: int
) -> tuple[pa.Table, TimeSpan]:
    span = TimeSpan()
    rows = run(span.watched(references(requests, settings)), settings, requests.warmed(cache), threads)
    return rows, span


def _remote(
    sent: RemoteRequests, cache: Cache, settings: Sequence[Settings]
) -> list[tuple[pa.Table, TimeSpan]]:
    return [_run(sent.read(), settings, cache, threads=1)]
