"""What is being done, and a progress bar of simulations counted in runs."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Iterator

from iotrace.cli.terminal import visible


@contextlib.contextmanager
def progress_of_runs(total: int) -> Iterator[Callable[[int, int], None] | None]:
    """Draw a progress bar of runs, done and in all, on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("Simulating"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task("", total=total)
        yield lambda done, of: drawn.update(task, completed=done, total=of)


@contextlib.contextmanager
def doing() -> Iterator[Callable[[str], None]]:
    """Show what is being done on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield lambda words: None
        return
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status("") as status:
        yield lambda words: status.update(f"{escape(visible(words))} …")


def percent_of(what: str, progress: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return what is called with the steps done and in all, and says how far `what` is done."""
    return lambda done, total: progress(f"{what}, {100 * done // max(total, 1)} %")
