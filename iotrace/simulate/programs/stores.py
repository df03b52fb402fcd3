"""The program of a store: a pattern's own, or what a trace's processes did."""

from collections.abc import Sequence

from iotrace.errors import UsageError
from iotrace.schemas.reference_types import DATA, TYPES
from iotrace.simulate.programs.pattern import PATTERN, of_pattern
from iotrace.simulate.programs.program import Program
from iotrace.simulate.programs.reading import Reading, Think
from iotrace.simulate.programs.traced import of_trace
from iotrace.store.store import Store


def of_store(
    store: Store,
    *,
    think: Think = "traced",
    types: Sequence[str] = DATA,
    files: Sequence[str] = (),
    metadata: bool = False,
) -> Program:
    """Return the program of a trace of any family: the ranks of a parallel trace, the threads of a system-call trace.

    Each rank or thread is a process; they are numbered in the order of ranks, or of thread numbers. A thread that
    execs another program remains one process. Records are the reads and writes of ``types`` (of table reference);
    opens, closes, inodes and what else has no data are left out, and what time they took is part of the think time.
    With ``metadata`` opens and closes of files of ``types`` are rows too, where table use has their times.
    A write with the flag synchronous is a sync_write. ``files`` keeps only those of which a path matches one of these
    patterns (``*`` and ``?`` as in a shell, ``*`` matching ``/`` too). What the tally of the result says was left out
    or guessed, those who use it should say.

    With ``think`` ``traced`` the time from a call's end to the next call's start in the same process is spent
    computing, and a process that starts later than the trace's first record computes first (a row of operation
    compute). With ``none`` each record follows at once. A store of pattern text has no times: its program is its own,
    self-scheduled records (process ``*``) and computation included, without which ``none`` runs it.

    Raises IotraceError for a trace without any record, UsageError for words that mean nothing.
    """
    Reading(think=think)
    if unknown := [kind for kind in types if kind not in TYPES]:
        raise UsageError(f"{unknown[0]!r} is not a type of references: {', '.join(TYPES)}")
    store.family.check_answers("programs", store.name)
    if store.manifest["format"] == PATTERN:
        return of_pattern(store, think, files)
    return of_trace(store, think, types, files, metadata)
