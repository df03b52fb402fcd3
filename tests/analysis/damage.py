"""Generated patterns as real traces show them: records missing, portions out of place, metadata, other orders."""

import zlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns.accesses import Accesses
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.schedule import Schedule, scheduled
from iotrace.generate.patterns.settings import Pattern, Settings

PROCESSES = (4, 16, 48)
Rows = np.ndarray
"""Columns process, offset, length, in the order of time."""


@dataclass(frozen=True)
class Case:
    """Accesses, and the name that is right for them."""

    made: str
    damage: str
    seed: int
    accesses: Accesses


def _in_turn(each: list[Rows], rng: np.random.Generator) -> Rows:
    """Mix the processes' sequences, each at about the same pace."""
    time = [np.sort(rng.random(len(rows))) for rows in each]
    return np.concatenate(each)[np.argsort(np.concatenate(time), kind="stable")]


def _strided(rng: np.random.Generator, processes: int) -> Rows:
    record, count = int(rng.choice([256, 1000, 4096, 65536])), int(rng.integers(30, 120))
    spread = processes + int(rng.integers(1, 4))
    return _in_turn(
        [
            np.c_[np.full(count, p), record * (spread * np.arange(count) + p), np.full(count, record)]
            for p in range(processes)
        ],
        rng,
    )


def _nested(rng: np.random.Generator, processes: int) -> Rows:
    record, inner, outer = (
        int(rng.choice([64, 512, 4096])),
        int(rng.integers(8, 24)),
        int(rng.integers(6, 14)),
    )
    spread = processes + 1
    row = record * spread * inner * 3
    step = (row * np.arange(outer)[:, None] + record * spread * np.arange(inner)).ravel()
    return _in_turn(
        [
            np.c_[np.full(len(step), p), step + record * p, np.full(len(step), record)]
            for p in range(processes)
        ],
        rng,
    )


def _generated(pattern: Pattern) -> Callable[[np.random.Generator, int], Rows]:
    def made(rng: np.random.Generator, processes: int) -> Rows:
        record = float(rng.choice([0.25, 0.5, 1, 2, 4]))
        given: dict[str, int] = {}
        portion = int(np.ceil(record * rng.integers(6, 20)))
        if pattern.has_fixed_portions:
            given = {
                "portion_blocks": portion,
                "gap_blocks": int(np.ceil(record * rng.integers(pattern is Pattern.GFP, 9))),
            }
        if pattern.has_random_portions:
            given = {
                "least_portion_blocks": portion,
                "portion_blocks": portion + int(np.ceil(record * rng.integers(4, 20))),
            }
        settings = Settings(
            pattern,
            processes=processes,
            record_blocks=record,
            blocks_per_process=max(4 * portion, int(np.ceil(record * rng.integers(40, 120)))),
            seed=int(rng.integers(2**31)),
            **given,  # type: ignore[arg-type]
        )
        jitter = float(rng.choice([0.05, 0.5]))
        table = scheduled(
            program(settings), Schedule(processes, jitter=jitter, seed=int(rng.integers(2**31)))
        )
        return np.c_[tuple(np.asarray(table[name]) for name in ("process", "offset", "length"))]

    return made


MADE: dict[str, Callable[[np.random.Generator, int], Rows]] = {
    pattern.value: _generated(pattern) for pattern in Pattern if pattern is not Pattern.LW1
} | {"strided": _strided, "nested-strided": _nested}


def _missing(percent: int) -> Callable[[np.random.Generator, Rows], Rows]:
    return lambda rng, rows: rows[rng.random(len(rows)) >= percent / 100]


def _reordered(rng: np.random.Generator, rows: Rows) -> Rows:
    """Exchange the neighbours of one in 50 accesses, in time and in the process's own order."""
    rows = rows.copy()
    for process in np.unique(rows[:, 0]):
        own = np.flatnonzero(rows[:, 0] == process)
        for place in np.flatnonzero(rng.random(len(own) - 1) < 0.02)[::2]:
            one, two = own[place], own[place + 1]
            rows[[one, two]] = rows[[two, one]]
    return rows


def _backward(_: np.random.Generator, rows: Rows) -> Rows:
    return rows[::-1]


def _moved(rows: Rows) -> Rows:
    """Leave a page for a header."""
    return rows + np.array([0, 4096, 0])


def _headers(_: np.random.Generator, rows: Rows) -> Rows:
    """Let every process read two short pieces of a header, and the data start after a page."""
    processes = np.unique(rows[:, 0])
    record = int(np.median(rows[:, 2]))
    sizes = (max(1, record // 16), max(1, record // 64))
    headers = [(process, 8 * number, size) for process in processes for number, size in enumerate(sizes)]
    return np.r_[np.array(headers, np.int64), _moved(rows)]


def _metadata(rng: np.random.Generator, rows: Rows) -> Rows:
    """Put accesses of a few bytes to the file's beginning among the data."""
    size = max(1, int(np.median(rows[:, 2])) // 64)
    rows = _moved(rows)
    where = np.flatnonzero(rng.random(len(rows)) < 0.1)
    extra = np.c_[rows[where, 0], 8 * rng.integers(0, 64, len(where)), np.full(len(where), size)]
    return np.insert(rows, where, extra, axis=0)


DAMAGES: dict[str, Callable[[np.random.Generator, Rows], Rows]] = {
    "none": lambda _, rows: rows,
    "missing 1 %": _missing(1),
    "missing 2 %": _missing(2),
    "missing 5 %": _missing(5),
    "headers": _headers,
    "metadata": _metadata,
    "backward": _backward,
    "reordered": _reordered,
    "backward, missing 2 %": lambda rng, rows: _backward(rng, _missing(2)(rng, rows)),
    "metadata, missing 2 %": lambda rng, rows: _metadata(rng, _missing(2)(rng, rows)),
}


def _segments(rng: np.random.Generator, start: np.ndarray, end: np.ndarray, record: int) -> Rows:
    """One portion for each process, from start to end."""
    each = []
    for process, (low, high) in enumerate(zip(start, end, strict=True)):
        offset = np.arange(low, high, record)
        each.append(np.c_[np.full(len(offset), process), offset, np.minimum(record, high - offset)])
    return _in_turn(each, rng)


def halo(rng: np.random.Generator, processes: int, cut: bool) -> Rows:
    """Segments with a few records, up to a third, of both neighbours' (not beyond the file's ends if cut)."""
    record, count = 512, int(rng.integers(40, 100))
    width = int(rng.integers(1, count // 3))
    start = np.arange(processes) * count - width
    end = start + count + 2 * width
    if cut:
        start, end = np.maximum(start, 0), np.minimum(end, processes * count)
    else:
        start, end = start + width, end + width
    return _segments(rng, record * start, record * end, record)


def unequal(rng: np.random.Generator, processes: int) -> Rows:
    """Adjoining segments of different lengths."""
    edges = np.r_[0, np.cumsum(rng.integers(30, 100, processes))]
    return _segments(rng, 1024 * edges[:-1], 1024 * edges[1:], 1024)


def slack_strided(rng: np.random.Generator, processes: int) -> Rows:
    """Records of some megabytes at one distance, aligned to pages: each up to 2 KB out of place."""
    record, count = int(rng.integers(1_000_000, 6_000_000)), int(rng.integers(8, 20))
    each = []
    for process in range(processes):
        offset = record * ((processes + 1) * np.arange(count) + process) + rng.integers(-2048, 2049, count)
        each.append(np.c_[np.full(count, process), 4096 + offset, np.full(count, record)])
    return _in_turn(each, rng)


def slack_segments(rng: np.random.Generator, processes: int) -> Rows:
    """Segments, each of which starts up to 2 KB after the one before ends."""
    length = 4096 * int(rng.integers(30, 100))
    start = np.arange(processes) * (length + 2048) + rng.integers(0, 2048, processes)
    return _segments(rng, start, start + length, 4096)


SHAPES: dict[str, tuple[str, Callable[[np.random.Generator, int], Rows]]] = {
    "halo": ("lfp", lambda rng, processes: halo(rng, processes, cut=False)),
    "cut halo": ("lfp", lambda rng, processes: halo(rng, processes, cut=True)),
    "unequal segments": ("seg", unequal),
    "slack, strided": ("strided", slack_strided),
    "slack, segments": ("seg", slack_segments),
}


def cases(seeds: range, processes: Sequence[int] = PROCESSES) -> Iterator[Case]:
    """Give each pattern with each damage, for each number of processes and seed."""
    for seed in seeds:
        for count in processes:
            for made, build in MADE.items():
                for damage, harm in DAMAGES.items():
                    rng = np.random.default_rng((seed, count, zlib.crc32(f"{made} {damage}".encode())))
                    yield _case(made, damage, seed, harm(rng, build(rng, count)))
            for shape, (name, build) in SHAPES.items():
                for damage in ("none", "missing 2 %"):
                    rng = np.random.default_rng((seed, count, zlib.crc32(f"{shape} {damage}".encode())))
                    rows = DAMAGES[damage](rng, build(rng, count))
                    yield _case(name, f"{shape}, {damage}", seed, rows)


def _case(made: str, damage: str, seed: int, rows: Rows) -> Case:
    process = np.unique(rows[:, 0], return_inverse=True)[1].astype(np.int64)
    given = Accesses(process, rows[:, 1].astype(np.int64), rows[:, 2].astype(np.int64))
    return Case(made, damage, seed, given)
