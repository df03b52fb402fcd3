"""Workloads of a parallel file system: a pattern that is made, or a program from traces."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from iotrace.errors import UsageError
from iotrace.generate.patterns import settings as patterns
from iotrace.generate.patterns.program import program
from iotrace.simulate.programs.program import Program, combined
from iotrace.simulate.programs.reading import Think


@dataclass(frozen=True, eq=False)
class Workload:
    """A program, one for each seed where chance makes it."""

    name: str
    """Its name: a word or a path."""
    processes: tuple[int, ...]
    """How many processes each application has; they are numbered one application after the other."""
    records: Callable[[int], pa.Table]
    """Returns table program, by the seed."""
    sentences: Callable[[], list[str]]
    """Say what a reader of the outcome should know of the program."""
    writes: bool
    """Whether anything is written."""
    is_random: bool = False
    """Whether another seed makes another program."""
    record_bytes: int | None = None
    """How long each record is, rounded, where all are of one length."""
    block_bytes: int = 4096
    """How long the blocks are that it runs in by default."""


def generated_program(pattern: patterns.Settings) -> Workload:
    """Return an access pattern of section 3.2: one application, random where anything is drawn."""
    kind = pattern.pattern
    is_exponential = pattern.computation is patterns.Computation.EXPONENTIAL
    return Workload(
        kind.value,
        (pattern.processes,),
        lambda seed: program(replace(pattern, seed=seed)),
        lambda: [_sentence(pattern)],
        writes=pattern.does is patterns.Operation.WRITE,
        is_random=kind.has_random_portions or kind is patterns.Pattern.RND or is_exponential,
        record_bytes=pattern.record_bytes,
        block_bytes=pattern.block_bytes,
    )


def _sentence(made: patterns.Settings) -> str:
    does = "written" if made.does is patterns.Operation.WRITE else "read"
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
    return f"{sentence}; {does} in records of {length}.{computing}"


def traced_program(traced: Program, think: Think) -> Workload:
    """Return what processes did in one trace, or in several at once; the same for any seed.

    Raises UsageError for self-scheduled records that no process takes.
    """
    for application in traced.self_scheduled():
        if not traced.each[application]:
            raise UsageError(
                f"{traced.applications[application]}: its records are self-scheduled (process *): say with --processes"
                " how many take them"
            )
    operations = traced.records["operation"].unique().to_pylist()
    return Workload(
        " + ".join(traced.applications),
        traced.each,
        lambda seed: traced.records,
        lambda: [_summary(traced, think), *traced.tally.sentences(think)],
        writes="write" in operations or "sync_write" in operations,
    )


def _summary(traced: Program, think: Think) -> str:
    records, files = traced.tally.records, len(traced.files)
    return (
        f"{records:,} record{'s' * (records != 1)} of {traced.processes:,}"
        f" process{'es' * (traced.processes != 1)} on {files:,} file{'s' * (files != 1)},"
        f" {'with' if think == 'traced' else 'without'} their think times."
    )


def together(programs: Sequence[Program], processes: int | None, think: Think) -> Workload:
    """Return programs that run at the same time; ``processes`` processes take the self-scheduled records.

    Raises UsageError for a number of processes where no records are.
    """
    if processes is not None:
        shared = [traced for traced in programs if traced.self_scheduled()]
        if not shared:
            traced_processes = sum(traced.processes for traced in programs)
            raise UsageError(f"--processes: a trace has its own processes, {traced_processes:,}")
        programs = [traced.shared_by(processes) if traced in shared else traced for traced in programs]
    return traced_program(combined(programs), think)
