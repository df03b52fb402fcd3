"""The program that a command runs on a simulator of parallel processes: a pattern by its name, or of traces."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from iotrace.cli.inputs import TraceFormat, open_trace
from iotrace.cli.options.given import was_given
from iotrace.cli.options.part import SimulatedPart
from iotrace.errors import IotraceError, UsageError
from iotrace.files.remote import Place
from iotrace.generate.patterns.settings import Operation, Pattern, Settings
from iotrace.simulate.programs.reading import Reading

if TYPE_CHECKING:
    from iotrace.simulate.parallel_fs.workloads import Workload
    from iotrace.simulate.programs.program import Program

NAMES = tuple(Pattern)
NOT_TOGETHER = "a pattern runs alone; to run it with others, generate it: iotrace generate parallel"


def pattern_of(
    what: Sequence[str], pattern: Callable[..., Settings], block_bytes: int | None, writes: bool
) -> Settings | None:
    """Return the pattern named; None if that is none. It ``writes`` where no operation is given."""
    if what[0] not in NAMES:
        return None
    if len(what) > 1:
        raise UsageError(NOT_TOGETHER)
    settings = pattern(pattern=Pattern(what[0]), **({"block_bytes": block_bytes} if block_bytes else {}))
    return replace(settings, operation=Operation.WRITE) if writes and settings.operation is None else settings


def traced(
    context: typer.Context,
    what: Sequence[str],
    reading: Reading,
    align_clocks: bool,
    form: TraceFormat,
) -> "Workload":
    """Return what traces did together; ``--processes`` many take records that are self-scheduled."""
    from iotrace.simulate.parallel_fs.workloads import together
    from iotrace.simulate.programs.stores import of_store

    for trace in what:
        if trace in NAMES and not Path(trace).exists():
            raise UsageError(f"{trace}: {NOT_TOGETHER}")
        if trace != "-" and not Path(trace).exists():
            raise IotraceError(
                f"{trace}: no such file or folder, and none of the patterns {', '.join(NAMES)}"
            )
    stores = [open_trace(Path(trace), form=form.form, align_clocks=align_clocks) for trace in what]
    programs = [of_store(store, **vars(reading)) for store in stores]
    processes = context.params["processes"] if was_given(context, "processes") else None
    return together(programs, None if processes is None else int(processes), reading.think)


def program_of(
    traces: Sequence[Place],
    reading: Reading,
    form: TraceFormat,
    metadata: bool,
    part: SimulatedPart,
    is_interactive: bool,
) -> "Program":
    """Return the program of parts of traces, or of Parquet files of programs, that run together.

    What the parts cover is printed, with the answer if that is to be read there.
    """
    from iotrace.simulate.cluster import program_files
    from iotrace.simulate.programs.program import combined
    from iotrace.simulate.programs.stores import of_store

    read_programs = []
    for trace in traces:
        if trace.suffix != ".parquet":
            store = open_trace(trace, form=form.form)
            store = part.of_simulated_caches(store, is_interactive, f"{trace}:" if len(traces) > 1 else "")
            read_programs.append(of_store(store, **vars(reading), metadata=metadata))
        elif form.form is not None:
            raise UsageError(f"{trace}: is a program, not a trace: --trace-format says nothing about it")
        elif part.is_used:
            raise UsageError(f"{trace}: is a program, not a trace: no part of it can be chosen")
        else:
            read_programs.append(program_files.read(trace))
    return combined(read_programs) if len(read_programs) > 1 else read_programs[0]
