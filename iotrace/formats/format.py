"""A trace format: a name, a way to recognise it, and a way to start reading it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, runtime_checkable

from iotrace.families import Family
from iotrace.libraries import pa


class Run(Protocol):
    """A trace being read: tables come out batch by batch."""

    def tables(self) -> list[str]:
        """Return the names of the tables that will come."""

    def next(self) -> list[tuple[str, pa.RecordBatch]] | None:
        """Read on; return the batches that are complete, or None at the end."""

    def progress(self) -> tuple[int, int | None]:
        """Return how many bytes of input were read, and how many there are where that is known."""

    def report(self) -> dict[str, Any]:
        """Return counts and warnings, at the end."""


@runtime_checkable
class ReadsAhead(Protocol):
    """A run of whose trace threads can read records before their turn."""

    def read_ahead(self, threads: int) -> None:
        """Have threads do that from now on, if they can; the tables are the same."""


class JobFiles(Protocol):
    """A job and the files that it wrote."""

    @property
    def name(self) -> str:
        """Its unique name."""

    @property
    def files(self) -> Sequence[Path]:
        """Its files."""


@dataclass(frozen=True)
class Format:
    """A trace format."""

    name: str
    family: Family
    description: str
    endings: str
    recognises: Callable[[bytes], bool]
    start: Callable[[Sequence[Path], Mapping[str, str], str, Path | None], Run]
    calls: Callable[[], list[tuple[str, str, bool]]] | None = None
    """For a format that is made of calls: each call's name and arguments, and whether it is of the original list."""
    lines: Sequence[tuple[str, str]] = ()
    """For a format of iotrace's own: each part of a line, and what it holds."""
    split: Callable[[Sequence[Path]], tuple[Sequence[Path], Sequence[str]]] | None = None
    """For a format whose files can be read one by one: those of a trace, and warnings on its other files."""
    has_lines: bool = False
    """Whether it is lines of fields, so that a part of a file that can be read alone can be, too."""
    reads_ahead: bool = False
    """Whether its runs are `ReadsAhead`."""
    jobs: Callable[[Sequence[Path]], Sequence[JobFiles]] | None = None
    """For a parallel format: the jobs of which the files of a trace are; none where nothing says so."""
