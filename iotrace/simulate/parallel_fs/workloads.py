"""What runs on a parallel file system: a pattern that is made, or a program from traces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from iotrace.errors import UsageError
from iotrace.generate import patterns
from iotrace.simulate.programs import Program, Think


class Workload(Protocol):
    """A program, one for each seed where chance makes it."""

    @property
    def name(self) -> str:
        """What it is, in a word or a path."""

    @property
    def processes(self) -> tuple[int, ...]:
        """How many processes each application has; they are numbered one application after the other."""

    @property
    def is_random(self) -> bool:
        """Whether another seed makes another program."""

    @property
    def record_bytes(self) -> int | None:
        """How long each record is, where all are of one length."""

    @property
    def writes(self) -> bool:
        """Whether anything is written."""

    def records(self, seed: int) -> pa.Table:
        """Return table program."""

    def sentences(self) -> list[str]:
        """Say what somebody who sees the outcome should know of the program."""


@dataclass(frozen=True)
class Made:
    """An access pattern of section 3.2.

    With a ``burst`` of more than one, that many records of each process follow one another at once, and the computation
    of all of them comes after the last. Where records are self-scheduled, nobody knows whose they will be: processes
    take so many for each together, then each computes its share (`in_shared_bursts`). Raises UsageError for a burst of
    none.
    """

    settings: patterns.Settings
    burst: int = 1

    def __post_init__(self) -> None:
        if self.burst < 1:
            raise UsageError(f"a burst is at least 1 record, not {self.burst}")
        if self.burst > 1 and not self.settings.compute_mean_ns:
            raise UsageError("a burst ends with computation: it has no effect without")

    @property
    def name(self) -> str:
        """The pattern's name."""
        return self.settings.pattern.value

    @property
    def processes(self) -> tuple[int, ...]:
        """All are of one application."""
        return (self.settings.processes,)

    @property
    def is_random(self) -> bool:
        """Whether portions, places or computation are drawn."""
        pattern = self.settings.pattern
        is_exponential = self.settings.computation is patterns.Computation.EXPONENTIAL
        return pattern.has_random_portions or pattern is patterns.Pattern.RND or is_exponential

    @property
    def record_bytes(self) -> int | None:
        """A record's bytes, rounded; a portion's last may be shorter."""
        return self.settings.record_bytes

    @property
    def writes(self) -> bool:
        """Whether the pattern writes."""
        return self.settings.does is patterns.Operation.WRITE

    def records(self, seed: int) -> pa.Table:
        """Make the pattern with a seed."""
        made = patterns.program(replace(self.settings, seed=seed))
        if self.burst == 1:
            return made
        if self.settings.pattern.is_global:
            return in_shared_bursts(made, self.burst, self.settings.processes)
        return in_bursts(made, self.burst)

    def sentences(self) -> list[str]:
        """Say what the pattern is."""
        made = self.settings
        does = "written" if self.writes else "read"
        computing = ""
        if made.compute_mean_ns:
            when = "each" if self.burst == 1 else f"each, all of it after bursts of {self.burst}"
            if self.burst > 1 and made.pattern.is_global:
                when += " for each process, taken together"
            computing = (
                f" {made.computation.value.capitalize()} computation of {made.compute_mean_ns / 1e6:g} ms"
                f" after {when}."
            )
        length = "one block" if made.record_blocks == 1 else f"{made.record_blocks:g} blocks"
        sentence = f"{made.pattern.sentence[0].upper()}{made.pattern.sentence[1:]}"
        return [f"{sentence}; {does} in records of {length}.{computing}"]


def in_bursts(records: pa.Table, burst: int) -> pa.Table:
    """Return a program in which the computation of so many records of a list comes after the last of them."""
    owner = pc.fill_null(records["process"], -1).to_numpy()
    rows = np.arange(len(owner))
    is_new = np.append(True, owner[1:] != owner[:-1])
    place = rows - np.maximum.accumulate(np.where(is_new, rows, 0))
    starts = np.flatnonzero(place % burst == 0)
    computing = np.zeros(len(owner), np.int64)
    computing[np.append(starts[1:], len(owner)) - 1] = np.add.reduceat(
        records["compute_ns"].to_numpy(), starts
    )
    column = records.schema.get_field_index("compute_ns")
    return records.set_column(column, records.schema.field(column), pa.array(computing))


def in_shared_bursts(records: pa.Table, burst: int, processes: int) -> pa.Table:
    """Return a self-scheduled program in which processes take a burst of records for each, then share its computation.

    After so many records for each process come as many rows of computation as there are processes (or records, if they
    are fewer), also self-scheduled: who has no record left takes one. Row i holds the computation of the burst's
    records i, i + processes, and so on, so that the whole is what it was.
    """
    from iotrace import schemas

    count, together = records.num_rows, burst * processes
    number = np.arange(count)
    share = number // together * processes + number % together % processes
    computing = np.zeros(share.max(initial=-1) + 1, np.int64)
    np.add.at(computing, share, records["compute_ns"].to_numpy())
    schema = schemas.schema("program")
    rows = len(computing)
    shares = pa.table(
        {
            name: pa.nulls(rows, schema.field(name).type)
            for name in schema.names
            if name not in ("application", "operation", "compute_ns")
        }
        | {
            "application": pa.array(np.zeros(rows, np.int32)),
            "operation": pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), ["compute"]),
            "compute_ns": pa.array(computing),
        }
    ).select(schema.names)
    column = schema.get_field_index("compute_ns")
    records = records.set_column(column, schema.field(column), pa.array(np.zeros(count, np.int64)))
    after = np.append(number // together, np.arange(rows) // processes)
    is_share = np.arange(count + rows) >= count
    both = pa.concat_tables([records, shares.cast(schema)]).unify_dictionaries().combine_chunks()
    return both.take(pa.array(np.lexsort((is_share, after))))


@dataclass(frozen=True, eq=False)
class Traced:
    """What processes did in one trace, or in several at once."""

    program: Program
    think: Think

    def __post_init__(self) -> None:
        for application in self.program.self_scheduled():
            if not self.program.each[application]:
                name = self.program.applications[application]
                raise UsageError(
                    f"{name}: its records are self-scheduled (process *): say with --processes how many take them"
                )

    @property
    def name(self) -> str:
        """The traces' names."""
        return " + ".join(self.program.applications)

    @property
    def processes(self) -> tuple[int, ...]:
        """How many processes each trace has."""
        return self.program.each

    @property
    def is_random(self) -> bool:
        """A trace is the same for any seed."""
        return False

    @property
    def record_bytes(self) -> int | None:
        """Records are of any length."""
        return None

    @property
    def writes(self) -> bool:
        """Whether any record is a write."""
        operations = self.program.records["operation"].unique().to_pylist()
        return "write" in operations or "sync_write" in operations

    def records(self, seed: int) -> pa.Table:
        """Return the program, for any seed."""
        return self.program.records

    def sentences(self) -> list[str]:
        """Say what was left out, and how the program thinks."""
        program = self.program
        tally, files = program.tally, len(program.files)
        first = (
            f"{tally.records:,} record{'s' * (tally.records != 1)} of {program.processes:,}"
            f" process{'es' * (program.processes != 1)} on {files:,} file{'s' * (files != 1)},"
            f" {'with' if self.think == 'traced' else 'without'} their think times."
        )
        return [first, *tally.sentences(self.think)]
