"""Signals that end the program, heard wherever the main thread is: in DuckDB, in a read, in a destructor.

Python runs the handler of a signal in the main thread, between two of its instructions. Three things keep it from
there: a query, which computes on; a call that waits, where the kernel gave the signal to another thread, or just
before the call; and a destructor or callback, out of which no exception comes. A thread mends all three.
"""

import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import FrameType
from typing import NoReturn

from iotrace.errors import is_interruption

ENDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
EXIT_CODES: dict[object, int] = {128 + number: number for number in ENDED}
HOLDING = ("iotrace.files", "iotrace.cli.session")
"""The modules with separate handlers, after which the program continues."""
QUERY = threading.Event()
"""Set while a session runs a query, which SIGINT stops, and not the session."""
NUDGE = signal.SIGURG
"""Ends a call in which the main thread waits, and does nothing else: by default it is ignored."""
NUDGE_SECONDS = 0.05


def watch() -> None:
    """From here on, what ends the program stops queries of all stores, and reaches the main thread."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(NUDGE, _do_nothing)
    heard, write_end = os.pipe()
    os.set_blocking(write_end, False)
    signal.set_wakeup_fd(write_end, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard,), daemon=True).start()
    atexit.register(_join)
    _repeat_what_is_swallowed(write_end)


def _do_nothing(number: int, frame: FrameType | None) -> None:
    pass


def end(number: int, frame: FrameType | None) -> NoReturn:
    """Exit as after an error, so that partial output is removed."""
    _heard.append(number)
    raise SystemExit(128 + number)


def exit_code() -> int:
    """Return the exit status after an interruption: by the first signal that was heard."""
    return 128 + (_heard[0] if _heard else signal.SIGINT)


_heard: list[int] = []


def _listen(heard: int) -> None:
    main = threading.main_thread().ident
    assert main is not None
    nudging = False
    while numbers := os.read(heard, 64):
        for number in numbers:
            if number & REPEAT:
                time.sleep(NUDGE_SECONDS)
                signal.pthread_kill(main, number & ~REPEAT)
            elif number in ENDED and _ends_the_program(number):
                _heard.append(number)
                if not nudging:
                    nudging = True
                    _start(_nudge, main)
            elif number == signal.SIGINT and QUERY.is_set():
                _start(_stop_query, main)
            elif number == signal.SIGINT:  # at a session's prompt, which waits in a call
                for _ in range(2):
                    time.sleep(NUDGE_SECONDS)
                    signal.pthread_kill(main, NUDGE)


def _start(work: Callable[[int], None], main: int) -> None:
    """Run work that interrupts queries on another thread."""
    thread = threading.Thread(target=work, args=(main,), daemon=True)
    _interrupting.append(thread)
    thread.start()


_interrupting: list[threading.Thread] = []
_program_ends = threading.Event()


def _join() -> None:
    """Wait for the threads that interrupt queries: one may be the last to hold a connection.

    Python ends a thread that is giving one back when the interpreter ends, which aborts the process.
    """
    _program_ends.set()
    for thread in _interrupting:
        if thread.is_alive():  # one that starts later ends at once
            thread.join()


def _stop_query(main: int) -> None:
    while QUERY.is_set() and not _program_ends.is_set():
        _interrupt_queries()
        signal.pthread_kill(main, NUDGE)
        time.sleep(NUDGE_SECONDS)


def _ends_the_program(number: int) -> bool:
    """Return whether a signal is not held back for a moment."""
    return getattr(signal.getsignal(number), "__module__", None) not in HOLDING


def _nudge(main: int) -> None:
    """Stop the query that runs, or that is just about to begin, and end calls in which the main thread waits."""
    while not _program_ends.is_set():
        _interrupt_queries()
        signal.pthread_kill(main, NUDGE)
        time.sleep(NUDGE_SECONDS)


REPEAT = 0x80
"""Added to the number of a signal whose exception was swallowed."""


def _repeat_what_is_swallowed(write_end: int) -> None:
    """Have a signal come again whose exception was raised where none comes out, such as a destructor."""
    before = sys.unraisablehook

    def hook(swallowed: "sys.UnraisableHookArgs", /) -> None:
        error = swallowed.exc_value
        if isinstance(error, KeyboardInterrupt):
            os.write(write_end, bytes([signal.SIGINT | REPEAT]))
        elif isinstance(error, SystemExit) and error.code in EXIT_CODES:
            os.write(write_end, bytes([EXIT_CODES[error.code] | REPEAT]))
        else:
            before(swallowed)

    sys.unraisablehook = hook


def _interrupt_queries() -> None:
    from iotrace.store.connections import CONNECTIONS

    connections = []
    with contextlib.suppress(RuntimeError):  # another thread opens one just now, which is for the next time
        connections = list(CONNECTIONS)
    for connection in connections:
        with contextlib.suppress(Exception):  # a connection that was closed meanwhile
            connection.interrupt()


def caused(ending: SystemExit) -> bool:
    """Return whether a signal ends the program, and not a command of the user's that ended so."""
    return bool(_heard) or is_interruption(ending)
