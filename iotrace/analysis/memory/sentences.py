"""A prediction of page reads, in sentences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from iotrace import units
from iotrace.analysis.memory.prediction import Prediction, cliffs, widths
from iotrace.analysis.memory.runs import ASSUMED_SHARE, PAGE_BYTES

NARROW_PERCENT = 10
"""A range of at most this width, of its middle, is narrow."""


def sentences(prediction: Prediction) -> list[str]:
    """Return what half and twice the memory would do, where the cliffs are, and what all that rests on."""
    return [
        _first(prediction),
        *_cliffs(prediction),
        *_wide(prediction),
        *_unbounded(prediction.rows),
        _other(prediction),
        *_left_out(prediction),
    ]


def _pages(row: Mapping[str, Any]) -> str:
    return (
        f"{units.count(row['page_reads_linux'])} pages ({units.size(row['page_reads_linux'] * PAGE_BYTES)})"
    )


def _first(prediction: Prediction) -> str:
    half, now, twice = prediction.around.to_pylist()
    here = units.size(now["limit_bytes"])
    memory = f"The recording's limit of {here}" if prediction.is_measured else f"A limit of {here}"
    parts = [
        f"{memory} reads {_pages(now)} from the device{_sure(now)}",
        f"twice as much, {units.size(twice['limit_bytes'])}, {_change(now, twice)}",
        f"half, {units.size(half['limit_bytes'])}, {_change(now, half)}",
    ]
    return f"{'; '.join(parts)}."


def _sure(row: Mapping[str, Any]) -> str:
    low, high = row["page_reads_low"], row["page_reads_high"]
    if low is not None and high is None:
        return f", {units.count(low)} or more by what is not known"
    return "" if low == high else f", {units.count(low)} to {units.count(high)} by what is not known"


def _change(now: Mapping[str, Any], then: Mapping[str, Any]) -> str:
    before, after = now["page_reads_linux"], then["page_reads_linux"]
    if after == before:
        return "reads the same"
    seconds = ""
    if now["wait_s"] is not None:
        by_ns = abs(then["wait_s"] - now["wait_s"]) * 1e9
        seconds = (
            f", and waits {units.duration(by_ns)} {'less' if then['wait_s'] < now['wait_s'] else 'longer'}"
        )
    if not before:
        return f"reads {_pages(then)}{seconds}"
    return f"reads {_pages(then)}, {units.change(100 * (after - before) / before)}{_sure(then)}{seconds}"


def _cliffs(prediction: Prediction) -> list[str]:
    return [
        f"A cliff lies between {units.size(low)} and {units.size(high)}: there reads fall to half or less."
        for low, high in cliffs(prediction.rows)
    ]


def _wide(prediction: Prediction) -> list[str]:
    limits = prediction.rows["limit_bytes"].to_pylist()
    wide: dict[str, list[str]] = {}
    for limit, width, cause in zip(limits, widths(prediction.rows), prediction.causes, strict=True):
        if width is not None and width > NARROW_PERCENT:
            wide.setdefault(cause, []).append(units.size(limit))
    return [f"At {', '.join(some)} reads depend most on {cause}." for cause, some in wide.items()]


def _unbounded(rows: pa.Table) -> list[str]:
    limits = rows["limit_bytes"].to_pylist()
    some = [units.size(limit) for limit, width in zip(limits, widths(rows), strict=True) if width is None]
    if not some:
        return []
    return [
        f"At {', '.join(some)} there may be more reads: mapped pages that leave with less memory than in the"
        " recording may be touched again, and no event shows that."
    ]


def _other(prediction: Prediction) -> str:
    measured = prediction.measured
    if prediction.other_bytes is not None:
        return f"Programs and the kernel are taken to have {units.size(prediction.other_bytes)} at all times."
    if measured.other_bytes is None:
        return (
            f"The trace has no measured memory: the range assumes that programs and the kernel have between none and"
            f" {units.percent(100 * ASSUMED_SHARE)} of the limit."
        )
    whose = "Programs and the kernel's objects" if measured.has_slab else "Programs"
    lacking = "" if measured.has_slab else "; the kernel's objects, which also count, were not measured"
    return (
        f"{whose} had up to {units.size(measured.other_bytes)} in the recording, and are taken to have as much at every"
        f" limit{lacking}."
    )


def _left_out(prediction: Prediction) -> list[str]:
    sentences = []
    unplaced = prediction.tally["unplaced"]
    if unplaced:
        sentences.append(
            f"{units.plural(unplaced, 'request is', 'requests are')} left out, as place or length is unknown."
        )
    if prediction.is_much_relative:
        relative = units.size(prediction.relative_bytes)
        sentences.append(f"{relative} are at unknown offsets, which are taken to begin at byte 0.")
    mapped = prediction.tally["mapped_pages"]
    if mapped:
        sentences.append(
            f"{units.count(mapped)} of {units.count(prediction.tally['pages'])} pages are of mapped files: each mapping"
            " is taken to touch its range once, since faults are recorded with --kernel only."
        )
    beyond = sum(prediction.details["pages_beyond_limit"].to_pylist())
    if beyond:
        sentences.append("At some limit the page cache had no page to give up: programs alone need more.")
    sentences.append("Caches start cold; inodes and directories are not modelled, and read nothing here.")
    return sentences
