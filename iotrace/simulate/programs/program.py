"""A program of parallel processes: what simulations of parallel file systems and cluster caches run."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.engine import native
from iotrace.errors import UsageError
from iotrace.simulate.programs.reading import Think

MOST_PROCESSES = native.parallel_limits()["processes"]


@dataclass(frozen=True)
class Tally:
    """How a trace's references became records, and what is not in them."""

    references: int = 0
    """References of the trace."""
    records: int = 0
    """Those that became records: reads and writes of the types that count, of known offset and length."""
    other_types: int = 0
    """References left out for their type: inodes, directories, executables."""
    no_data: int = 0
    """References left out since they are no reads or writes: update (of an inode), truncate, delete, sync."""
    unknown_extent: int = 0
    """Reads and writes left out, since the trace does not record their offset or length."""
    empty: int = 0
    """Reads and writes of no bytes, left out."""
    without_duration: int = 0
    """Records whose duration is not known: it counts as 0, so the think time after it contains it."""
    overlapping: int = 0
    """Records that began before the same process's last one had ended: the think time between them is 0."""
    without_time: int = 0
    """Records without a time: the think time before and after them is unknown."""
    without_process: int = 0
    """Records of a trace that does not record processes: those of each file count as one process's."""
    opens_without_time: int = 0
    """Opens of a trace without times, left out: their places among the records are not known."""
    opens_of_idle_processes: int = 0
    """Opens and closes of processes that read and write nothing, left out with them."""

    def __add__(self, other: "Tally") -> "Tally":
        return Tally(*(a + b for a, b in zip(_values(self), _values(other), strict=True)))

    def sentences(self, think: Think = "traced") -> list[str]:
        """Say what a reader of the outcome should know, a sentence each."""
        counted = [
            (self.unknown_extent, "reads and writes of unknown offset or length were left out"),
            (self.empty, "reads and writes of no bytes were left out"),
            (self.no_data, "updates, truncations, deletions and syncs move no data and were left out"),
            (self.without_process, "records name no process: those of each file count as one process's"),
            (self.opens_without_time, "opens have no time, and were left out"),
            (
                self.opens_of_idle_processes,
                "opens and closes are of processes that read and write nothing, and were left out",
            ),
        ]
        if think == "traced":
            counted += [
                (
                    self.without_duration,
                    "records have no duration: their think times contain what the calls took",
                ),
                (self.overlapping, "records began before the process's last one had ended: no think time"),
                (self.without_time, "records have no time: no think time"),
            ]
        return [f"{count:,} {description}." for count, description in counted if count]


@dataclass(frozen=True)
class Program:
    """Records to be run, and the names of what their numbers mean."""

    records: pa.Table
    """Table program; the rows of each process in their order."""
    each: tuple[int, ...]
    """How many processes each application has; they are numbered one application after the other. Self-scheduled
    records name none."""
    applications: tuple[str, ...]
    """Names, by number."""
    files: tuple[str, ...]
    """Names, by number; files of several applications with the same name are the same file."""
    tally: Tally
    warm: pa.Table | None = None
    """The records of the processes before the simulated part of a trace (table program): they warm caches, and are not
    counted."""

    @property
    def processes(self) -> int:
        """How many processes there are, numbered from 0."""
        return sum(self.each)

    def self_scheduled(self) -> list[int]:
        """Return the applications that have records which any of their processes may take."""
        shared = self.records.filter(self.records["process"].is_null())
        return sorted(int(number) for number in shared["application"].unique().to_pylist())

    def shared_by(self, processes: int) -> "Program":
        """Return the program of one application with ``processes`` processes, which take its self-scheduled records.

        Raises UsageError if it has none, or if more processes have assigned records.
        """
        if len(self.each) != 1 or not self.self_scheduled():
            raise UsageError(f"{' + '.join(self.applications)}: has its own processes, {self.processes:,}")
        if not max(self.processes, 1) <= processes <= MOST_PROCESSES:
            raise UsageError(
                f"{self.applications[0]}: is for {max(self.processes, 1):,} to {MOST_PROCESSES:,} processes,"
                f" not {processes:,}"
            )
        return replace(self, each=(processes,))


def combined(programs: Sequence[Program]) -> Program:
    """Return several programs as applications that run at the same time, from the same instant on.

    Files of the same name are the same file. Raises UsageError if there is none.
    """
    if not programs:
        raise UsageError("there is no program to run")
    number_of: dict[str, int] = {}
    tables: list[pa.Table] = []
    warm: list[pa.Table] = []
    applications, processes = 0, 0
    for program in programs:
        numbers = np.array([number_of.setdefault(name, len(number_of)) for name in program.files], np.int32)
        tables.append(_renumbered(program.records, applications, processes, numbers))
        if program.warm is not None:
            warm.append(_renumbered(program.warm, applications, processes, numbers))
        applications, processes = applications + len(program.applications), processes + program.processes
    return Program(
        pa.concat_tables(tables).unify_dictionaries(),
        tuple(count for program in programs for count in program.each),
        tuple(name for program in programs for name in program.applications),
        tuple(number_of),
        sum((program.tally for program in programs), Tally()),
        pa.concat_tables(warm).unify_dictionaries() if warm else None,
    )


def _renumbered(
    table: pa.Table, applications: int, processes: int, files: "np.ndarray[Any, np.dtype[np.int32]]"
) -> pa.Table:
    """Return records whose applications and processes follow others, and whose files have these numbers."""
    changed = {
        "application": pc.add(table["application"], pa.scalar(applications, pa.int32())),
        "process": pc.add(table["process"], pa.scalar(processes, pa.int32())),
        "file": pc.take(pa.array(files), table["file"].combine_chunks()),
    }
    for name, column in changed.items():
        index = table.schema.get_field_index(name)
        table = table.set_column(index, table.schema.field(name), column)
    return table


def _values(tally: Tally) -> list[int]:
    return [int(value) for value in vars(tally).values()]
