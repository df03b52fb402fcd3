"""Which part of a trace is analysed: times, processes, programs, paths and a condition in SQL."""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from iotrace import units


@dataclass(frozen=True)
class Selection:
    """A part of a trace: what begins within a time, of some processes, on some files; None and () choose all."""

    since_ns: int | None = None
    """The first moment, since the start of the trace."""
    until_ns: int | None = None
    """The moment that follows the last one."""
    processes: tuple[int, ...] = ()
    """Process numbers of the kernel (or ranks)."""
    programs: tuple[str, ...] = ()
    """Globs of the programs that processes run."""
    paths: tuple[str, ...] = ()
    """Globs of the files."""
    where: str | None = None
    """A condition over references, files and processes."""

    @property
    def is_of_times(self) -> bool:
        """Whether it has a beginning or an end."""
        return self.since_ns is not None or self.until_ns is not None

    @property
    def is_of_processes(self) -> bool:
        """Whether it has some processes only."""
        return bool(self.processes or self.programs)

    @property
    def is_of_objects(self) -> bool:
        """Whether it leaves out some of what its processes do meanwhile."""
        return bool(self.paths or self.where is not None)

    def words(self) -> str:
        """Return what is chosen beside the times, as a sentence goes on with it."""
        parts = []
        if self.processes:
            parts.append(f"process {', '.join(map(str, self.processes))}")
        if self.programs:
            parts.append(f"program {' or '.join(self.programs)}")
        if self.paths:
            parts.append(f"path {' or '.join(self.paths)}")
        if self.where is not None:
            parts.append(f"where {' '.join(self.where.split())}")
        return ", ".join(parts)


def moment(nanoseconds: int) -> str:
    """Write a moment since the start of a trace: `12.5 s`, to the nanosecond where it has them."""
    if nanoseconds and nanoseconds % 10**9 and abs(nanoseconds) < 10**9:
        return units.duration(nanoseconds)
    whole, rest = divmod(abs(nanoseconds), 10**9)
    fraction = f".{rest:09d}".rstrip("0") if rest else ""
    return f"{'-' if nanoseconds < 0 else ''}{whole:,}{fraction} s"


class Globs:
    """Patterns of names as a shell has them; one without a slash is compared with a name's last part."""

    def __init__(self, globs: Sequence[str]) -> None:
        whole = [glob for glob in globs if "/" in glob]
        last = [glob for glob in globs if "/" not in glob]
        self._whole, self._last = _any_of(whole), _any_of(last)

    def match(self, name: str | None) -> bool:
        """Return whether a name fits one of them."""
        if name is None:
            return False
        last = name.rstrip("/").rpartition("/")[2]
        return bool(self._whole.fullmatch(name) or self._last.fullmatch(last))


def _any_of(globs: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern that fits what one of the globs does; nothing, without any."""
    return re.compile("|".join(f"(?:{fnmatch.translate(glob)})" for glob in globs) or r"(?!)")
