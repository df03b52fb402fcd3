"""Slow twins of the evidence: byte by byte, pair by pair."""

import numpy as np

from iotrace.analysis.patterns.accesses import Accesses


def accesses(rows: list[tuple[int, int, int]], gap_ns: int = 10) -> Accesses:
    """Rows of process, offset and length, in the order of time."""
    process, offset, length = (np.array(column, np.int64) for column in zip(*rows, strict=True))
    dense = np.unique(process, return_inverse=True)[1].astype(np.int64)
    return Accesses(dense, offset, length, gap_ns * np.arange(len(rows)))


def consecutive_and_sequential(given: Accesses) -> tuple[float, float]:
    """Each process's accesses by themselves."""
    last: dict[int, int] = {}
    followers = consecutive = sequential = 0
    for row, process in enumerate(given.process.tolist()):
        if process in last:
            followers += 1
            consecutive += given.offset[row] == given.end[last[process]]
            sequential += given.offset[row] > given.offset[last[process]]
        last[process] = row
    return (consecutive / followers, sequential / followers) if followers else (0.0, 0.0)


def linked(given: Accesses, window: int, another: bool) -> float:
    """Accesses that start where one within the window ends, of any process or of another."""
    count = len(given)
    found = sum(
        any(
            given.end[other] == given.offset[row]
            and not (another and given.process[other] == given.process[row])
            for other in range(max(0, row - window), min(count, row + window + 1))
        )
        for row in range(count)
    )
    return found / count


def bytes_by_use(given: Accesses) -> tuple[int, int, int]:
    """Bytes accessed, accessed once, and accessed by more than one process."""
    times: dict[int, int] = {}
    users: dict[int, set[int]] = {}
    for process, start, end in zip(given.process.tolist(), given.offset, given.end, strict=True):
        for byte in range(start, end):
            times[byte] = times.get(byte, 0) + 1
            users.setdefault(byte, set()).add(process)
    return len(times), sum(n == 1 for n in times.values()), sum(len(who) > 1 for who in users.values())


def followers(given: Accesses, block: int) -> tuple[int, list[int]]:
    """Touches of blocks, and for those that another process follows how many accesses later, sorted."""
    touched = [
        (row, process, place)
        for row, process in enumerate(given.process.tolist())
        for place in range(given.offset[row] // block, (given.end[row] - 1) // block + 1)
    ]
    found = []
    for row, process, place in touched:
        later = [other for other, who, where in touched if where == place and other > row and who != process]
        found += [later[0] - row] if later else []
    return len(touched), sorted(found)
