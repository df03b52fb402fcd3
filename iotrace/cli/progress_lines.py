"""Progress where standard error is not a terminal: a line every ten seconds."""

import sys
import threading
import time
from types import TracebackType
from typing import Self

from iotrace import units
from iotrace.cli.terminal import print, visible

SECONDS = 10.0


class Lines:
    """Prints what is being done every ten seconds, with how far it is, how fast, and the time left, where known."""

    def __init__(self, task: str, unit: str = "") -> None:
        self._words, self._unit, self._speed = task, unit, ""
        self._done: float = 0.0
        self._of: float | None = None
        self._began = time.monotonic()
        self._has_begun, self._has_ended = False, threading.Event()
        self._thread = threading.Thread(target=self._print, daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._has_ended.set()
        self._thread.join()  # a line that is being printed when the program ends would abort it

    def show(self, task: str, part: float | None = None, speed: str = "", /) -> None:
        """Take what is being done, which part of all is done, and how fast."""
        if task != self._words:
            self._began = time.monotonic()
        self._has_begun = True
        self._words, self._speed = task, speed
        self._done, self._of = part or 0.0, None if part is None else 1.0

    def advance(self, done: int, of: int | None) -> None:
        """Take how much is done, and of how much; it begins with the first."""
        if not self._has_begun:
            self._has_begun, self._began = True, time.monotonic()
        self._done, self._of = done, of

    def _print(self) -> None:
        while not self._has_ended.wait(SECONDS):
            if self._has_begun:
                print(f"iotrace: {visible(self._line())}", file=sys.stderr)

    def _line(self) -> str:
        done, of, lasted = self._done, self._of, time.monotonic() - self._began
        parts = [f"{self._words} …"]
        if of:
            parts.append(f"{100 * done / of:.0f} %")
        if self._speed:
            parts.append(self._speed)
        elif self._unit and done:
            rate = done / lasted
            parts.append(f"{units.size(rate)}/s" if self._unit == "bytes" else f"{rate:,.1f} {self._unit}/s")
        if of and 0 < done < of:
            parts.append(f"{units.duration(1e9 * lasted * (of - done) / done)} left")
        return f"{parts[0]} {', '.join(parts[1:])}".strip()
