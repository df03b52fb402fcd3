"""The current activity, and a progress bar of simulations counted in runs."""

import contextlib
import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from iotrace.cli.progress_lines import Lines
from iotrace.cli.terminal import visible

if TYPE_CHECKING:
    from iotrace.reports.report.progress import Progress


@contextlib.contextmanager
def bar(
    title: str, *columns: str, total: int | None = None
) -> Iterator[Callable[[int, int | None], None] | None]:
    """Draw a progress bar, with further columns of rich by their names, on standard error while it is a terminal.

    It is drawn from the first progress on. Elsewhere a line says every ten seconds how far it is.
    """
    from iotrace.files.transfers import told

    if not sys.stderr.isatty():
        with (
            Lines(title, "bytes" if "TransferSpeedColumn" in columns else "runs") as lines,
            told(lambda task, done, of: lines.show(task, done / max(of, 1))),
        ):
            yield lines.advance
        return
    from rich import progress
    from rich.console import Console
    from rich.markup import escape

    further = [getattr(progress, name)() for name in (*columns, "TimeRemainingColumn")]
    shown = (progress.TextColumn("{task.description}"), progress.BarColumn(), *further)
    drawn = progress.Progress(*shown, console=Console(stderr=True), transient=True)
    task = drawn.add_task(escape(visible(title)), total=total)

    def show(words: str, done: int, of: int | None) -> None:
        drawn.start()  # again, that does nothing
        drawn.update(task, description=escape(visible(words)), completed=done, total=of)

    try:
        with told(show):
            yield lambda done, of: show(title, done, of)
    finally:
        drawn.stop()


def progress_of_runs(total: int) -> AbstractContextManager[Callable[[int, int | None], None] | None]:
    """Draw a progress bar of runs, done and in all."""
    return bar("Simulating", "MofNCompleteColumn", total=total)


@contextlib.contextmanager
def doing() -> Iterator["Progress"]:
    """Show what is being done on standard error while it is a terminal, with a bar once a part of it is known.

    Elsewhere a line says it every ten seconds.
    """
    from iotrace.files.transfers import told

    if not sys.stderr.isatty():
        with Lines("") as lines, told(lambda task, done, of: lines.show(task, done / max(of, 1))):
            yield lines.show
        return
    from rich import progress
    from rich.console import Console
    from rich.markup import escape

    console = Console(stderr=True)
    columns = (progress.BarColumn(), progress.TaskProgressColumn(), progress.TimeRemainingColumn())
    with contextlib.ExitStack() as shown:
        status = shown.enter_context(console.status(""))
        drawn = progress.Progress(
            progress.TextColumn("{task.description} …"), *columns, console=console, transient=True
        )
        task = drawn.add_task("", total=1.0)

        def show(doing: str, part: float | None = None, speed: str = "", /) -> None:
            message = escape(visible(f"{doing}, {speed}" if speed else doing))
            if part is None and not drawn.live.is_started:
                status.update(f"{message} …")
                return
            if not drawn.live.is_started:
                status.stop()
                shown.enter_context(drawn)
            drawn.tasks[0].total = None if part is None else 1.0
            drawn.update(task, description=message, completed=part or 0.0)

        with told(lambda task, done, of: show(task, done / max(of, 1))):
            yield show


def percent_of(what: str, progress: Callable[[str], None]) -> Callable[[int, int], None]:
    """Return what is called with the steps done and in all, and says how far `what` is done."""
    return lambda done, total: progress(f"{what}, {100 * done // max(total, 1)} %")
