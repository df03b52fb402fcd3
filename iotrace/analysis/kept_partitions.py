"""The state of the curve of each partition of a store that grows, its statistics, and what was found in it.

The states merge exactly into the curve of any consecutive partitions, also of those whose rows were dropped. Their
caches ignore deletions and syncs, whose effect depends on the partitions before.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from iotrace.analysis import kept_statistics
from iotrace.analysis.block_budget import BlockBudget, Budget
from iotrace.analysis.catalogue.rows import REFUSED, row
from iotrace.analysis.curves import states
from iotrace.analysis.curves.cache import Cache
from iotrace.analysis.curves.requests import Requests
from iotrace.errors import IotraceError, UsageError
from iotrace.store import appended
from iotrace.store.folder import is_store
from iotrace.store.store import Store, read

CACHE = Cache(deletes="ignore", syncs="ignore")
ANSWERS = ("host", "program", "bytes", "headline", "finding", "at_stake_s", "at_stake_bytes", "knee_bytes")
"""The columns of result `catalogue` that are computed of a partition alone."""


def keep(day: Store, name: str, folder: Path, place: int) -> Mapping[str, Any]:
    """Write the state of the curve of a partition's store and its statistics, and return what was found in it.

    Keys have no state, since caches of objects have none; nor have recordings of calls, each of which has files of
    its own, and requests beyond the budget of blocks.
    """
    kept_statistics.keep(day, folder / appended.statistics_name(place))
    state = folder / appended.state_name(place)
    if not day.family.has_objects and not day.family.has_model:
        try:
            records = range(day.manifest["tables"]["reference"])
            requests = Requests(day, BlockBudget(Budget.CURVE, CACHE.block_bytes, advice=""))
            requests.state(CACHE, "ignore", name, records).write(state)
        except IotraceError:
            state.unlink(missing_ok=True)
    found = row(name, day.path)
    return {} if found["status"] == REFUSED else {column: found.get(column) for column in ANSWERS}


def state_files(store: Store, last_ns: int | None = None) -> list[Path]:
    """Return the files of the states of a store's partitions, or of those that end in the last time of it.

    Raises UsageError for a store without partitions, and IotraceError where one of these has no state.
    """
    listed = appended.entries(store) if appended.KEY in store.manifest else []
    if not listed:
        raise UsageError(f"{store.path}: has no partitions: iotrace curve shows its curve")
    if store.family.has_objects or store.family.has_model:
        what = "caches of objects" if store.family.has_objects else "recordings of system calls"
        raise IotraceError(f"{store.path}: {what} have no states that merge; iotrace curve reads the rows")
    from_ns = None if last_ns is None else listed[-1]["last_ns"] - last_ns
    files = []
    for place, one in enumerate(listed):
        if from_ns is not None and one["last_ns"] < from_ns:
            continue
        file = store.folder / appended.state_name(place)
        if not file.is_file():
            raise IotraceError(
                f"{store.path}: partition {one[appended.NAME]} has no state of its curve, which its requests do not"
                " have: iotrace curve of its rows says why"
            )
        files.append(file)
    return files


def merged(paths: Iterable[Path], last_ns: int | None = None) -> states.State:
    """Return the state of all records of states, or of the partitions of stores; raises as `state_files` and
    `states.merged`, and UsageError for the last time of a state."""
    files: list[Path] = []
    for path in paths:
        if is_store(path):
            files += state_files(read(path), last_ns)
        elif last_ns is not None:
            raise UsageError(f"{path}: --last chooses partitions of stores, and this is not a store")
        else:
            files.append(path)
    return states.merged(files)
