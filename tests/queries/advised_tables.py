"""Small tables of requests to disks and calls of ranks, each of which shows one habit as often as asked."""

from collections.abc import Callable
from typing import Any

MB = 1 << 20
MS = 1_000_000
Tables = dict[str, list[dict[str, Any]]]
DISK = {"file": 0, "path": "sda", "kind": "device", "device": 0}


def _disk(rows: list[dict[str, Any]]) -> Tables:
    usual = {"device": 0, "operation": "read", "blocks": 8, "latency_ns": 100_000}
    complete = [{**usual, "time_ns": MS * place, **row} for place, row in enumerate(rows)]
    return {"disk_io": complete, "file": [DISK]}


def _scattered(place: int) -> int:
    return place * 7919 % 100_003 * 8


def _misaligned(times: int) -> Tables:
    return _disk([{"lbn": _scattered(place) + (1 if place < times else 0)} for place in range(1000)])


def _small_random_writes(times: int) -> Tables:
    return _disk([{"lbn": _scattered(place), "operation": "write"} for place in range(times)])


def _shallow_queue(times: int) -> Tables:
    rows = [{"lbn": _scattered(place), "latency_ns": MS, "time_ns": MS * place} for place in range(times)]
    return _disk(rows)


def _hot_spots(times: int) -> Tables:
    """100 extents, one of which gets `times` requests and the others 99 in all."""
    extent = MB // 512
    return _disk([{"lbn": extent * place} for place in range(1, 100)] + [{"lbn": 0}] * times)


def _latency_outliers(times: int) -> Tables:
    """1,000 requests, two of which take that many times the median."""
    rows = [{"lbn": _scattered(place)} for place in range(998)]
    return _disk([*rows, *[{"lbn": 0, "latency_ns": 100_000 * times}] * 2])


def _flushes(times: int) -> Tables:
    rows = [{"lbn": _scattered(place)} for place in range(100)]
    return _disk([*rows, *[{"operation": "flush", "lbn": None, "blocks": None}] * times])


def _interleaved(times: int) -> Tables:
    """Two streams in turn, of which all but the first two requests continue one."""
    return _disk([{"lbn": 8 * (place // 2) + 1_000_000 * (place % 2)} for place in range(times + 2)])


def _discards(times: int) -> Tables:
    return _disk([{"lbn": _scattered(place), "operation": "discard"} for place in range(times)])


def _ranks(rows: list[dict[str, Any]], ranks: int = 4, calls: list[dict[str, Any]] | None = None) -> Tables:
    """References of ranks to one file, and their calls where a rule needs those."""
    usual = {"file": 0, "type": "datafile", "operation": "write", "duration_ns": MS}
    complete = [{**usual, "call_seq": place, "time_ns": MS * place, **row} for place, row in enumerate(rows)]
    return {
        "reference": complete,
        "parallel_io": calls or [],
        "file": [{"file": 0, "path": "/scratch/out", "kind": "regular"}],
        "process": [
            {"process": rank, "pid": rank, "thread": rank, "program": "model"} for rank in range(ranks)
        ],
    }


def _small_requests(times: int) -> Tables:
    return _ranks([{"process": 0, "offset": 4096 * place, "length": 4096} for place in range(times)])


def _misaligned_ranks(times: int) -> Tables:
    return _ranks(
        [
            {"process": 0, "offset": 4096 * place + (1 if place < times else 0), "length": 4096}
            for place in range(1000)
        ]
    )


def _random_ranks(times: int) -> Tables:
    """That many requests that begin before the last one, and four times as many that do not."""
    backwards = [{"offset": 4096 * (times - place), "length": 4096} for place in range(times + 1)]
    onwards = [{"offset": 8192 * (times + place), "length": 4096} for place in range(4 * times - 1)]
    again = [{"offset": 0, "length": 4096, "process": 1}]
    return _ranks([{"process": 0, **row} for row in backwards + onwards[1:]] + again)


def _independent(times: int) -> Tables:
    return _ranks([{"process": place % 4, "offset": MB * place, "length": MB} for place in range(times)])


def _stragglers(times: int) -> Tables:
    """Three ranks with 100 ms each, one with that many."""
    spent = [100, 100, 100, times]
    return _ranks(
        [{"process": rank, "offset": 0, "length": 1, "duration_ns": MS * ms} for rank, ms in enumerate(spent)]
    )


def _metadata(times: int) -> Tables:
    calls = [{"process": 0, "operation": "open", "file": 0, "duration_ns": MS}] * times
    return _ranks([], calls=[*calls, {"process": 0, "operation": "write", "file": 0, "duration_ns": MS}])


def _read_modify_write(times: int) -> Tables:
    """Bytes that the lower layer reads of a file that MPI-IO writes."""
    return _ranks(
        [],
        calls=[
            {
                "process": 0,
                "operation": "write",
                "file": 0,
                "layer": "mpiio",
                "length": MB,
                "duration_ns": MS,
            },
            {
                "process": 0,
                "operation": "read",
                "file": 0,
                "layer": "posix",
                "length": times,
                "duration_ns": MS,
            },
        ],
    )


def _shared_blocks(times: int) -> Tables:
    """That many megabytes, of each of which two ranks write a half."""
    return _ranks(
        [{"process": half % 2, "offset": MB // 2 * half, "length": MB // 2} for half in range(2 * times)]
    )


def _collective(times: int) -> Tables:
    """That many requests of four ranks below collective calls."""
    rows = [{"process": place % 4, "offset": MB * place, "length": MB} for place in range(times)]
    calls = [{"process": rank, "operation": "write", "file": 0, "layer": "mpiio"} for rank in range(4)]
    counted = {
        "file": 0,
        "collective_reads": 0,
        "collective_writes": 90,
        "other_reads": 0,
        "other_writes": 10,
    }
    return _ranks(rows, calls=calls) | {"mpi_file": [counted]}


CASES: dict[str, tuple[Callable[[int], Tables], int]] = {
    "misaligned_requests": (_misaligned, 100),
    "small_random_writes": (_small_random_writes, 1000),
    "shallow_queue": (_shallow_queue, 1000),
    "hot_spots": (_hot_spots, 99),
    "latency_outliers": (_latency_outliers, 20),
    "flush_storm": (_flushes, 100),
    "interleaved_streams": (_interleaved, 1000),
    "discards": (_discards, 100),
    "small_parallel_requests": (_small_requests, 1000),
    "misaligned_parallel_requests": (_misaligned_ranks, 100),
    "random_parallel_requests": (_random_ranks, 1000),
    "independent_requests": (_independent, 1000),
    "stragglers": (_stragglers, 200),
    "metadata_heavy_ranks": (_metadata, 100),
    "read_modify_write": (_read_modify_write, MB),
    "shared_block_writes": (_shared_blocks, 16),
    "unbuffered_collective_calls": (_collective, 1000),
}
"""For each rule tables that show its habit as often as asked, and the least number from which on the rule speaks."""
