"""Whose records are whose, and which files are which: numbers of a store made dense."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

import numpy as np
import pyarrow as pa

from iotrace.simulate.programs.columns import Integers
from iotrace.store.folder import SUFFIX
from iotrace.store.store import Store


def application(store: Store) -> str:
    """Return what a trace is called: its store's name."""
    return store.path.name.removesuffix(SUFFIX)


def matching(store: Store, patterns: Sequence[str]) -> pa.Array:
    """Return the numbers of the files of which a path matches a pattern."""
    paths = store.arrow("file", ["file", "path", "path_last"]).to_pylist()
    numbers = [
        row["file"]
        for row in paths
        if any(
            fnmatchcase(path, pattern)
            for pattern in patterns
            for path in (row["path"], row["path_last"])
            if path
        )
    ]
    return pa.array(numbers, pa.int32())


def processes(store: Store, rows: Integers) -> tuple[Integers, int]:
    """Return the process of each row of table process, dense from 0 in the order of ranks or threads, and their number.

    What is below 0 stays so.
    """
    names = ["process", "thread", "pid", "job"]
    table = store.arrow("process", names) if "process" in store.tables else None
    if table is not None and table.num_rows:
        # a thread has a row for each program that it executed; a rank has one
        has_programs = store.family.has_programs
        key, row = table["thread" if has_programs else "pid"].to_numpy(), table["process"].to_numpy()
        job = table["job"].fill_null(0).to_numpy()
        order = np.lexsort((row, key, job))
        is_other = (np.diff(key[order]) != 0) | (np.diff(job[order]) != 0)
        is_new = np.append(True, is_other | (not has_programs))
        of_row = np.full(int(row.max()) + 1, -1, np.int64)
        of_row[row[order]] = np.cumsum(is_new) - 1
        rows = np.where(rows >= 0, of_row[rows], -1)
    distinct, dense = np.unique(rows, return_inverse=True)
    unknown = int((distinct < 0).sum())
    return dense.astype(np.int64).reshape(-1) - unknown, len(distinct) - unknown


def files(store: Store, numbers: Integers) -> tuple[Integers, tuple[str, ...]]:
    """Return each file's number, dense from 0 in the order of the trace's numbers, and the files' names."""
    distinct, dense = np.unique(numbers, return_inverse=True)
    paths = store.arrow("file", ["file", "path"])
    path_of = dict(zip(paths["file"].to_pylist(), paths["path"].to_pylist(), strict=True))
    # a file without a name is not another trace's file
    names = [path_of.get(int(number)) or f"{store.name}: file {number}" for number in distinct]
    taken_names: set[str] = set()
    for index, name in enumerate(names):
        if name in taken_names or name.startswith("fd:"):
            names[index] = f"{store.name}: {name} ({distinct[index]})"
        taken_names.add(names[index])
    return dense.astype(np.int64).reshape(-1), tuple(names)
