"""Requests of lines that are events: which began and which completed them, by a key that they have in common."""

from __future__ import annotations

from collections.abc import Sequence

from iotrace.formats.reading.batches import SourceNotes
from iotrace.libraries import pl

MOST_WAITING = 1 << 16
"""The most requests that wait for their completion; then the oldest are passed on without one."""
QUEUED, ISSUED, COMPLETED = "Q", "D", "C"


class EventPairs:
    """Pairs events in the order of their lines; what does not pair up is remarked.

    A frame has ``action`` (`QUEUED`, `ISSUED` or `COMPLETED`) and ``time_ns``. An event begins a request if it queues
    one, or issues what was not queued; what follows with the same key belongs to it, up to its completion or the next
    request. Its other columns are those of its first line. Where the place is the key, what is issued again was
    requeued; a key of its own that is issued again (``is_tag``) is another request.
    """

    def __init__(self, key: Sequence[str], notes: SourceNotes, *, is_tag: bool) -> None:
        self._key = list(key)
        self._ends = [ISSUED, COMPLETED] if is_tag else [COMPLETED]
        self._notes = notes
        self._open: pl.DataFrame | None = None

    def take(self, events: pl.DataFrame) -> pl.DataFrame:
        """Return the requests that further events complete."""
        return self._requests(
            events if self._open is None else pl.concat([self._open, events]), is_last=False
        )

    def finish(self) -> pl.DataFrame | None:
        """Return the requests that still wait, at the end; None for none."""
        waiting, self._open = self._open, None
        return None if waiting is None else self._requests(waiting, is_last=True)

    def _requests(self, events: pl.DataFrame, *, is_last: bool) -> pl.DataFrame:
        rows = self._runs(events)
        runs = rows.group_by("run", maintain_order=True).agg(
            issued_ns=pl.col("time_ns").filter(pl.col("action") == ISSUED).max(),
            completed_ns=pl.col("time_ns").filter(pl.col("action") == COMPLETED).min(),
            completions=(pl.col("action") == COMPLETED).sum(),
        )
        heads = pl.concat([rows.filter("starts"), runs.drop("run")], how="horizontal")
        is_request = pl.col("action") != COMPLETED
        is_over = pl.col("completions") > 0
        waits = is_request & ~is_over & ~_same(self._key, -1) & (not is_last)
        waiting = heads.filter(waits).sort("place").tail(MOST_WAITING).select("run")
        rest = rows.join(waiting, "run", "semi").sort("place").select(events.columns)
        self._open = None if is_last else rest
        done = heads.join(waiting, "run", "anti")
        requests = done.filter(is_request)
        lacking = requests.select((~is_over).sum()).item()
        self._notes.remark("requests without completion", lacking)
        surplus = done["completions"].sum() - len(requests) + lacking
        self._notes.remark("completions of what was never seen", surplus)
        queued_ns = pl.when(pl.col("action") == QUEUED).then("time_ns")
        return requests.sort("place").select(
            *(name for name in events.columns if name != "action"),
            "issued_ns",
            "completed_ns",
            queued_ns=queued_ns,
            latency_ns=pl.col("completed_ns") - queued_ns,
            service_ns=pl.col("completed_ns") - pl.col("issued_ns"),
        )

    def _runs(self, events: pl.DataFrame) -> pl.DataFrame:
        """Return events by their keys, with the number of the run that each is in: a request's, or one without any."""
        before = pl.when(_same(self._key, 1)).then(pl.col("action").shift(1))
        is_anew = (pl.col("action") == ISSUED) & before.is_in(self._ends)
        starts = before.is_null() | (pl.col("action") == QUEUED) | is_anew
        rows = events.with_row_index("place").sort(*self._key, "place").with_columns(starts=starts)
        return rows.with_columns(run=pl.col("starts").cum_sum())


def _same(key: Sequence[str], shift: int) -> pl.Expr:
    """Return whether a row has the same key as the one this number of rows before."""
    return pl.all_horizontal(pl.col(name).eq_missing(pl.col(name).shift(shift)) for name in key) & pl.lit(
        True
    )
