"""Two parts of a report that are made at the same time: each spends most of it in the engine or in DuckDB."""

import threading
from collections.abc import Callable
from typing import TypeVar

First = TypeVar("First")
Second = TypeVar("Second")


def concurrently(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """Return what both make: the first in this thread, which signals interrupt, the second in another meanwhile.

    Raises what either raises; where the first does, the second is not waited for.
    """
    results: list[Second] = []
    failed: list[BaseException] = []

    def make() -> None:
        try:
            results.append(second())
        except BaseException as error:
            failed.append(error)

    beside = threading.Thread(target=make, daemon=True)
    beside.start()
    first_result = first()
    beside.join()
    if failed:
        raise failed[0]
    return first_result, results[0]


def sequentially(first: Callable[[], First], second: Callable[[], Second]) -> tuple[First, Second]:
    """Return what both make, one after the other: in less memory."""
    return first(), second()
