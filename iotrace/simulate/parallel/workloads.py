"""What runs on a parallel file system: a pattern that is made, or a program from traces."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Protocol

from iotrace.errors import UsageError
from iotrace.simulate.programs import Program, Think
from iotrace.workload import parallel as patterns

if TYPE_CHECKING:
    import pyarrow as pa


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
    """An access pattern of section 3.2."""

    settings: patterns.Settings

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
        """A record's bytes; a portion's last may be shorter."""
        return self.settings.record_bytes

    @property
    def writes(self) -> bool:
        """Whether the pattern writes."""
        return self.settings.does is patterns.Operation.WRITE

    def records(self, seed: int) -> pa.Table:
        """Make the pattern with a seed."""
        return patterns.program(replace(self.settings, seed=seed))

    def sentences(self) -> list[str]:
        """Say what the pattern is."""
        made = self.settings
        does = "written" if self.writes else "read"
        computing = ""
        if made.compute_mean_ns:
            computing = (
                f" {made.computation.value.capitalize()} computation of {made.compute_mean_ns / 1e6:g} ms"
                " after each."
            )
        return [
            f"{made.pattern.sentence[0].upper()}{made.pattern.sentence[1:]}; {does} in records of"
            f" {made.record_blocks:g} blocks.{computing}"
        ]


@dataclass(frozen=True, eq=False)
class Traced:
    """What processes did in one trace, or in several at once.

    ``each`` is the number of processes of each application, at least those that have records of their own.
    """

    program: Program
    think: Think
    each: tuple[int, ...]

    @classmethod
    def of(cls, program: Program, think: Think, processes: int | None = None) -> Traced:
        """Take a program, with so many processes where it does not tell, or for its self-scheduled records.

        Raises UsageError where its records are self-scheduled and their takers' number is not given, or where it is
        not the program's own.
        """
        own = [0] * len(program.applications)
        for application in program.application_of_process():
            own[application] += 1
        shared = set(program.self_scheduled())
        if processes is None and shared:
            raise UsageError(
                "its records are self-scheduled (process *): say with --processes how many take them"
            )
        if processes is not None and not shared:
            raise UsageError(f"--processes: a trace has its own processes, {sum(own):,}")
        if processes is not None and len(own) > 1:
            raise UsageError("--processes: self-scheduled programs run one at a time")
        if processes is not None and processes < own[0]:
            raise UsageError(f"--processes: {own[0]:,} have records of their own")
        return cls(program, think, tuple(own) if processes is None else (processes,))

    @property
    def name(self) -> str:
        """The traces' paths."""
        return " + ".join(self.program.applications)

    @property
    def processes(self) -> tuple[int, ...]:
        """How many processes each trace has."""
        return self.each

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
        tally = self.program.tally
        think = "think times as traced" if self.think == "traced" else "no think times"
        first = (
            f"{tally.records:,} records of {sum(self.each):,} processes on {len(self.program.files):,} files,"
            f" {think}."
        )
        return [first, *tally.sentences(self.think)]
