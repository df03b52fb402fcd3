"""What is being done, and a progress bar of simulations counted in runs."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from iotrace.cli.terminal import visible


@contextlib.contextmanager
def bar(
    title: str, *columns: str, total: int | None = None
) -> Iterator[Callable[[int, int | None], None] | None]:
    """Draw a progress bar, with further columns of rich by their names, on standard error while it is a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich import progress
    from rich.console import Console
    from rich.markup import escape

    further = [getattr(progress, name)() for name in (*columns, "TimeRemainingColumn")]
    shown = (progress.TextColumn("{task.description}"), progress.BarColumn(), *further)
    with progress.Progress(*shown, console=Console(stderr=True), transient=True) as drawn:
        task = drawn.add_task(escape(visible(title)), total=total)
        yield lambda done, of: drawn.update(task, completed=done, total=of)


def progress_of_runs(total: int) -> AbstractContextManager[Callable[[int, int | None], None] | None]:
    """Draw a progress bar of runs, done and in all."""
    return bar("Simulating", "MofNCompleteColumn", total=total)


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
