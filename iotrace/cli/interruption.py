"""Ctrl-C while DuckDB computes: a thread tells it at once, since Python itself hears of it only afterwards."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import threading


def watch() -> None:
    """From here on, stop the queries of every store's connection when the process is interrupted."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_DFL:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    heard, told = os.pipe()
    os.set_blocking(told, False)
    signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    threading.Thread(target=_listen, args=(heard,), daemon=True).start()


def _listen(heard: int) -> None:
    while numbers := os.read(heard, 64):
        if signal.SIGINT in numbers:
            _interrupt_queries()


def _interrupt_queries() -> None:
    from iotrace import store

    for connection in list(store.CONNECTIONS):
        with contextlib.suppress(Exception):  # a connection that was closed meanwhile
            connection.interrupt()


def is_one(error: BaseException | None) -> bool:
    """Tell whether an error, or what it came from, is DuckDB's answer to an interruption."""
    while error is not None:
        if isinstance(error, KeyboardInterrupt) or (
            type(error).__name__ in ("InterruptException", "RuntimeError", "ArrowInvalid", "OSError")
            and re.search(r"interrupt", str(error), re.IGNORECASE)
        ):
            return True
        error = error.__cause__ or error.__context__
    return False
