"""What runs on a parallel file system: a pattern that is made, or a program from traces."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Protocol

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.generate.patterns import settings as patterns
from iotrace.generate.patterns.program import program
from iotrace.simulate.programs.program import Program, combined
from iotrace.simulate.programs.reading import Think


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

    @property
    def block_bytes(self) -> int:
        """How long the blocks are that it runs in by default."""

    def records(self, seed: int) -> pa.Table:
        """Return table program."""

    def sentences(self) -> list[str]:
        """Say what somebody who sees the outcome should know of the program."""


@dataclass(frozen=True)
class GeneratedProgram:
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
        """A record's bytes, rounded; a portion's last may be shorter."""
        return self.settings.record_bytes

    @property
    def writes(self) -> bool:
        """Whether the pattern writes."""
        return self.settings.does is patterns.Operation.WRITE

    @property
    def block_bytes(self) -> int:
        """A block of the pattern."""
        return self.settings.block_bytes

    def records(self, seed: int) -> pa.Table:
        """Make the pattern with a seed."""
        return program(replace(self.settings, seed=seed))

    def sentences(self) -> list[str]:
        """Say what the pattern is."""
        made = self.settings
        does = "written" if self.writes else "read"
        computing = ""
        if made.compute_mean_ns:
            when = "each" if made.burst == 1 else f"each, all of it after bursts of {made.burst}"
            if made.burst > 1 and made.pattern.is_global:
                when += " for each process, taken together"
            computing = (
                f" {made.computation.value.capitalize()} computation of {made.compute_mean_ns / 1e6:g} ms"
                f" after {when}."
            )
        length = "one block" if made.record_blocks == 1 else f"{made.record_blocks:g} blocks"
        sentence = f"{made.pattern.sentence[0].upper()}{made.pattern.sentence[1:]}"
        return [f"{sentence}; {does} in records of {length}.{computing}"]


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

    @property
    def block_bytes(self) -> int:
        """A page."""
        return 4096

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


def together(found: Sequence[Program], processes: int | None, think: Think) -> Traced:
    """Return programs that run at the same time; so many processes take the records that are self-scheduled.

    Raises UsageError for a number of processes where no records are.
    """
    if processes is not None:
        shared = [one for one in found if one.self_scheduled()]
        if not shared:
            own = sum(one.processes for one in found)
            raise UsageError(f"--processes: a trace has its own processes, {own:,}")
        found = [one.shared_by(processes) if one in shared else one for one in found]
    return Traced(combined(found), think)
