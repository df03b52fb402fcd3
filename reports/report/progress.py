"""Progress messages of a report."""

from typing import Protocol


class Progress(Protocol):
    """Called with the current step, and where these are known, which part of it is done, and how fast."""

    def __call__(self, task: str, part: float | None = None, speed: str = "", /) -> None:
        """Show it."""


def silent(task: str, part: float | None = None, speed: str = "", /) -> None:
    """Show nothing."""
