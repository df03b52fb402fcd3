"""Trace a command with strace, with the flags that a reconstruction needs, and keep the log compressed.

The flags were chosen by recording one build (zlib: configure, make -j2, make test; 160,000 calls, about 8 s)
with each set. A seccomp filter lets calls that are not traced pass untouched: 300,000 getppid and 20,000 stat
took 0.5 s instead of 2 to 5. ``-y``, the kernel's descriptor paths, makes the text a sixth longer.
``-s 256`` shows nearly every symbolic link and argument list whole, for 2.2 MB compressed; ``-s 4096`` takes
7.2 MB, most of it the contents of files; ``-s 0`` takes 1.7 MB, but hides where links lead. Nanoseconds
instead of ``-ttt -T`` take 3.1 MB and show little more than strace's own delays.
"""

import contextlib
import fcntl
import glob
import itertools
import os
import platform
import select
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import FrameType

import pyarrow as pa

from iotrace import formats
from iotrace.errors import IotraceError, UsageError, reason
from iotrace.files import locks, renaming
from iotrace.files.outputs import failures_named, refuse_existing
from iotrace.files.temporary import temporary_folder
from iotrace.formats.known_files import look_at, write_known_files
from iotrace.ingest.pipeline import ingest
from iotrace.store.store import SUFFIX, Progress, Store
from iotrace.store.writer import refuse_taken

TRACED = (
    "%file,%desc,%process,?sync,?msync,?unshare,?socket,?socketpair,?accept,?accept4,?io_setup,?io_submit"
)
"""strace's classes for calls with a path, a descriptor or a process, and what they leave out."""
FLAGS = ("-f", "-q", "-ttt", "-T", "-y", "-s", "256", "-e", f"trace={TRACED}")
OPTIONAL_FLAGS: tuple[tuple[str, ...], ...] = (("--seccomp-bpf",), ())
"""Tried in turn: an old strace or kernel does not know the filter."""
HOW_TO_GET_STRACE = (
    "strace is not installed; get it with: apt install strace (Debian, Ubuntu), "
    "dnf install strace (Fedora, RHEL), zypper install strace (openSUSE), pacman -S strace (Arch), "
    "apk add strace (Alpine)"
)
FILE_NAMES = ("file", "path", "path_last")
PIPE_BYTES = 1 << 20
FLUSH_EACH_S = 1.0
"""The most of a run that the log lacks when this program is killed."""
NOT_FOUND_STATUS = 127
SIGNAL_STATUS = 128


class CommandNotFoundError(IotraceError):
    """The command to trace is not there; the status that shells give for it."""

    exit_code = NOT_FOUND_STATUS


def record(
    command: Sequence[str],
    output: Path,
    *,
    replace: bool = False,
    progress: Progress | None = None,
) -> tuple[Store, int]:
    """Trace a command and ingest the trace; return the store and the status that a shell would give.

    While the command runs the log is ``NAME.partial``, which is complete up to the last second however this program
    ends, and which nothing removes: it becomes ``NAME.strace.zst``, next to the store ``NAME.iotrace``, once the
    store is in its place. What the trace does not show is looked up after the run and goes into the store as table
    known_file: where the command started, and the sizes (but of files that the run changed) and interpreters of the
    files that the trace names. For that the log is read twice, as the file table resolves the names. Raises UsageError
    where the store or the log exists (unless ``replace`` is set) and where there is no strace, and IotraceError where
    nothing was traced or the trace cannot be ingested; the log then stays.
    """
    log = log_place(output)
    refuse_taken(output, replace)
    refuse_existing(log, replace)
    with failures_named(output):
        output.parent.mkdir(parents=True, exist_ok=True)
    began_ns = time.time_ns()
    with _unfinished_log(output) as partial:
        status = trace(command, partial)
        try:
            with failures_named(log):
                store = _ingested(partial, output, began_ns, replace, progress, command, status)
                if replace:
                    partial.replace(log)
                else:
                    renaming.without_replacing(partial, log)
        except IotraceError as error:
            raise IotraceError(f"{error}; the log is kept: {how_to_ingest(partial)}") from None
    return store, status


def _ingested(
    partial: Path,
    output: Path,
    began_ns: int,
    replace: bool,
    progress: Progress | None,
    command: Sequence[str],
    status: int,
) -> Store:
    with temporary_folder() as folder:
        known, here = folder / "known_file.parquet", Path.cwd()
        write_known_files(look_at((), (), began_ns), here, known)
        write_known_files(look_at(*_named_files(partial, known), began_ns), here, known)
        described = {
            "sources": [str(log_place(output))],
            "host": platform.node(),
            "command": list(command),
            "status": status,
        }
        return ingest(
            [partial], output, known_files=known, replace=replace, progress=progress, described=described
        )


def log_place(output: Path) -> Path:
    """Return where the log of a recorded store is kept."""
    return output.with_name(f"{output.name.removesuffix(SUFFIX)}.strace.zst")


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
        if partial.is_file() and _is_abandoned(partial):
            _remove_empty(partial)
        with failures_named(output):
            try:
                os.close(os.open(partial, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666))
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


def find_strace() -> list[str]:
    """Return strace with the flags to use; raises UsageError if it is missing or may not trace."""
    if not sys.platform.startswith("linux"):
        raise UsageError("record needs Linux's strace; record there, and ingest the log here")
    strace = shutil.which("strace")
    if strace is None:
        raise UsageError(HOW_TO_GET_STRACE)
    nothing = shutil.which("true") or sys.executable
    complaint = ""
    for optional in OPTIONAL_FLAGS:
        words = [strace, *FLAGS, *optional]
        tried = subprocess.run(
            [*words, "-o", os.devnull, "--", nothing],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            check=False,
        )
        complaint = tried.stderr.decode("utf-8", "replace").strip()
        if tried.returncode == 0 and not complaint:
            return words
    reason = complaint.splitlines()[0] if complaint else "it gives no reason"
    raise UsageError(
        f"strace cannot trace here ({reason}); a container needs --cap-add=SYS_PTRACE, "
        "a hardened host kernel.yama.ptrace_scope below 2"
    )


def trace(command: Sequence[str], log: Path) -> int:
    """Run a command under strace, write its log zstd-compressed, and return the status that a shell would.

    What interrupts this process (Ctrl-C) or ends it while the command runs is the command's to handle, so
    that the log is complete up to the command's end. Raises UsageError without strace, CommandNotFoundError
    without the command, and IotraceError where the log cannot be written: the command still runs to its end.
    """
    if not command:
        raise UsageError("no command to trace; write it after --")
    if shutil.which(command[0]) is None:
        raise CommandNotFoundError(f"{command[0]}: command not found")
    strace = find_strace()
    with (
        temporary_folder() as folder,
        _Compressor(log, folder / "log") as sink,
        _signals_left_to_the_command() as pass_on_to,
    ):
        process = subprocess.Popen([*strace, "-o", str(sink.pipe), "--", *command])
        pass_on_to(process.pid)
        status = process.wait()
    if sink.failure is not None:
        raise IotraceError(f"{log}: the log is incomplete: {reason(sink.failure)}")
    if sink.size_bytes == 0:
        log.unlink(missing_ok=True)
        raise IotraceError(
            f"strace wrote nothing (its status is {status}): run the command under strace alone to see why"
        )
    return status if status >= 0 else SIGNAL_STATUS - status


class _Compressor:
    """Compresses what is written to a named pipe, in a thread.

    strace opens the pipe by its name, so that the traced processes do not inherit it. Where the log cannot be
    written, the rest is read and dropped, since a full pipe would stop the command.
    """

    def __init__(self, log: Path, pipe: Path) -> None:
        self.pipe = pipe
        self.size_bytes = 0
        self.failure: OSError | None = None
        with failures_named(log):
            self._log = pa.CompressedOutputStream(pa.OSFile(str(log), "wb"), "zstd")
        os.mkfifo(pipe)
        # Opening one end alone would wait for the other. The pipe lasts until the end held here closes.
        self._source = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
        self._own_end = os.open(pipe, os.O_WRONLY)
        os.set_blocking(self._source, True)
        with contextlib.suppress(OSError):
            fcntl.fcntl(self._source, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
        self._flushed_s = time.monotonic()
        self._thread = threading.Thread(target=self._compress)

    def __enter__(self) -> "_Compressor":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._own_end)
        self._thread.join()
        os.close(self._source)
        try:
            self._log.close()
        except OSError as error:
            self.failure = self.failure or error

    def _compress(self) -> None:
        is_flushed = True
        while True:
            left_s = max(0.0, self._flushed_s + FLUSH_EACH_S - time.monotonic())
            if not is_flushed and (not left_s or not select.select([self._source], [], [], left_s)[0]):
                self._try(self._log.flush)
                self._flushed_s, is_flushed = time.monotonic(), True
            if not (block := os.read(self._source, PIPE_BYTES)):
                return
            self.size_bytes += len(block)
            self._try(self._log.write, block)
            is_flushed = False

    def _try(self, step: Callable[..., object], *arguments: object) -> None:
        """Take a step in writing the log, unless one has failed before."""
        if self.failure is None:
            try:
                step(*arguments)
            except OSError as error:
                self.failure = error


@contextlib.contextmanager
def _signals_left_to_the_command() -> Iterator[Callable[[int], None]]:
    """Ignore what a terminal sends to its whole foreground group; pass on to the command what only we get.

    Yields a function that takes strace's process number.
    """
    tracer: list[int] = []

    def heard_by_all(number: int, frame: FrameType | None) -> None:
        pass

    def pass_on(number: int, frame: FrameType | None) -> None:
        for pid in _children(tracer[0]) if tracer else []:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, number)

    handlers = {
        signal.SIGINT: heard_by_all,
        signal.SIGQUIT: heard_by_all,
        signal.SIGTERM: pass_on,
        signal.SIGHUP: pass_on,
    }
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    try:
        yield tracer.append
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _children(pid: int) -> list[int]:
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()]
    except OSError:
        return []
