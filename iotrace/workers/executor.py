"""Executors, which run functions elsewhere, and workers that were started."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

Progress = Callable[[int, int], None]
"""Called with the parts done and their number in all."""


class Executor(Protocol):
    """Runs functions elsewhere and returns futures: a pool of threads or processes, a Dask Client, Parsl."""

    def submit(self, function: Any, /, *arguments: Any) -> Any:
        """Run a function with arguments, and return the future of what it returns."""


@dataclass(frozen=True)
class Workers:
    """Workers that were started: an executor, and how many parts it runs at the same time."""

    executor: Executor
    slots: int
    is_remote: bool = True
    """Whether they are other processes, which open stores themselves."""
    dashboard: str | None = None
    """The address of the pages of a cluster."""
    progress: Progress | None = None
    """Called with the parts done and their number, where the work is `map_merge`'s."""
