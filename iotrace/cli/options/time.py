"""The options of ``iotrace time``."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from iotrace.analysis.grouping import BY_JOBS, Grouping
from iotrace.cli.options.groups import Group, declared
from iotrace.errors import UsageError

if TYPE_CHECKING:
    from iotrace.store.store import Store


class Waiting(StrEnum):
    """List calls that are not on storage, too."""

    INCLUDE = "include"
    EXCLUDE = "exclude"


DRAWN_ROWS = 10
"""Rows of each table that a person reads, if not said otherwise."""
DRAWN = (Grouping.CALL, Grouping.FILE)
"""The tables that a person reads, if not said otherwise."""


@dataclass(frozen=True)
class Question(Group):
    """Which times are listed. What is not given depends on who reads: a person or a program."""

    by: str | None = declared(
        None,
        f"Add up times by a list of {', '.join(Grouping)}. Default: call,file; all in CSV, JSON, Parquet."
        f" For jobs: {', '.join(BY_JOBS)}; default: layer.",
        show_default=False,
    )
    top: int | None = declared(
        None,
        f"Rows for each of them. Default: {DRAWN_ROWS}; all in CSV, JSON, Parquet.",
        min=1,
        show_default=False,
    )
    waiting: Waiting | None = declared(
        None,
        "List calls that are not on storage, too. Default: exclude; include in CSV, JSON, Parquet.",
        show_default=False,
    )

    def groupings(self, is_drawn: bool) -> list[Grouping]:
        """Return what to add up by; raises UsageError for unknown names."""
        if self.by is None:
            return list(DRAWN if is_drawn else Grouping)
        given = [word.strip() for word in self.by.split(",")]
        if unknown := [word for word in given if word not in list(Grouping)]:
            raise UsageError(f"--by: {', '.join(unknown) or 'nothing'} is none of {', '.join(Grouping)}")
        return [grouping for grouping in Grouping if grouping in given]

    def groupings_of_jobs(self, store: Store) -> list[str]:
        """Return what the time of jobs is added up by; raises UsageError for what is for calls alone."""
        if self.waiting is not None:
            raise UsageError(f"{store.name}: has counters of jobs: --waiting is for traces of calls")
        given = ["layer"] if self.by is None else [word.strip() for word in self.by.split(",")]
        if unknown := [word for word in given if word not in BY_JOBS]:
            raise UsageError(
                f"--by: {', '.join(unknown) or 'nothing'} is none of {', '.join(BY_JOBS)}, by which the time of jobs is"
            )
        return [grouping for grouping in BY_JOBS if grouping in given]

    def rows(self, is_drawn: bool) -> int | None:
        """Return how many rows each table has at most; None for all."""
        return DRAWN_ROWS if self.top is None and is_drawn else self.top

    def has_waiting(self, is_drawn: bool) -> bool:
        """Return whether calls that are not on storage are listed."""
        return not is_drawn if self.waiting is None else self.waiting is Waiting.INCLUDE
