"""The screen of ``iotrace top``: the last interval, and keys that say what is shown of it."""

from __future__ import annotations

import os
import select
import signal
import sys
import termios
from pathlib import Path

from iotrace.cli.live.lines import fitted, header, keys, table
from iotrace.ingest.live import By, Interval, Intervals, Sort
from iotrace.ingest.subjects import Running

SORTS = {"t": Sort.TIME, "b": Sort.BYTES, "m": Sort.MISSES, "l": Sort.LATENCY, "c": Sort.CALLS}
TABLES = {"f": By.FILES, "p": By.PROCESSES, "s": By.CALLS}
NEXT, SUSPEND, END = "\t", "\x1a", ("q", "\x03")
"""Tab; Ctrl-Z; q and Ctrl-C."""
LOOK_SECONDS = 0.25
"""How often the size of the terminal is looked at."""
ENTER = "\x1b[?1049h\x1b[?25l"
LEAVE = "\x1b[?25h\x1b[?1049l"
"""To another screen without a cursor, and back."""
HOME, END_OF_LINE, END_OF_SCREEN, REVERSE, PLAIN = "\x1b[H", "\x1b[K", "\x1b[J", "\x1b[7m", "\x1b[m"


class Screen:
    """The screen of one interval."""

    def __init__(self, by: By, sort: Sort, subject: Running) -> None:
        self.by, self.sort, self._subject, self._pids = by, sort, str(subject), subject.pids
        self._interval: Interval | None = None

    def show(self, intervals: Intervals) -> None:
        """Show intervals on the terminal until the watched processes end, which is said, or until q or Ctrl-C."""
        if self._shown_to_the_end(intervals) and self._pids and not any(map(_runs, self._pids)):
            print(f"iotrace: {self._subject} has ended", file=sys.stderr)

    def _shown_to_the_end(self, intervals: Intervals) -> bool:
        keyboard, size = sys.stdin.fileno(), None
        with _Terminal(keyboard) as terminal:
            while True:
                if size != (size := _size()):
                    self._draw(*size)
                ready, _, _ = select.select([keyboard, intervals], [], [], LOOK_SECONDS)
                if intervals in ready:
                    if (ended := intervals.read()) is None:
                        return True
                    self._interval = ended[-1] if ended else self._interval
                if keyboard in ready:
                    typed = os.read(keyboard, 64).decode("ascii", "replace")
                    if not typed or any(key in END for key in typed):
                        return False
                    if SUSPEND in typed:
                        terminal.suspend()
                    for key in typed:
                        self.press(key)
                if ready:
                    self._draw(*size)

    def press(self, key: str) -> None:
        """Change what is shown."""
        self.by, self.sort = TABLES.get(key, self.by), SORTS.get(key, self.sort)
        if key == NEXT:
            tables = list(By)
            self.by = tables[(tables.index(self.by) + 1) % len(tables)]

    def lines(self, width: int, height: int) -> list[str]:
        """Return the lines of the screen, of which none is wider and at most `height` are there."""
        if self._interval is None:
            return [fitted(f"{self._subject}: the first interval has not ended", width)]
        lines = header(self._interval, self._subject, width)
        rows = table(self._interval, self.by, self.sort, width, max(height - len(lines) - 3, 0))
        rows[1:2] = [f"{REVERSE}{rows[1]:<{width}}{PLAIN}"]
        lines += rows
        return [*lines[: height - 1], *[""] * (height - 1 - len(lines)), keys(width)]

    def _draw(self, width: int, height: int) -> None:
        lines = self.lines(width, height)
        _write(HOME + f"{END_OF_LINE}\r\n".join(lines) + END_OF_LINE + END_OF_SCREEN)


class _Terminal:
    """The terminal's other screen, with each key at once, and no key that makes a signal."""

    def __init__(self, keyboard: int) -> None:
        self._keyboard = keyboard
        self._before = termios.tcgetattr(keyboard)

    def __enter__(self) -> _Terminal:
        mode = termios.tcgetattr(self._keyboard)
        mode[3] &= ~(termios.ICANON | termios.ECHO | termios.ISIG)
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, mode)
        _write(ENTER)
        return self

    def __exit__(self, *exception: object) -> None:
        _write(LEAVE)
        termios.tcsetattr(self._keyboard, termios.TCSADRAIN, self._before)

    def suspend(self) -> None:
        """Stop, as Ctrl-Z asks for, with the terminal as it was, until the shell lets the program go on."""
        self.__exit__()
        os.kill(os.getpid(), signal.SIGTSTP)
        self.__enter__()


def _runs(pid: int) -> bool:
    """Return whether there is a process of this number that has not ended."""
    try:
        Path(f"/proc/{pid}/exe").readlink()
    except FileNotFoundError:
        return False
    except OSError:
        pass
    return True


def _size() -> tuple[int, int]:
    """Return the width and the height of the terminal, whatever the environment says; some say nothing."""
    width, height = os.get_terminal_size(sys.stdout.fileno())
    return width or 80, height or 24


def _write(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()
