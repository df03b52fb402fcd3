"""Trace a command or running processes with strace, with the flags that a reconstruction needs, into a compressed log.

The flags were chosen by recording one build (zlib: configure, make -j2, make test; 160,000 calls, about 8 s)
with each set. A seccomp filter lets calls that are not traced pass untouched: 300,000 getppid and 20,000 stat
took 0.5 s instead of 2 to 5. ``-y``, the kernel's descriptor paths, makes the text a sixth longer.
``-s 256`` shows nearly every symbolic link and argument list whole; ``-s 0`` hides where links lead. The contents of
buffers, which ``-s 256`` shows, too, are taken out before the log is written. Nanoseconds
instead of ``-ttt -T`` take 3.1 MB and show little more than strace's own delays.
"""

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType

from iotrace import units
from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files.temporary import temporary_folder
from iotrace.formats.known_files import KnownProcesses
from iotrace.formats.reading.clock import NS_PER_S
from iotrace.ingest import caller
from iotrace.ingest.attached import Attached
from iotrace.ingest.contents import Contents
from iotrace.ingest.log_pipe import Compressor

BASE = "%file,%desc,%process,?sync,?msync,?unshare,?socket,?socketpair,?accept,?accept4,?io_setup,?io_submit"
"""strace's classes for calls with a path, a descriptor or a process, and what they leave out."""
CHEAP_WAITS = ("nanosleep", "clock_nanosleep", "pause", "restart_syscall", "connect")
COSTLY_WAITS = (
    "futex", "futex_waitv", "recv", "recvfrom", "recvmsg", "recvmmsg", "send", "sendto", "sendmsg", "sendmmsg",
    "semop", "semtimedop", "msgrcv", "msgsnd", "io_getevents", "io_pgetevents",
    "rt_sigsuspend", "sigsuspend", "rt_sigtimedwait",
)  # fmt: skip
"""Those that add more than 10 % to a program that makes many of them (tests/benchmarks/recording_waits.py)."""
WAITS = (*CHEAP_WAITS, *COSTLY_WAITS)
"""The calls in which threads wait, but those in BASE (poll, select, epoll_wait, accept, flock, io_uring_enter, ...)."""
FLAGS = ("-f", "-q", "-ttt", "-T", "-y", "-s", "256")
OPTIONAL_FLAGS: tuple[tuple[str, ...], ...] = (("--seccomp-bpf",), ())
"""Tried in turn: an old strace or kernel does not know the filter."""
ATTACHED_FLAGS: tuple[tuple[str, ...], ...] = ((),)
"""The filter is set when a program starts, so that a running process cannot get it."""
HOW_TO_GET_STRACE = (
    "strace is not installed; get it with: apt install strace (Debian, Ubuntu), "
    "dnf install strace (Fedora, RHEL), zypper install strace (openSUSE), pacman -S strace (Arch), "
    "apk add strace (Alpine)"
)
NOT_EXECUTED_STATUS = 126
NOT_FOUND_STATUS = 127
SIGNAL_STATUS = 128


class CommandNotFoundError(IotraceError):
    """The command to trace is not there; the status that shells give for it."""

    exit_code = NOT_FOUND_STATUS


class CommandNotExecutedError(IotraceError):
    """The command to trace is there and cannot be executed; the status that shells give for it."""

    exit_code = NOT_EXECUTED_STATUS


def flags(left_out: Iterable[str] = COSTLY_WAITS) -> list[str]:
    """Return strace's flags, with all waits traced but those left out."""
    waits = (f"?{call}" for call in WAITS if call not in set(left_out))
    return [*FLAGS, "-e", f"trace={','.join((BASE, *waits))}"]


def find_strace(
    optional_flags: Sequence[tuple[str, ...]] = OPTIONAL_FLAGS, left_out: Iterable[str] = COSTLY_WAITS
) -> list[str]:
    """Return strace with the flags to use; raises UsageError if it is missing or may not trace."""
    if not sys.platform.startswith("linux"):
        raise UsageError("record needs Linux's strace; record there, and ingest the log here")
    strace = shutil.which("strace")
    if strace is None:
        raise UsageError(HOW_TO_GET_STRACE)
    nothing = shutil.which("true") or sys.executable
    complaint = ""
    for optional in optional_flags:
        command = [strace, *flags(left_out), *optional]
        tried = subprocess.run(
            [*command, "-o", os.devnull, "--", nothing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        complaint = tried.stderr.decode("utf-8", "replace").strip()
        if tried.returncode == 0 and not complaint:
            return command
    reason = complaint.splitlines()[0] if complaint else "it gives no reason"
    raise UsageError(
        f"strace cannot trace here ({reason}); a container needs --cap-add=SYS_PTRACE, "
        "a hardened host kernel.yama.ptrace_scope below 2"
    )


ALL_NAMES = Contents()
"""The default: no contents are kept, but all names and arguments."""


def trace(
    command: Sequence[str],
    log: Path,
    kept: Contents = ALL_NAMES,
    left_out: Sequence[str] = COSTLY_WAITS,
) -> int:
    """Run a command under strace, write its log zstd-compressed, and return the status that a shell would.

    What interrupts this process (Ctrl-C) or ends it while the command runs is the command's to handle, so
    that the log is complete up to the command's end. Raises UsageError without strace, CommandNotFoundError
    without the command, CommandNotExecutedError for a folder or a file that may not be executed, and IotraceError where
    the log cannot be written: the command still runs to its end.
    """
    if not command:
        raise UsageError("no command to trace; write it after --")
    if shutil.which(command[0]) is None:
        if Path(command[0]).name != command[0] and Path(command[0]).exists():
            raise CommandNotExecutedError(f"{command[0]}: cannot be executed: Permission denied")
        raise CommandNotFoundError(f"{command[0]}: command not found")
    strace = find_strace(left_out=left_out)
    with (
        temporary_folder() as folder,
        Compressor(log, folder / "log", kept.filter()) as sink,
        signals_passed_on(_to_the_command) as pass_on_to,
    ):
        process = subprocess.Popen([*strace, "-o", str(sink.pipe), "--", *command])
        pass_on_to(process)
        status = process.wait()
    if not _written(sink, log):
        raise IotraceError(
            f"strace wrote nothing (its status is {status}): run the command under strace alone to see why"
        )
    return status if status >= 0 else SIGNAL_STATUS - status


def attach(
    pids: Sequence[int],
    log: Path,
    seconds: float | None = None,
    kept: Contents = ALL_NAMES,
    left_out: Sequence[str] = COSTLY_WAITS,
) -> tuple[KnownProcesses, int]:
    """Trace running processes, with what they start, and write the log zstd-compressed.

    Return what is known of them, and for how many ns strace had all their threads.

    It ends when they have ended, after some seconds if given, or with what interrupts this process (Ctrl-C): strace
    then lets them go, and they run on. Raises UsageError without strace and where a process cannot be traced, and
    IotraceError where the log cannot be written.
    """
    strace = find_strace(ATTACHED_FLAGS, left_out)
    attached = Attached(tuple(pids))
    with (
        temporary_folder() as folder,
        Compressor(log, folder / "log", kept.filter()) as sink,
        (folder / "errors").open("w+b") as errors,
    ):
        stopped_ns: list[int] = []

        def let_go(tracer: Process, number: int = signal.SIGINT) -> None:
            stopped_ns.append(time.monotonic_ns())
            tracer.send_signal(signal.SIGINT)

        with signals_passed_on(let_go) as pass_on_to:
            command = [*strace, "-o", str(sink.pipe), *(word for pid in pids for word in ("-p", str(pid)))]
            # strace may have all threads before the first look in the loop
            with caller.rights():
                attached.look(NO_TRACER)
                process = subprocess.Popen(command, stderr=errors)
            pass_on_to(process)
            began_ns = time.monotonic_ns()
            looks_until = began_ns + ATTACH_SECONDS * NS_PER_S
            until = None if seconds is None else began_ns + round(seconds * NS_PER_S)
            while not _has_ended(process, LOOK_SECONDS if looks_until else WAIT_SECONDS):
                now = time.monotonic_ns()
                if looks_until and _has_all(attached, process):
                    looks_until, began_ns = 0, now
                elif now > looks_until:
                    looks_until = 0
                if not stopped_ns and until is not None and now >= until:
                    let_go(process)
                if stopped_ns and now > stopped_ns[0] + LET_GO_SECONDS * NS_PER_S:
                    process.kill()
            attached_ns = max((stopped_ns[0] if stopped_ns else time.monotonic_ns()) - began_ns, 0)
        errors.seek(0)
        complaint = errors.read().decode("utf-8", "replace").strip()
    if not _written(sink, log):
        if any(command in complaint for command in ("attach", "ptrace")):
            raise UsageError(_why_not_attached(complaint))
        raise IotraceError(
            f"{named(pids)} made no traced call in {units.duration(attached_ns)}"
            + (f" ({complaint})" if complaint else "")
        )
    return attached.found(), attached_ns


LET_GO_SECONDS = 5
"""How long strace may take to let processes go. One that waits in vfork for a child that strace has stopped keeps it
for ever; when strace is killed the kernel lets both go, and each finished line is in the log by then."""
WAIT_SECONDS = 0.05
ATTACH_SECONDS = 5
"""How long to look for the moment at which strace has all threads."""
LOOK_SECONDS = 0.0005
NO_TRACER = -1
"""The process number of no tracer, for the look before strace starts."""


def _has_all(attached: Attached, tracer: subprocess.Popen[bytes]) -> bool:
    with caller.rights():
        return attached.look(tracer.pid)


def _has_ended(process: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait a moment for a process; return whether it has ended."""
    try:
        process.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True


def _why_not_attached(complaint: str) -> str:
    """Say what to do where strace may not attach."""
    first = complaint.splitlines()[0].removeprefix("strace: ")
    advice = "run iotrace as root, or record the program from its start: iotrace record -- COMMAND"
    if (scope := ptrace_scope()) and scope > 0:
        advice = f"kernel.yama.ptrace_scope is {scope}, so only root may attach: {advice}"
    return f"strace cannot attach ({first}); {advice}"


def ptrace_scope() -> int | None:
    """Return which processes the kernel lets others trace, 0 for all of the same user; None if it does not say."""
    try:
        return int(Path("/proc/sys/kernel/yama/ptrace_scope").read_text("ascii"))
    except (OSError, ValueError):
        return None


def named(pids: Sequence[int]) -> str:
    """Return how a sentence calls processes."""
    listed = ", ".join(map(str, pids))
    return f"process {listed}" if len(pids) == 1 else f"processes {listed}"


def _written(sink: Compressor, log: Path) -> bool:
    """Return whether a log has anything, and remove it if not; raises IotraceError if it is incomplete."""
    if sink.failure is not None:
        raise IotraceError(f"{log}: the log is incomplete: {reason(sink.failure)}")
    if sink.size_bytes == 0:
        log.unlink(missing_ok=True)
    return sink.size_bytes > 0


Process = subprocess.Popen[bytes]
Handler = Callable[[Process, int], None]
"""Takes the recorder's process and a signal's number."""


def _to_the_command(tracer: Process, number: int) -> None:
    """Pass on to the command what only we get; a terminal sends Ctrl-C to its whole foreground group."""
    if number not in (signal.SIGINT, signal.SIGQUIT):
        for pid in _children(tracer.pid):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)


@contextlib.contextmanager
def signals_passed_on(handler: Handler) -> Iterator[Callable[[Process], None]]:
    """Handle what would end us while a recorder runs; yields a function that takes its process."""
    tracer: list[Process] = []

    def handle(number: int, frame: FrameType | None) -> None:
        if tracer:
            handler(tracer[0], number)

    handled = (signal.SIGINT, signal.SIGQUIT, signal.SIGTERM, signal.SIGHUP)
    # who listens there would hear of a signal late, and then take it for one that ends us
    listening = signal.set_wakeup_fd(-1)
    before = {number: signal.signal(number, handle) for number in handled}
    try:
        yield tracer.append
    finally:
        for number, former in before.items():
            signal.signal(number, former)
        signal.set_wakeup_fd(listening, warn_on_full_buffer=False)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []
