"""The patterns of a trace: one row per file, phase and operation, with the evidence; and interprocess locality."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.block_budget import Budget
from iotrace.analysis.patterns.accesses import Accesses, Integers, share_of_most_frequent
from iotrace.analysis.patterns.cleaning import Direction
from iotrace.analysis.patterns.interprocess import Reuse, curve, reuse
from iotrace.analysis.patterns.local import shares
from iotrace.analysis.patterns.naming import UNKNOWN, FoundPattern, find
from iotrace.analysis.patterns.phases import NO_PROCESS, File, files
from iotrace.analysis.patterns.sentences import sentence
from iotrace.errors import IotraceError
from iotrace.store.store import Store

LEAST_ACCESSES = 20
"""Phases of fewer are left out: they show no pattern."""


@dataclass(frozen=True)
class Options:
    """How to look at a trace."""

    least_accesses: int = LEAST_ACCESSES
    window: int | None = None
    """Accesses; None: two for each process."""
    block_bytes: int = 4096
    apart: bool = True
    """Whether quiet gaps and closing separate phases."""
    shared_only: bool = False
    """Whether files that one process alone accesses are left out."""
    budget_blocks: int = Budget.PATTERNS
    """The most blocks that the accesses to a file may touch, beyond 64 for each access."""


@dataclass(frozen=True)
class PatternPart:
    """A file's reads or writes in one phase."""

    phase: int
    operation: str
    positions: Integers
    """Its accesses among the file's."""
    accesses: Accesses
    processes: int | None
    """None: no process has taken the records yet, they are self-scheduled."""
    pattern: FoundPattern
    reuse: Reuse

    @property
    def first_ns(self) -> int | None:
        """When its first access was issued."""
        return None if self.accesses.time_ns is None else int(self.accesses.time_ns[0])

    @property
    def last_ns(self) -> int | None:
        """When its last access was issued."""
        return None if self.accesses.time_ns is None else int(self.accesses.time_ns[-1])


@dataclass(frozen=True)
class Subject:
    """A file with its parts, and how its blocks go from process to process over the whole trace."""

    file: File
    parts: tuple[PatternPart, ...]
    reuse: Reuse


def study(store: Store, options: Options | None = None) -> list[Subject]:
    """Name the patterns of all files of a store, in the order of their first accesses.

    Raises IotraceError if the store has no accesses at known offsets that a process or a pattern made.
    """
    options = options or Options()
    subjects = []
    for file in files(store, options.least_accesses, options.apart, options.shared_only):
        parts = tuple(sorted(_parts(file, options), key=_place))
        if parts:
            subjects.append(Subject(file, parts, _reuse_of(file, parts, options)))
    if not subjects:
        raise IotraceError(
            f"{_name(store)}: no file has a phase of {options.least_accesses} reads or writes (--least), by"
            " processes and at known offsets" + (" and by several of them" if options.shared_only else "")
        )
    return subjects


def _place(part: PatternPart) -> tuple[int, int]:
    """Return where a part stands among those of its file."""
    return part.phase, int(part.positions[0])


def _name(store: Store) -> str:
    return "standard input" if store.manifest.get("sources") == ["-"] else store.name


def _parts(file: File, options: Options) -> Iterable[PatternPart]:
    for phase, operation, positions in file.parts(options.least_accesses):
        taken = positions[file.requests.process[positions] != NO_PROCESS]
        chosen = taken if len(taken) else positions
        accesses = file.requests.part(chosen).accesses()
        if options.shared_only and accesses.processes < 2:
            continue
        followed = _reuse(accesses, options)  # first, as it refuses lengths of which the sums would overflow
        pattern = find(accesses, options.window)
        processes: int | None = accesses.processes
        if not len(taken):
            pattern, processes = _of_list(pattern), None
        yield PatternPart(phase, operation, chosen, accesses, processes, pattern, followed)


def _reuse_of(file: File, parts: Sequence[PatternPart], options: Options) -> Reuse:
    """Return that of all accesses to a file; they may be those of its only part."""
    if len(parts[0].accesses) == len(file.requests):
        return parts[0].reuse
    return _reuse(file.requests.accesses(), options)


def _reuse(accesses: Accesses, options: Options) -> Reuse:
    return reuse(accesses, options.block_bytes, options.budget_blocks)


OF_LIST = {"lw1": "gw", "lfp": "gfp", "lrp": "grp", "strided": "gfp"}


def _of_list(pattern: FoundPattern) -> FoundPattern:
    """Name a list of records that no process has taken yet: self-scheduled by what it is."""
    if pattern.name.names[0] == UNKNOWN:
        names = (OF_LIST.get(name, name) for name in pattern.name.candidates)
        return replace(pattern, name=replace(pattern.name, candidates=tuple(dict.fromkeys(names))))
    name = OF_LIST.get(pattern.name.names[0], pattern.name.names[0])
    return replace(pattern, name=replace(pattern.name, names=(name,), scope="global"))


def patterns(subjects: Iterable[Subject]) -> pa.Table:
    """Return result patterns."""
    rows = [_row(subject.file, part) for subject in subjects for part in subject.parts]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("patterns"))


def patterns_alone(store: Store, options: Options) -> pa.Table:
    """Return result patterns of a store, without rows where it has none.

    Other than by `study` and `patterns`, only one part of a file is held at a time, and no locality of whole files.
    """
    rows = []
    for file in files(store, options.least_accesses, options.apart, options.shared_only):
        placed = [(_place(part), _row(file, part)) for part in _parts(file, options)]
        rows += [row for _, row in sorted(placed, key=lambda pair: pair[0])]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("patterns"))


def _row(file: File, part: PatternPart) -> dict[str, Any]:
    accesses, local, together = part.accesses, part.pattern.local, part.pattern.recorded
    consecutive, sequential = shares(accesses, accesses.by_process)
    record, record_share = share_of_most_frequent(accesses.length)
    is_global = part.pattern.name.scope == "global"
    portions = part.pattern.together.portions if is_global else local.portions.length
    strides = [level for level in local.strides if level.regular_share]
    sign = -1 if part.pattern.cleaned.direction is Direction.BACKWARD else 1
    times = part.reuse.times_ns
    return {
        "file": file.file,
        "path": file.path,
        "phase": part.phase,
        "operation": part.operation,
        "pattern": " or ".join(part.pattern.name.names),
        "certainty": part.pattern.name.certainty,
        "meaning": sentence(part.pattern, part.processes),
        "candidates": " or ".join(part.pattern.name.candidates) or None,
        "direction": part.pattern.cleaned.direction.value,
        "scope": part.pattern.name.scope,
        "processes": part.processes,
        "accesses": len(accesses),
        "bytes": int(accesses.length.sum()),
        "first_ns": part.first_ns,
        "last_ns": part.last_ns,
        "record_bytes": record,
        "record_share": record_share,
        "local_consecutive_share": consecutive,
        "local_sequential_share": sequential,
        "global_consecutive_share": together.consecutive_share,
        "global_sequential_share": together.sequential_share,
        "global_ordered_share": together.ordered_share,
        "linked_beyond_chance": together.linked_beyond_chance,
        "window_accesses": together.window_accesses,
        "portions": len(portions),
        "portion_mean_bytes": float(portions.mean()),
        "portion_variation": float(portions.std() / portions.mean()),
        "strides": ", ".join(f"{level.count} by {sign * level.stride_bytes}" for level in strides) or None,
        "passes": local.passes,
        "regular_share": local.regular_share,
        "missing_share": local.missing_share,
        "metadata_accesses": part.pattern.cleaned.set_aside,
        "exchanged_accesses": 2 * part.pattern.cleaned.exchanged,
        "covered_bytes": together.covered.bytes,
        "once_share": together.once_share,
        "overlap_share": together.overlap_share,
        "reused_share": part.reuse.share,
        "reuse_accesses": part.reuse.accesses.median,
        "reuse_ns": None if times is None else times.median,
    }


def locality(subjects: Iterable[Subject]) -> pa.Table:
    """Return result interprocess_locality: for each file the curve in accesses, then that in time."""
    rows = []
    for subject in subjects:
        locality_ = subject.reuse
        for measure, distances in (("accesses", locality_.accesses), ("ns", locality_.times_ns)):
            if distances is None or not len(distances):
                continue
            rows += [
                {
                    "file": subject.file.file,
                    "path": subject.file.path,
                    "measure": measure,
                    "within": within,
                    "followed": followed,
                    "share": part,
                }
                for within, followed, part in curve(distances, locality_.touches)
            ]
    return pa.Table.from_pylist(rows, schema=queries.table_schema("interprocess_locality"))


def unknowns(subjects: Sequence[Subject]) -> list[str]:
    """Return sentences on what the trace does not contain."""
    parts = [part for subject in subjects for part in subject.parts]
    remarks = []
    if any(part.first_ns is None and (part.processes or 0) > 1 for part in parts):
        remarks.append("the trace has no times: how the processes' accesses mix is taken from its order")
    if lists := sum(part.processes is None for part in parts):
        remarks.append(
            f"{lists} series of records that no process has taken yet (process *): shown as self-scheduled,"
            " the number of processes is unknown"
        )
    return remarks
