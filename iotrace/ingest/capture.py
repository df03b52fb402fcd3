"""Record system calls with BPF programs, by the program ``iotrace-capture`` (engine crate of that name)."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iotrace import __version__, engine, units
from iotrace.errors import IotraceError, UsageError
from iotrace.files.temporary import temporary_folder
from iotrace.ingest import caller, overhead
from iotrace.ingest.contents import Contents
from iotrace.ingest.disks import BLOCK
from iotrace.ingest.live import Intervals, Watch
from iotrace.ingest.subjects import UNLIMITED, Limits, Running
from iotrace.ingest.tracing import CommandNotExecutedError, CommandNotFoundError, signals_passed_on

PROGRAM = "iotrace-capture"
SUFFIX = ".iorec"
FIRST_PID_NAMESPACE = "pid:[4026531836]"
"""That in which processes have the numbers that BPF programs see (PROC_PID_INIT_INO of the kernel)."""


class NotHereError(IotraceError):
    """The kernel, or the rights, do not allow BPF programs; the message says why."""


@dataclass(frozen=True)
class Captured:
    """A finished recording."""

    status: int
    """That which a shell would give the command."""
    records: int
    calls: int
    lost_calls: int
    lost_lives: int
    """Beginnings and ends of threads."""
    lost_names: int
    lost_processes: int
    """Processes beyond the most that are followed."""
    lost_events: int
    """Events of the scheduler, the page cache, io_uring and disks."""
    narrow_calls: int
    """Calls of 32-bit programs, which are not recorded."""
    dropped_calls: int
    """Calls among those lost that were dropped so that the recording keeps its size."""
    dropped_events: int
    """Events among those lost that were dropped for the same reason."""
    met_processes: int
    """Processes that came from elsewhere during the recording, so that their descriptors are not known."""
    requests_begun_before: int
    """Requests on all disks that were completed and whose beginning was not seen."""
    requests_unfinished: int
    """Requests on all disks that were not complete at the end."""
    stored_bytes: int
    contents_bytes: int
    """Of the recording's blocks before compression."""
    recorded_ns: int
    recorder_ns: int
    """The processor's time that the recorder took, without what the programs add to each call."""


@dataclass(frozen=True)
class Rotation:
    """Recordings that follow each other, in files beside the first one."""

    seconds: float
    """The length of each."""
    take: Callable[[Path, Captured], None]
    """Called with each recording that is whole, while the next one goes on."""

    def words(self) -> list[str]:
        """Return the options of ``iotrace-capture``."""
        return ["--rotate", str(self.seconds)]


def find() -> Path | None:
    """Return the program, which is installed beside the engine; None where it is not."""
    path = Path(engine.__file__).with_name(PROGRAM)
    return path if path.is_file() else None


def refusal(attaches: bool = False) -> str | None:
    """Return why BPF programs cannot record here, or not attach to running processes; None if they can."""
    program = find()
    if program is None:
        return f"{PROGRAM} is not installed"
    if not sys.platform.startswith("linux"):
        return "it needs Linux"
    if (version := _version(program)) != __version__:
        return (
            f"{PROGRAM} is of version {version} and iotrace of {__version__}; install both from one release"
        )
    if attaches and os.readlink("/proc/self/ns/pid") != FIRST_PID_NAMESPACE:  # noqa: PTH115 - not a path
        return "in a PID namespace they know processes by other numbers"
    with caller.rights():
        tried = subprocess.run([program, "--check"], capture_output=True, text=True, check=False)
    return None if tried.returncode == 0 else tried.stdout.strip() or f"{program} cannot run"


def _version(program: Path) -> str:
    told = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return told.stdout.strip() or "before 0.1.0"


def added_ns(besides: Sequence[str] = ()) -> int | None:
    """Return what recording calls, and what is ``besides``, adds to a call at present, in ns; None where it cannot be
    measured."""
    program = find()
    return (
        None if program is None else overhead.added_ns([str(program), *caller.words_for_recorder(), *besides])
    )


def how_to_allow(reason: str) -> str:
    """Return the end of a sentence on a refusal: what gives the rights, if these are the reason."""
    if "CAP_BPF" not in reason:
        return ""
    return f": run iotrace as root, or allow it once: sudo setcap cap_bpf,cap_perfmon+ep {find() or PROGRAM}"


def refuse_without(command: str) -> None:
    """Raise UsageError where BPF programs, which a command needs, cannot record running processes here."""
    if (reason := refusal(attaches=True)) is not None:
        raise UsageError(
            f"{command} needs BPF programs, which cannot record here, as {reason}{how_to_allow(reason)}"
        )


def capture(
    subject: Sequence[str] | Running,
    recording: Path | None,
    kept: Contents,
    limits: Limits = UNLIMITED,
    besides: Sequence[str] = (),
    watch: Watch | None = None,
    rotation: Rotation | None = None,
) -> Captured:
    """Record a command, or running processes until they end, for some seconds, or until Ctrl-C.

    Who watches may end the recording, too, and needs none to be written. With a rotation it is several recordings, each
    of which is given away when it is whole; the last one is returned.

    What interrupts this process or ends it while a command runs is the command's to handle. Raises NotHereError where
    the kernel or the rights do not allow it, CommandNotFoundError and CommandNotExecutedError, UsageError for processes
    that cannot be recorded, and IotraceError where the recording cannot be written.
    """
    program = find()
    if program is None:
        raise NotHereError(f"{PROGRAM} is not installed")
    with temporary_folder() as folder:
        result = folder / "result"
        command = [str(program), *caller.words_for_recorder(), "--result", str(result)]
        command += [] if recording is None else ["-o", str(recording)]
        command += [] if watch is None else watch.words()
        command += [] if rotation is None else rotation.words()
        command += [] if kept.arguments else ["--no-arguments"]
        command += [*besides, *limits.words()]
        command += subject.words() if isinstance(subject, Running) else ["--", *subject]
        with signals_passed_on(lambda process, number: process.send_signal(number)) as pass_on_to:
            with caller.rights():
                process = subprocess.Popen(command, stdout=subprocess.PIPE if watch or rotation else None)
            pass_on_to(process)
            if watch is not None:
                _look(process, watch)
            if rotation is not None:
                _give_away(process, rotation)
            status = process.wait()
        try:
            outcome: dict[str, Any] = json.loads(result.read_text("utf-8"))
        except (OSError, ValueError):
            raise IotraceError(f"{PROGRAM} ended early (its status is {status})") from None
    if "refused" not in outcome:
        captured = Captured(**outcome)
        took = units.duration(captured.recorded_ns)
        if rotation is not None:
            return captured
        if BLOCK in besides and recording is not None and not captured.records:
            os.truncate(recording, 0)
            raise IotraceError(f"no request to a disk that is recorded was completed in {took}")
        if BLOCK not in besides and recording is not None and not captured.calls:
            os.truncate(recording, 0)
            raise IotraceError(f"{subject} made no traced call in {took}")
        return captured
    why = outcome["why"]
    if recording is not None and outcome["refused"] != "output":
        # nothing but its beginning was written
        os.truncate(recording, 0)
    match outcome["refused"]:
        case "not_here":
            raise NotHereError(why)
        case "no_command":
            raise CommandNotFoundError(why)
        case "not_executed":
            raise CommandNotExecutedError(why)
        case "no_process":
            raise UsageError(why)
    raise IotraceError(f"the recording cannot be written: {why}")


def _look(process: subprocess.Popen[bytes], watch: Watch) -> None:
    intervals = Intervals(process)
    try:
        watch.show(intervals)
    finally:
        intervals.stop()


def _give_away(process: subprocess.Popen[bytes], rotation: Rotation) -> None:
    """Give away the recordings as they become whole, until the recorder ends."""
    assert process.stdout is not None
    for line in process.stdout:
        whole = json.loads(line)
        rotation.take(Path(whole["file"]), Captured(**whole["outcome"]))
