"""From a store to the accesses of each file's phases.

A file's phase ends where every use of it has been closed (and it is opened again), and where no process accesses it
for a quiet gap: more than a second, more than 100 times the median time between its accesses, and more than 10 times
the median time between accesses of the same process (which go on in step otherwise). Reads and writes of the same phase
are analyzed separately. Threads count as processes, a process that executes another program as a new one.

Of a file of which all reads and writes of MPI-IO have offsets, these are the accesses: the program asked for them, and
collective buffering and data sieving made the requests of POSIX of them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace import schemas
from iotrace.analysis.patterns.accesses import Accesses, Integers, starts_of
from iotrace.families import PARALLEL
from iotrace.schemas.reference_types import DATA
from iotrace.store.store import Store

OPERATIONS = ("read", "write")
QUIET_NS = 1_000_000_000
QUIET_MEDIANS = 100
QUIET_PROCESS_MEDIANS = 10
KEPT = ("time_ns", "process", "file", "offset", "length")
NONE = schemas.schema("reference").empty_table().select(KEPT).append_column("is_write", pa.array([], "bool"))
"""No reads and writes, with the columns that they have here."""
MPI = "mpiio"
NO_PROCESS = -1
"""The process of a self-scheduled record that no process took yet."""


@dataclass(frozen=True)
class Requests:
    """All accesses to a file, in the order of time: parallel arrays."""

    process: Integers
    """As in table process; NO_PROCESS if no process took the record."""
    is_write: Integers
    offset: Integers
    length: Integers
    time_ns: Integers | None

    def __len__(self) -> int:
        return len(self.process)

    def part(self, chosen: Integers) -> "Requests":
        """Return some of the accesses."""
        time_ns = None if self.time_ns is None else self.time_ns[chosen]
        return Requests(
            self.process[chosen], self.is_write[chosen], self.offset[chosen], self.length[chosen], time_ns
        )

    def accesses(self) -> Accesses:
        """Return them with their processes numbered from 0."""
        process = np.unique(self.process, return_inverse=True)[1].astype(np.int64)
        return Accesses(process, self.offset, self.length, self.time_ns)


@dataclass(frozen=True)
class File:
    """One file's accesses, and the phase of each."""

    file: int
    path: str
    requests: Requests
    phase: Integers

    def parts(self, least: int) -> Iterator[tuple[int, str, Integers]]:
        """Yield each phase and operation with at least ``least`` accesses, and their positions."""
        group = self.phase * len(OPERATIONS) + self.requests.is_write
        order = np.argsort(group, kind="stable")
        for chosen in _runs(order, group):
            if len(chosen) >= least:
                phase, value = divmod(int(group[chosen[0]]), len(OPERATIONS))
                yield phase, OPERATIONS[value], chosen


def _runs(order: Integers, values: Integers) -> Iterator[Integers]:
    """Return the parts of an order of places whose values are the same."""
    bounds = [*np.flatnonzero(starts_of(values[order])).tolist(), len(order)]
    return (order[start:end] for start, end in pairwise(bounds))


def files(store: Store, least: int, apart: bool = True, shared_only: bool = False) -> Iterator[File]:
    """Yield the files that have at least ``least`` accesses, in the order of their first access.

    Accesses without offset, length or a byte are left out, and those without a process, except for the records of a
    parallel pattern that none has taken yet. With `apart` False each file is one phase; with `shared_only` files that
    one process alone accesses are left out.
    """
    store.family.check_answers("patterns", store.name)
    table = _of_enough(_requests(store, store.family.has_ranks), least)
    if shared_only:
        table = table.filter(pa.array(_is_shared(table)))
    if not table.num_rows:
        return
    paths = store.arrow("file", ["file", "path"])
    path_of = dict(zip(paths["file"].to_pylist(), paths["path"].to_pylist(), strict=True))
    uses = _Uses.of(store) if apart else None
    file = np.asarray(table["file"])
    order = np.argsort(file, kind="stable")
    everything = _read(table)
    del table
    pa.default_memory_pool().release_unused()  # arrays are allocated elsewhere
    for group in sorted(_runs(order, file), key=lambda positions: int(positions[0])):
        number = int(file[group[0]])
        requests = everything if len(group) == len(everything) else everything.part(group)
        phase = _phases(requests, number, uses) if uses else np.zeros(len(group), np.int64)
        yield File(number, path_of.get(number) or f"file {number}", requests, phase)


def _requests(store: Store, untaken: bool) -> pa.Table:
    """Return the reads and writes of bytes that are known, batch by batch, so that no others are held."""
    above = _asked_of_mpi(store) if store.manifest["tables"].get(PARALLEL.name) else NONE
    files = pc.unique(above["file"])
    parts = [NONE]
    for batch in store.batches("reference", [*KEPT, "type", "operation"]):
        chosen = _is_among(batch["type"].cast(pa.string()), DATA)
        if len(files):
            chosen = pc.and_(chosen, pc.invert(pc.is_in(batch["file"], value_set=files)))
        if not untaken:
            chosen = pc.and_(chosen, pc.is_valid(batch["process"]))
        parts.append(_moves(batch, pc.and_(chosen, pc.is_valid(batch["offset"]))))
    below = pa.concat_tables(parts)
    both = pa.concat_tables([above, below])
    return (
        both.take(pc.sort_indices(both["time_ns"])) if len(above) and len(below) else both
    )  # which is stable


def _asked_of_mpi(store: Store) -> pa.Table:
    """Return the reads and writes of MPI-IO, of those files of which all have offsets."""
    parts, unplaced = [NONE], set[int]()
    for batch in store.batches(PARALLEL.name, [*KEPT, "layer", "operation"]):
        is_mpi = pc.and_(
            pc.fill_null(pc.equal(batch["layer"].cast(pa.string()), MPI), False),
            pc.is_valid(batch["process"]),
        )
        moves = _moves(batch, is_mpi)
        unplaced.update(pc.unique(moves.filter(pc.is_null(moves["offset"]))["file"]).to_pylist())
        parts.append(moves)
    found = pa.concat_tables(parts)
    return found.filter(pc.invert(pc.is_in(found["file"], value_set=pa.array(sorted(unplaced), pa.int32()))))


def _moves(batch: pa.RecordBatch, chosen: pa.Array) -> pa.Table:
    """Return which of the chosen rows are reads and writes of bytes of known files."""
    operation = batch["operation"].cast(pa.string())
    chosen = pc.and_(chosen, pc.and_(_is_among(operation, OPERATIONS), pc.is_valid(batch["file"])))
    chosen = pc.and_(chosen, pc.fill_null(pc.greater(batch["length"], 0), False))
    columns = [*(batch[name] for name in KEPT), pc.equal(operation, "write")]
    return pa.Table.from_arrays(columns, schema=NONE.schema).filter(chosen)


def _is_among(column: pa.Array, values: Sequence[str]) -> pa.Array:
    return pc.is_in(column, value_set=pa.array(values))


def _of_enough(requests: pa.Table, least: int) -> pa.Table:
    """Return those of files that have enough."""
    file = np.asarray(requests["file"]).astype(np.int64)
    enough = np.bincount(file)[file] >= least if len(file) else np.zeros(0, np.bool_)
    return requests.filter(pa.array(enough))


def _is_shared(table: pa.Table) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Return for each access whether its file has accesses of several processes."""
    file = np.asarray(table["file"])
    process = np.asarray(table["process"].fill_null(NO_PROCESS))
    one_of = np.empty(int(file.max(initial=0)) + 1, process.dtype)
    one_of[file] = process
    is_shared = np.zeros(len(one_of), np.bool_)
    is_shared[file[process != one_of[file]]] = True
    return np.asarray(is_shared[file])


def _read(table: pa.Table) -> Requests:
    timed = table["time_ns"].null_count == 0
    return Requests(
        np.asarray(table["process"].fill_null(NO_PROCESS)).astype(np.int64),
        np.asarray(table["is_write"]).astype(np.int64),
        np.asarray(table["offset"]),
        np.asarray(table["length"]),
        np.asarray(table["time_ns"]).astype(np.int64) if timed else None,
    )


@dataclass(frozen=True)
class _Uses:
    """The uses of all files, sorted by file and time of opening."""

    file: Integers
    open_ns: Integers
    close_ns: Integers

    @classmethod
    def of(cls, store: Store) -> "_Uses":
        """Read them; what is open from before the trace opens at its start, what is never closed stays open."""
        columns = ["file", "open_ns", "close_ns"]
        if "use" not in store.tables:
            return cls(*(np.empty(0, np.int64) for _ in columns))
        table = store.arrow("use", columns)
        unknown = (-1, np.iinfo(np.int64).min, np.iinfo(np.int64).max)
        file, opened, closed = (
            np.asarray(table[name].cast("int64").fill_null(value))
            for name, value in zip(columns, unknown, strict=True)
        )
        order = np.lexsort((opened, file))
        return cls(file[order], opened[order], closed[order])

    def reopenings(self, file: int) -> Integers:
        """Return the times at which a file is opened that no process has open."""
        rows = slice(*np.searchsorted(self.file, [file, file + 1]))
        opened, closed = self.open_ns[rows], self.close_ns[rows]
        if len(opened) < 2:
            return np.empty(0, np.int64)
        return opened[1:][opened[1:] > np.maximum.accumulate(closed)[:-1]]


def _phases(requests: Requests, file: int, uses: _Uses) -> Integers:
    """Number the phases of a file's accesses."""
    if requests.time_ns is None:
        return np.zeros(len(requests), np.int64)
    time_ns = requests.time_ns
    gap = np.diff(time_ns)
    quiet = _quiet_ns(gap, requests)
    opened = np.searchsorted(uses.reopenings(file), time_ns, side="right")
    begins = np.r_[False, (gap > quiet) | (opened[1:] != opened[:-1])]
    return np.cumsum(begins)


def _quiet_ns(gap: Integers, requests: Requests) -> float:
    """Return the time without an access from which on a phase is over."""
    assert requests.time_ns is not None
    order = np.argsort(requests.process, kind="stable")
    gaps_ns = np.diff(requests.time_ns[order])[~starts_of(requests.process[order])[1:]]
    medians = ((QUIET_MEDIANS, gap), (QUIET_PROCESS_MEDIANS, gaps_ns))
    return max([QUIET_NS, *(times * float(np.median(gaps)) for times, gaps in medians if len(gaps))])
