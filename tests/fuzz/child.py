"""Run one command of iotrace in a fork of this process, with limits on time, memory and the size of files.

The modules that a command loads are imported here too once it has ended, so that the next one of its kind finds them.
Nothing here starts a thread: what a fork inherits of them is undefined.
"""

import atexit
import contextlib
import importlib
import os
import resource
import select
import signal
import sys
import tempfile
import threading
import traceback
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType


@dataclass(frozen=True)
class Limits:
    """The limits of a command's resources."""

    processor_seconds: int = 20
    elapsed_seconds: float = 300.0
    """Against commands that hang; generous, since the machine may be busy."""
    address_space_bytes: int = 6 << 30
    file_bytes: int = 256 << 20


@dataclass(frozen=True)
class Ended:
    """How a command ended."""

    words: tuple[str, ...]
    status: int
    """The exit status; negative for a signal."""
    stdout: bytes
    stderr: bytes
    timed_out: bool
    """Whether it used more processor time than it may, or did not end."""
    peak_bytes: int
    seconds: float
    """Of a processor."""


@dataclass(frozen=True)
class Place:
    """The folders of a command: where it runs, its temporary files, its cache, and where its output is kept."""

    work: Path
    temporary: Path
    cache: Path
    output: Path

    @classmethod
    def below(cls, folder: Path) -> "Place":
        """Make the four folders below one."""
        place = cls(*(folder / name for name in ("work", "tmp", "cache", "output")))
        for each in (place.work, place.temporary, place.cache, place.output):
            each.mkdir(parents=True)
        return place


def preload() -> None:
    """Import what commands use; raises nothing that a command would not."""
    import duckdb  # noqa: F401
    import numpy  # noqa: F401
    import polars  # noqa: F401
    import pyarrow.parquet  # noqa: F401
    import typer

    import iotrace.cli
    import iotrace.ingest.pipeline
    from iotrace.engine import native  # noqa: F401

    commands = typer.main.get_command(iotrace.cli.application())
    iotrace.cli.application = lambda names=None: commands  # type: ignore[assignment,return-value]


def run(
    words: Sequence[str],
    place: Place,
    limits: Limits,
    given: Path | None = None,
    action: Callable[[], None] | None = None,
    variables: Mapping[str, str] = MappingProxyType({}),
) -> Ended:
    """Run ``iotrace`` with some words, or an action, in a fork; `given` is its standard input.

    `variables` are added to its environment.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    pid = os.fork()
    if pid == 0:
        os.environ.update(variables)
        _be_the_child(words, place, limits, given, action)
    status, used, timed_out = _wait(pid, limits.elapsed_seconds)
    code = os.waitstatus_to_exitcode(status)
    _learn(place)
    return Ended(
        tuple(words),
        code,
        (place.output / "stdout").read_bytes(),
        (place.output / "stderr").read_bytes(),
        timed_out or -code == signal.SIGXCPU,
        used.ru_maxrss << 10,
        used.ru_utime + used.ru_stime,
    )


def _learn(place: Place) -> None:
    """Import the modules that a command had to load."""
    loaded = place.output / "modules"
    for name in loaded.read_text().split() if loaded.exists() else []:
        if name not in sys.modules:
            with contextlib.suppress(ImportError):
                importlib.import_module(name)


def _wait(pid: int, seconds: float) -> tuple[int, resource.struct_rusage, bool]:
    handle = os.pidfd_open(pid)
    try:
        ended, _, _ = select.select([handle], [], [], seconds)
    finally:
        os.close(handle)
    if not ended:
        os.kill(pid, signal.SIGKILL)
    _, status, used = os.wait4(pid, 0)
    return status, used, not ended


def _be_the_child(
    words: Sequence[str], place: Place, limits: Limits, given: Path | None, action: Callable[[], None] | None
) -> None:
    code = 70
    known = set(sys.modules)
    try:
        _set_up(words, place, limits, given)
        code = _status(action or _command)
        (place.output / "modules").write_text("\n".join(name for name in sys.modules if name not in known))
    except BaseException:
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code & 0xFF)


def _set_up(words: Sequence[str], place: Place, limits: Limits, given: Path | None) -> None:
    for number, name in ((1, "stdout"), (2, "stderr")):
        opened = os.open(place.output / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(opened, number)
        os.close(opened)
    os.dup2(os.open(given or os.devnull, os.O_RDONLY), 0)
    os.chdir(place.work)
    os.environ.update(
        TMPDIR=str(place.temporary), XDG_CACHE_HOME=str(place.cache), COLUMNS="200", NO_COLOR="1"
    )
    tempfile.tempdir = None
    sys.argv = ["iotrace", *words]
    resource.setrlimit(resource.RLIMIT_CPU, (limits.processor_seconds, limits.processor_seconds))
    resource.setrlimit(resource.RLIMIT_AS, (limits.address_space_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limits.file_bytes,) * 2)
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _status(action: Callable[[], None]) -> int:
    """Run an action as a separate process would, exit handlers included."""
    code = 0
    try:
        action()
    except SystemExit as error:
        code = error.code if isinstance(error.code, int) else int(error.code is not None)
    threading._shutdown()
    atexit._run_exitfuncs()
    return code


def _command() -> None:
    from iotrace.cli import main

    main()
