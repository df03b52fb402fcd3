"""Processes to which strace is attached: their threads, and where their descriptors stand."""

from __future__ import annotations

import os
import stat
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

from iotrace.formats.known_files import KnownProcesses


@dataclass(frozen=True)
class Descriptor:
    """A descriptor of a regular file, as /proc has it."""

    position: int
    flags: int
    file: tuple[int, int]
    """Device and inode."""


Snapshot = dict[tuple[int, int], Descriptor]
"""By process and descriptor."""


@dataclass
class Attached:
    """Takes snapshots while strace attaches, one after the other.

    A descriptor's position is known where the last snapshot before strace has any thread and the first one after it has
    all are equal. It is not for a file that several descriptors of these processes have open: they may share one
    position.
    """

    processes: tuple[int, ...]
    _before: Snapshot = field(default_factory=dict)
    _found: KnownProcesses = ([], [])

    def look(self, tracer: int) -> bool:
        """Take a snapshot; return whether strace has all threads, so that there is nothing more to look at."""
        now = _snapshot(self.processes)
        threads = [(thread, process) for process in self.processes for thread in _threads(process)]
        traced = [_tracer(process, thread) == tracer for thread, process in threads]
        if not any(traced):
            self._before = now
        if not threads or not all(traced):
            return False
        self._found = threads, _agreed(self._before, _snapshot(self.processes))
        return True

    def found(self) -> KnownProcesses:
        """Return what is known; nothing before strace has all threads."""
        return self._found


def _agreed(before: Snapshot, after: Snapshot) -> list[tuple[int, int, int | None, bool]]:
    """Return process, descriptor, position and whether it appends, of each descriptor."""
    opened = Counter(descriptor.file for descriptor in after.values())
    return [
        (
            process,
            number,
            now.position if before.get((process, number)) == now and opened[now.file] == 1 else None,
            bool(now.flags & os.O_APPEND),
        )
        for (process, number), now in after.items()
    ]


def _snapshot(processes: Iterable[int]) -> Snapshot:
    descriptors: Snapshot = {}
    for process in processes:
        for name in _names(Path(f"/proc/{process}/fd")):
            try:
                status = os.stat(f"/proc/{process}/fd/{name}")  # noqa: PTH116 - the file itself
                if not stat.S_ISREG(status.st_mode):
                    continue
                fields = _fields(Path(f"/proc/{process}/fdinfo/{name}"))
                position, flags = int(fields["pos"]), int(fields["flags"], 8)
            except (OSError, KeyError, ValueError):
                continue
            descriptors[process, int(name)] = Descriptor(position, flags, (status.st_dev, status.st_ino))
    return descriptors


def _threads(process: int) -> list[int]:
    return [int(name) for name in _names(Path(f"/proc/{process}/task"))]


def _tracer(process: int, thread: int) -> int:
    try:
        return int(_fields(Path(f"/proc/{process}/task/{thread}/status"))["TracerPid"])
    except (OSError, KeyError, ValueError):
        return 0


def _fields(file: Path) -> dict[str, str]:
    lines = file.read_text("utf-8", "replace").splitlines()
    return {name: value.strip() for name, _, value in (line.partition(":") for line in lines)}


def _names(folder: Path) -> list[str]:
    try:
        return os.listdir(folder)  # noqa: PTH208 - names of /proc
    except OSError:
        return []
