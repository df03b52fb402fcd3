"""Columns that limited non-volatile memory needs of references: which data may be lost, how many processes run."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from iotrace.analysis.curves.references import COMPONENT
from iotrace.analysis.curves.requests import Requests
from iotrace.errors import IotraceError, UsageError
from iotrace.simulate.nonvolatile.settings import Settings, condition_of
from iotrace.store.expressions import check_expression, check_over_references, columns_over_references
from iotrace.store.store import Store

Times = npt.NDArray[np.int64]

TEMPORARY = "temporary"
_CONDITIONS = {TEMPORARY: "created and deleted"}


def references(requests: Requests, settings: Sequence[Settings]) -> Iterator[pa.RecordBatch]:
    """Yield requests with the columns that settings need.

    Raises UsageError for a condition that is none, IotraceError for SQL that DuckDB refuses, and for a trace that
    cannot say how many processes run.
    """
    requests.store.family.check_answers("nonvolatile", requests.store.name)
    condition = condition_of(settings)
    if condition == TEMPORARY and requests.store.family.has_disks:
        raise IotraceError(
            f"{requests.store.name}: is made of {requests.store.family.rows}, which name no files: none is temporary"
            " (--may-be-lost)"
        )
    if condition is not None:
        _check(requests.store, condition)
    by = None if condition is None else may_be_lost_sql(condition)
    batches = replace(requests, by=by).references("flags")
    if condition is not None:
        batches = map(_renamed, batches)
    if any(setting.process_memory_bytes for setting in settings):
        processes = Processes.of(requests.store)
        if processes is None or requests.store.manifest["times"].get("resolution_ns") is None:
            raise IotraceError(
                f"{requests.store.name}: --process-memory needs a trace with processes and time stamps"
            )
        batches = processes.watched(batches)
    return batches


def _check(store: Store, condition: str) -> None:
    """Raise UsageError for a word that is neither a condition nor a column, IotraceError for what is wrong in SQL."""
    if condition in _CONDITIONS:
        return
    if condition.isidentifier() and condition not in (*columns_over_references(), "true", "false"):
        raise UsageError(
            f"--may-be-lost: {condition!r} is not a column; give {TEMPORARY}, or a condition such as path like '/tmp/%'"
        )
    check_over_references(store, condition, "--may-be-lost")


def _renamed(batch: pa.RecordBatch) -> pa.RecordBatch:
    names = ["may_be_lost" if name == COMPONENT else name for name in batch.schema.names]
    return batch.rename_columns(names)


def may_be_lost_sql(condition: str) -> str:
    """Return a condition on data that may be lost as an expression that is 1 or 0.

    ``temporary`` is what the trace creates and deletes: known only afterwards, so that it is a bound for what an
    attribute given beforehand can save. Raises UsageError for what is not one SQL expression.
    """
    if condition not in _CONDITIONS:
        check_expression(condition, "--may-be-lost")
    return f"coalesce(((\n{_CONDITIONS.get(condition, condition)}\n))::bool, false)::int"


@dataclass(frozen=True)
class Processes:
    """When processes began and ended, sorted; times before the trace are 0."""

    starts_ns: Times
    ends_ns: Times

    @classmethod
    def of(cls, store: Store) -> "Processes | None":
        """Return a store's processes, each from fork or exec to exec or exit; threads share theirs.

        None of a trace that does not record processes.
        """
        if "process" not in store.tables:
            return None
        rows = store.arrow("process", ["thread", "pid", "started_ns", "ended_ns"]).to_pylist()
        leaders = [row for row in rows if row["pid"] in (None, row["thread"])]
        starts = [row["started_ns"] or 0 for row in leaders]
        ends = [row["ended_ns"] for row in leaders if row["ended_ns"] is not None]
        return cls(np.sort(np.array(starts, np.int64)), np.sort(np.array(ends, np.int64)))

    def at(self, times_ns: Times) -> npt.NDArray[np.int32]:
        """Return how many run at each time; one that ends at that time no longer does."""
        started = np.searchsorted(self.starts_ns, times_ns, side="right")
        return (started - np.searchsorted(self.ends_ns, times_ns, side="right")).astype(np.int32)

    def watched(self, references: Iterable[Any]) -> Iterator[pa.RecordBatch]:
        """Give references on with a column ``processes``: how many run at their times, null if those are unknown."""
        for batch in references:
            known = batch.column("time_ns")
            running = self.at(known.fill_null(0).to_numpy())
            yield batch.append_column(
                "processes", pa.array(running, mask=known.is_null().to_numpy(zero_copy_only=False))
            )
