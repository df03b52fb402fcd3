"""Record a command or running processes as a store: trace, look up what the trace does not show, ingest."""

import contextlib
import glob
import itertools
import os
import platform
import re
import shlex
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from iotrace import formats
from iotrace.errors import IotraceError, UsageError
from iotrace.files import locks, renaming
from iotrace.files.modes import PRIVATE
from iotrace.files.outputs import failures_named, refuse_existing
from iotrace.files.temporary import temporary_folder
from iotrace.formats import iorec, strace
from iotrace.formats.known_files import KnownProcesses, look_at, write_known_files
from iotrace.ingest import caller
from iotrace.ingest.backends import Backend
from iotrace.ingest.capture import SUFFIX as RECORDING_SUFFIX
from iotrace.ingest.capture import Captured, added_ns, capture, how_to_allow, refusal
from iotrace.ingest.contents import Contents
from iotrace.ingest.disks import BLOCK
from iotrace.ingest.live import Watch
from iotrace.ingest.overhead import overhead
from iotrace.ingest.pipeline import ingest
from iotrace.ingest.subjects import UNLIMITED, Limits, Running
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
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.skipped import ATTACHED
from iotrace.store.store import Progress, Store
from iotrace.store.writer import refuse_taken

FILE_NAMES = ("file", "path", "path_last")


@dataclass(frozen=True)
class Recorder:
    """The recorder, and the reason for strace where BPF programs were not requested and are not possible."""

    backend: Backend
    reason: str | None = None

    @property
    def is_bpf(self) -> bool:
        """Whether BPF programs record."""
        return self.backend is Backend.BPF

    @property
    def suffix(self) -> str:
        """The end of the name of a log or a recording."""
        return RECORDING_SUFFIX if self.is_bpf else ".strace.zst"


@dataclass(frozen=True)
class RecordingSettings:
    """How to record."""

    recorder: Recorder = Recorder(Backend.STRACE)
    kept: Contents = ALL_NAMES
    """The names and arguments in the recording, the store and its manifest; no contents are in them."""
    all_waits: bool = False
    """Whether strace also traces the calls that cost most (`tracing.COSTLY_WAITS`)."""
    replace: bool = False
    """Whether a store and a recording that exist are replaced."""
    limits: Limits = UNLIMITED
    """Where the recording ends before what is recorded does, and the size of which it keeps the end."""
    besides: tuple[str, ...] = ()
    """The options of iotrace-capture on what BPF programs record besides calls, or instead of them."""
    watch: Watch | None = None
    """Who looks at the totals meanwhile; for BPF programs."""

    @property
    def format(self) -> str:
        """The format of the log."""
        if self.is_of_disks:
            return iorec.BLOCK.name
        return iorec.FORMAT.name if self.recorder.is_bpf else strace.FORMAT.name

    @property
    def is_of_disks(self) -> bool:
        """Whether requests to disks are recorded instead of calls."""
        return BLOCK in self.besides


def record(
    command: Sequence[str],
    output: Path,
    settings: RecordingSettings = RecordingSettings(),
    *,
    progress: Progress | None = None,
) -> tuple[Store, int]:
    """Record a command and ingest the recording; return the store and the status that a shell would give.

    While the command runs the recording is ``NAME.partial``, which is complete up to the last second however this
    program ends, and which nothing removes: it becomes ``NAME.iorec``, or ``NAME.strace.zst``, next to the store
    ``NAME.iotrace``, once the store is in its place. Other users can read neither (mode 0600). What the recording does
    not show is looked up after the run and goes into the store as table known_file: where the command started, and the
    sizes (but of files that the run changed) and interpreters of the files that it names. For that it is read twice,
    as the file table resolves the names. The status of a command that runs on after its recording is 0. Raises
    UsageError where the store or the recording exists (unless it is to be replaced) and where there is no strace, and
    IotraceError where nothing was recorded or the recording cannot be ingested; it then stays.
    """
    left_out = () if settings.all_waits else COSTLY_WAITS
    if not settings.recorder.is_bpf:
        caller.give_up()

    def run(log: Path) -> tuple[dict[str, Any], KnownProcesses]:
        if settings.recorder.is_bpf:
            captured = capture(command, log, settings.kept, settings.limits, settings.besides)
            return described_recording(captured, settings.besides), ([], [])
        return {"status": trace(command, log, settings.kept, left_out), **_about(OPTIONAL_FLAGS, left_out)}, (
            [],
            [],
        )

    store = _recorded(settings, output, Path.cwd(), command, progress, run)
    return store, store.manifest["status"]


def record_attached(
    subject: Running,
    output: Path,
    settings: RecordingSettings = RecordingSettings(),
    *,
    progress: Progress | None = None,
) -> Store:
    """Record running processes until they end, for some seconds, or until Ctrl-C, and ingest it; see `record`.

    Raises UsageError, too, where there is no such process, or it may not be traced.
    """
    if subject.is_system or subject.cgroup is not None:
        folder, command = None, list[str]()
        if (
            not subject.pids
            and not subject.is_system
            and not (settings.recorder.is_bpf and subject.by_cgroup)
        ):
            raise UsageError(f"{subject} holds no process")
    else:
        with caller.rights():
            folder, command = _start_of(subject.pids)
    left_out = () if settings.all_waits else COSTLY_WAITS

    def run(log: Path) -> tuple[dict[str, Any], KnownProcesses]:
        if settings.recorder.is_bpf:
            captured = capture(subject, log, settings.kept, settings.limits, settings.besides, settings.watch)
            attached = {"attached_to": subject.attached_to(), ATTACHED: captured.recorded_ns}
            return {
                **({} if settings.is_of_disks else attached),
                **described_recording(captured, settings.besides),
            }, ([], [])
        processes, attached_ns = attach(subject.pids, log, settings.limits.seconds, settings.kept, left_out)
        attached = {"attached_to": subject.attached_to(), ATTACHED: attached_ns}
        return {**attached, **_about(ATTACHED_FLAGS, left_out)}, processes

    # with BPF programs the recording itself says where each process works
    return _recorded(settings, output, None if settings.recorder.is_bpf else folder, command, progress, run)


def record_any(
    subject: Sequence[str] | Running,
    output: Path,
    settings: RecordingSettings,
    progress: Progress | None = None,
) -> tuple[Store, int]:
    """Record a command, or what runs already, which has the status 0."""
    if isinstance(subject, Running):
        return record_attached(subject, output, settings, progress=progress), 0
    return record(subject, output, settings, progress=progress)


def choose(
    backend: Backend,
    kept: Contents,
    subject: Running | None = None,
    limits: Limits = UNLIMITED,
    besides: Sequence[str] = (),
    *,
    rotates: bool = False,
) -> Recorder:
    """Return what records; raises UsageError where BPF programs were asked for, or needed, and cannot record."""
    reason = None
    if backend is not Backend.STRACE:
        attaches = subject is not None and BLOCK not in besides
        reason = "--redact is only for strace's logs so far" if kept.redact else refusal(attaches)
        if reason is None:
            return Recorder(Backend.BPF)
        if backend is Backend.BPF:
            raise UsageError(f"BPF programs cannot record here, as {reason}{how_to_allow(reason)}")
    if needing := "--rotate" if rotates else _what_strace_cannot(subject, limits, besides):
        why = (
            f"cannot record here, as {reason}{how_to_allow(reason)}"
            if reason
            else "--backend strace excludes"
        )
        raise UsageError(f"{needing} needs BPF programs, which {why}")
    return Recorder(Backend.STRACE, reason)


def _what_strace_cannot(subject: Running | None, limits: Limits, besides: Sequence[str]) -> str | None:
    """Return the option that strace has nothing for: it ends a command that it started when it ends itself."""
    if besides:
        return besides[0]
    if subject is None and limits.seconds is not None:
        return "--seconds with a command"
    if limits.max_bytes is not None:
        return "--max-size"
    return "--system" if subject is not None and subject.is_system else None


def described_recording(captured: Captured, besides: Sequence[str], measures: bool = True) -> dict[str, Any]:
    """Return for the manifest what BPF programs recorded: all calls in which threads wait, but not their stops.

    What they add to a call is measured now, if asked for.
    """
    is_of_disks = BLOCK in besides
    recorded = {**asdict(captured), "added_ns": added_ns(besides) if measures and not is_of_disks else None}
    waits = {} if is_of_disks else {manifests.WAITS: [manifests.STOP]}
    return {**waits, manifests.RECORDING: recorded, "status": captured.status}


def _about(optional_flags: Sequence[tuple[str, ...]], left_out: Sequence[str]) -> dict[str, Any]:
    """Return for the manifest which waits are not traced, and what tracing adds to a call if that can be measured."""
    measured = overhead(find_strace(optional_flags, left_out))
    added = {} if measured is None else {"tracing_overhead": asdict(measured)}
    return {manifests.WAITS: sorted(left_out), **added}


def _start_of(pids: Sequence[int]) -> tuple[Path, list[str]]:
    """Return where the first process works and its command; raises UsageError where one may not be seen."""
    for pid in pids:
        if pid < 1:
            raise UsageError(f"{pid} is not the number of a process: these begin at 1")
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
        if (process := _process_of(pid)) not in (None, pid):
            raise UsageError(f"{pid} is a thread of process {process}: give -p {process}")
    proc = Path(f"/proc/{pids[0]}")
    try:
        command = (proc / "cmdline").read_bytes().decode("utf-8", "surrogateescape").rstrip("\0").split("\0")
        return (proc / "cwd").readlink(), command
    except OSError:
        raise UsageError(f"process {pids[0]} has ended") from None


def _process_of(thread: int) -> int | None:
    """Return the process of a thread, as the kernel says; None where it has ended."""
    try:
        status = Path(f"/proc/{thread}/status").read_text("ascii", "replace")
    except OSError:
        return None
    found = re.search(r"^Tgid:\s*(\d+)$", status, re.MULTILINE)
    return int(found[1]) if found else None


def _recorded(
    settings: RecordingSettings,
    output: Path,
    folder: Path | None,
    command: Sequence[str],
    progress: Progress | None,
    run: Callable[[Path], tuple[dict[str, Any], KnownProcesses]],
) -> Store:
    """Run what writes a log and returns more for the manifest, and ingest the log; `folder` is where it started."""
    recorder, kept, replace = settings.recorder, settings.kept, settings.replace
    log = log_place(output, recorder)
    refuse_taken(output, replace)
    refuse_existing(log, replace)
    if os.path.lexists(log) and not _is_log_of(output, log):
        raise UsageError(f"{log}: exists and is not the log of {output}; choose another -o, or move it away")
    with failures_named(output):
        output.parent.mkdir(parents=True, exist_ok=True)
    began_ns = time.time_ns()
    with unfinished_log(output) as partial:
        result, processes = run(partial)
        caller.give_up()
        described = {
            "sources": [str(kept.place(log.parent) / log.name)],
            "host": platform.node(),
            "command": kept.command(command),
            manifests.BACKEND: recorder.backend.value,
            **result,
        }
        kept_log = f"the log is kept: {how_to_ingest(partial, settings.format)}"
        try:
            with failures_named(output):
                store = ingested(
                    settings.format,
                    partial,
                    output,
                    folder,
                    processes,
                    kept,
                    began_ns,
                    replace,
                    progress,
                    described,
                )
                if replace:
                    partial.replace(log)
                else:
                    renaming.rename_noreplace(partial, log)
        except IotraceError as error:
            failure = IotraceError(f"{error}; {kept_log}")
            failure.add_note(kept_log)  # for an interruption of a query, which is said in other words
            raise failure from None
        except (KeyboardInterrupt, SystemExit) as ending:
            ending.add_note(kept_log)
            raise
    return store


def ingested(
    format_name: str,
    partial: Path,
    output: Path,
    folder: Path | None,
    processes: KnownProcesses,
    kept: Contents,
    began_ns: int,
    replace: bool,
    progress: Progress | None,
    described: dict[str, Any],
) -> Store:
    """Ingest a log, with what can be looked up of the files that it names; `folder` is where it started."""
    if not formats.named(format_name).family.has_model:
        return ingest([partial], output, replace=replace, progress=progress, described=described)
    with temporary_folder() as scratch:
        known = scratch / "known_file.parquet"
        started = None if folder is None else kept.place(folder)
        write_known_files(look_at((), (), began_ns), started, known)
        paths, programs = map(kept.originals, _named_files(format_name, partial, known))
        write_known_files(kept.known_files(look_at(paths, programs, began_ns)), started, known, processes)
        return ingest(
            [partial], output, known_files=known, replace=replace, progress=progress, described=described
        )


def log_place(output: Path, recorder: Recorder) -> Path:
    """Return where the log of a recorded store is kept."""
    return output.with_name(f"{output.name.removesuffix(SUFFIX)}{recorder.suffix}")


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


def how_to_ingest(partial: Path, format_name: str | None = None) -> str:
    """Return the command that ingests the log of a run that did not end."""
    if format_name is None:
        with partial.open("rb") as file:
            head = file.read(len(iorec.MAGIC))
        known = (form for form in (iorec.FORMAT, iorec.BLOCK) if form.recognises(head))
        format_name = next(known, strace.FORMAT).name
    return f"iotrace ingest --trace-format {format_name} {shlex.quote(str(partial))}"


def _is_abandoned(path: Path) -> bool:
    with locks.abandoned(path) as is_abandoned:
        return is_abandoned


def _partial_place(output: Path, number: int) -> Path:
    further = "" if number == 1 else f"-{number}"
    return output.with_name(f"{output.name.removesuffix(SUFFIX)}.partial{further}")


@contextlib.contextmanager
def unfinished_log(output: Path) -> Iterator[Path]:
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


def _named_files(format_name: str, log: Path, known: Path) -> tuple[set[str], set[str]]:
    """Return the paths of all files that a log names, and of those that it executes."""
    run = formats.named(format_name).start([log], {}, "time", known)
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
