"""Record a command or running processes as a store: trace, look up what the trace does not show, ingest."""

import contextlib
import glob
import itertools
import os
import platform
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from iotrace import formats
from iotrace.errors import IotraceError, UsageError
from iotrace.files import locks, renaming
from iotrace.files.modes import PRIVATE
from iotrace.files.outputs import failures_named, refuse_existing
from iotrace.files.temporary import temporary_folder
from iotrace.formats.known_files import KnownProcesses, look_at, write_known_files
from iotrace.ingest.contents import Contents
from iotrace.ingest.overhead import overhead
from iotrace.ingest.pipeline import ingest
from iotrace.ingest.tracing import (
    ALL_NAMES,
    ATTACHED_FLAGS,
    COSTLY_WAITS,
    OPTIONAL_FLAGS,
    attach,
    find_strace,
    trace,
)
from iotrace.store import manifest as manifests
from iotrace.store.skipped import ATTACHED
from iotrace.store.store import SUFFIX, Progress, Store, is_store
from iotrace.store.writer import refuse_taken

FILE_NAMES = ("file", "path", "path_last")


def record(
    command: Sequence[str],
    output: Path,
    *,
    kept: Contents = ALL_NAMES,
    all_waits: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
) -> tuple[Store, int]:
    """Trace a command and ingest the trace; return the store and the status that a shell would give.

    While the command runs the log is ``NAME.partial``, which is complete up to the last second however this program
    ends, and which nothing removes: it becomes ``NAME.strace.zst``, next to the store ``NAME.iotrace``, once the
    store is in its place. Other users can read neither (mode 0600). What the trace does not show is looked up after
    the run and goes into the store as table known_file: where the command started, and the sizes (but of files that
    the run changed) and interpreters of the files that the trace names. For that the log is read twice, as the file
    table resolves the names. ``kept`` says what the log, the store and its manifest have of names and arguments; no
    contents are in them. With ``all_waits`` the calls are traced, too, that cost most (`tracing.COSTLY_WAITS`).
    Raises UsageError where the store or the log exists (unless ``replace`` is set) and where there is no strace, and
    IotraceError where nothing was traced or the trace cannot be ingested; the log then stays.
    """
    left_out = () if all_waits else COSTLY_WAITS

    def run(log: Path) -> tuple[dict[str, Any], KnownProcesses]:
        return {"status": trace(command, log, kept, left_out), **_about(OPTIONAL_FLAGS, left_out)}, ([], [])

    store = _recorded(output, Path.cwd(), command, kept, replace, progress, run)
    return store, store.manifest["status"]


def record_attached(
    pids: Sequence[int],
    output: Path,
    *,
    seconds: float | None = None,
    kept: Contents = ALL_NAMES,
    all_waits: bool = False,
    replace: bool = False,
    progress: Progress | None = None,
) -> Store:
    """Trace running processes until they end, for some seconds, or until Ctrl-C, and ingest the trace; see `record`.

    Raises UsageError, too, where there is no such process, or it may not be traced.
    """
    folder, command = _start_of(pids)
    left_out = () if all_waits else COSTLY_WAITS

    def run(log: Path) -> tuple[dict[str, Any], KnownProcesses]:
        processes, attached_ns = attach(pids, log, seconds, kept, left_out)
        attached = {"attached_to": list(pids), ATTACHED: attached_ns}
        return {**attached, **_about(ATTACHED_FLAGS, left_out)}, processes

    return _recorded(output, folder, command, kept, replace, progress, run)


def _about(optional_flags: Sequence[tuple[str, ...]], left_out: Sequence[str]) -> dict[str, Any]:
    """Return for the manifest which waits are not traced, and what tracing adds to a call if that can be measured."""
    measured = overhead(find_strace(optional_flags, left_out))
    added = {} if measured is None else {"tracing_overhead": asdict(measured)}
    return {manifests.WAITS: sorted(left_out), **added}


def _start_of(pids: Sequence[int]) -> tuple[Path, list[str]]:
    """Return where the first process works and its command; raises UsageError where one may not be seen."""
    for pid in pids:
        try:
            os.kill(pid, 0)
            Path(f"/proc/{pid}/cwd").readlink()
        except ProcessLookupError:
            raise UsageError(f"there is no process {pid}") from None
        except FileNotFoundError:  # only its exit status is left
            raise UsageError(f"process {pid} has ended") from None
        except OSError:
            raise UsageError(
                f"process {pid} belongs to another user, or may not be traced; run iotrace as that user, or as root"
            ) from None
    proc = Path(f"/proc/{pids[0]}")
    try:
        words = (proc / "cmdline").read_bytes().decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
        return (proc / "cwd").readlink(), words
    except OSError:
        raise UsageError(f"process {pids[0]} has ended") from None


def name_of(pid: int) -> str:
    """Return the name of a process's program, for its store; raises UsageError where there is no such process."""
    try:
        program = Path(f"/proc/{pid}/comm").read_text("utf-8", "replace").strip()
    except OSError:
        raise UsageError(f"there is no process {pid}") from None
    plain = "".join(letter if letter.isalnum() or letter in "-_." else "-" for letter in program).strip(".")
    return f"{plain or 'process'}-{pid}"


def _recorded(
    output: Path,
    folder: Path,
    command: Sequence[str],
    kept: Contents,
    replace: bool,
    progress: Progress | None,
    run: Callable[[Path], tuple[dict[str, Any], KnownProcesses]],
) -> Store:
    """Run what writes a log and returns more for the manifest, and ingest the log; `folder` is where it started."""
    log = log_place(output)
    refuse_taken(output, replace)
    refuse_existing(log, replace)
    if os.path.lexists(log) and not _is_log_of(output, log):
        raise UsageError(f"{log}: exists and is not the log of {output}; choose another -o, or move it away")
    with failures_named(output):
        output.parent.mkdir(parents=True, exist_ok=True)
    began_ns = time.time_ns()
    with _unfinished_log(output) as partial:
        result, processes = run(partial)
        described = {
            "sources": [str(kept.place(log.parent) / log.name)],
            "host": platform.node(),
            "command": kept.command(command),
            **result,
        }
        try:
            with failures_named(log):
                store = _ingested(
                    partial, output, folder, processes, kept, began_ns, replace, progress, described
                )
                if replace:
                    partial.replace(log)
                else:
                    renaming.rename_noreplace(partial, log)
        except IotraceError as error:
            raise IotraceError(f"{error}; the log is kept: {how_to_ingest(partial)}") from None
    return store


def _ingested(
    partial: Path,
    output: Path,
    folder: Path,
    processes: KnownProcesses,
    kept: Contents,
    began_ns: int,
    replace: bool,
    progress: Progress | None,
    described: dict[str, Any],
) -> Store:
    with temporary_folder() as scratch:
        known = scratch / "known_file.parquet"
        started = kept.place(folder)
        write_known_files(look_at((), (), began_ns), started, known)
        paths, programs = map(kept.originals, _named_files(partial, known))
        write_known_files(kept.known_files(look_at(paths, programs, began_ns)), started, known, processes)
        return ingest(
            [partial], output, known_files=known, replace=replace, progress=progress, described=described
        )


def log_place(output: Path) -> Path:
    """Return where the log of a recorded store is kept."""
    return output.with_name(f"{output.name.removesuffix(SUFFIX)}.strace.zst")


def _is_log_of(output: Path, log: Path) -> bool:
    """Return whether a log was recorded with the store that is there: another file of its name is not replaced."""
    if not is_store(output):
        return False
    sources = manifests.load(output).get("sources")
    return isinstance(sources, list) and [Path(str(source)).name for source in sources] == [log.name]


def unfinished_logs(output: Path) -> list[Path]:
    """Return the logs that earlier runs of this output left when they were killed."""
    first = _partial_place(output, 1)
    places = [first, *output.parent.glob(f"{glob.escape(first.stem)}.partial-[0-9]*")]
    return [path for path in sorted(places) if path.is_file() and path.stat().st_size and _is_abandoned(path)]


def how_to_ingest(partial: Path) -> str:
    """Return the command that ingests the log of a run that did not end."""
    return f"iotrace ingest --trace-format strace {shlex.quote(str(partial))}"


def _is_abandoned(path: Path) -> bool:
    with locks.abandoned(path) as is_abandoned:
        return is_abandoned


def _partial_place(output: Path, number: int) -> Path:
    further = "" if number == 1 else f"-{number}"
    return output.with_name(f"{output.name.removesuffix(SUFFIX)}.partial{further}")


@contextlib.contextmanager
def _unfinished_log(output: Path) -> Iterator[Path]:
    """Make the file that becomes the log, under the first name that no other run's log has, and lock it."""
    for number in itertools.count(1):
        partial = _partial_place(output, number)
        with failures_named(output):
            try:
                os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE))
            except FileExistsError:
                continue
        with locks.locked(partial) as is_ours:
            if not is_ours:
                continue
            try:
                yield partial
            finally:
                _remove_empty(partial)
            return


def _remove_empty(partial: Path) -> None:
    with contextlib.suppress(OSError):
        if not partial.stat().st_size:
            partial.unlink()


def _named_files(log: Path, known: Path) -> tuple[set[str], set[str]]:
    """Return the paths of all files that a log names, and of those that it executes."""
    run = formats.named("strace").start([log], {}, "time", known)
    names: dict[int, set[str]] = {}
    executed: set[int] = set()
    while (batches := run.next()) is not None:
        for table, batch in batches:
            if table == "file":
                for file, *both in zip(*(batch[name].to_pylist() for name in FILE_NAMES), strict=True):
                    names[file] = {name for name in both if name}
            elif table == "use":
                rows = zip(batch["file"].to_pylist(), batch["type"].to_pylist(), strict=True)
                executed.update(file for file, kind in rows if kind == "executable")
    return set().union(*names.values()), set().union(*(names.get(file, set()) for file in executed))
