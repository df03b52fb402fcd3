"""The answer to how much memory: what Linux reads from the device with half of it, and with twice as much."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from iotrace import units
from iotrace.analysis.answers.screen import Amount, Cache, fitting
from iotrace.analysis.memory.prediction import WHY_MAPPED, Prediction, memory
from iotrace.analysis.memory.runs import PAGE_BYTES
from iotrace.errors import IotraceError
from iotrace.store.store import Store

MOST_PAGES = 1_000_000
"""Of requests that touch more pages, the first screen and the report leave the page cache to its command."""
ENOUGH = 1.01
"""A limit has enough memory where reads are at most this multiple of those with the most memory."""
FROM = " from the device"
MOSTLY = 0.5
"""The share of touches that may be of mapped files, of which the trace does not show which pages are touched."""


@dataclass
class PageReads:
    """The prediction for a store, computed once, when it is asked for."""

    store: Store
    is_first_screen: bool = False
    """Whether only the answer of the first screen is asked for: no ranges, and no prediction where most touches are of
    mapped files."""

    @cached_property
    def found(self) -> Prediction | str:
        """The prediction, or why there is none, as a clause."""
        try:
            return memory(
                self.store,
                most_pages=MOST_PAGES,
                most_mapped=MOSTLY if self.is_first_screen else 1.0,
                has_ranges=not self.is_first_screen,
            )
        except IotraceError as error:
            return str(error).removeprefix(f"{self.store.name}: ")

    @property
    def prediction(self) -> Prediction | None:
        """The prediction; None where there is none."""
        return None if isinstance(self.found, str) else self.found

    @property
    def why_not(self) -> str:
        """Why the first screen has another answer, as a clause; empty where it has this one."""
        if isinstance(self.found, str):
            return self.found
        mapped, pages = self.found.tally["mapped_pages"], self.found.tally["pages"]
        return WHY_MAPPED if mapped > MOSTLY * pages else ""


def of_memory(prediction: Prediction, command: str) -> Cache:
    """Return the answer: the bytes that Linux reads from the device with some limits of memory."""
    rows, chosen = prediction.rows.to_pylist(), _chosen(prediction)
    reads = [row["page_reads_linux"] for row in rows]
    most = max(reads)
    return Cache(
        _reserved(_sentence(chosen, reads, prediction.is_measured), prediction),
        tuple(_amount(row) for row in chosen),
        "bytes",
        command,
        tuple((row["limit_bytes"], 100 * row["page_reads_linux"] / most) for row in rows) if most else (),
        is_of_memory=True,
        today=prediction.measured.limit_bytes if prediction.is_measured else None,
    )


def _chosen(prediction: Prediction) -> list[dict[str, Any]]:
    """Return the rows shown: of the recording's limit, twice and half, or of limits up to one that is enough."""
    if prediction.is_measured:
        half, now, twice = prediction.around.to_pylist()
        return [now, twice, half]
    rows: list[dict[str, Any]] = prediction.rows.to_pylist()
    least = rows[-1]["page_reads_linux"]
    enough = next(place for place, row in enumerate(rows) if row["page_reads_linux"] <= ENOUGH * least)
    return rows[max(enough - 2, 0) : enough + 1][::-1]


def _reserved(sentence: str, prediction: Prediction) -> str:
    """Return a sentence with what it takes for granted, where that is much."""
    if not prediction.is_much_relative:
        return sentence
    taken = "If unknown offsets begin at 0"
    return fitting(
        [f"{taken}: {sentence[0].lower()}{sentence[1:]}", f"{taken}: {sentence.partition(';')[0]}."]
    )


def _sentence(chosen: list[dict[str, Any]], of_all: list[int], is_measured: bool) -> str:
    if not any(of_all):
        return "Any amount of memory will do: Linux reads nothing from the device."
    first, *others = [units.size(row["limit_bytes"]) for row in chosen]
    reads, *other_reads = [units.size(row["page_reads_linux"] * PAGE_BYTES) for row in chosen]
    said = f"With {first}{'' if is_measured else ' or more'} of memory Linux reads {reads}"
    if not others and len(set(of_all)) == 1:
        return f"{first} of memory is enough: with more, Linux reads the same {reads}{FROM}."
    rest = [f"with {limit} {read}" for limit, read in zip(others, other_reads, strict=True)]
    waits = f" and waits {units.duration(1e9 * chosen[0]['wait_s'])}" if chosen[0]["wait_s"] else ""
    return fitting([f"{said}{how}{'; ' * bool(rest)}{', '.join(rest)}." for how in (waits or FROM, FROM, "")])


def _amount(row: dict[str, Any]) -> Amount:
    shown = units.size(row["page_reads_linux"] * PAGE_BYTES)
    if (low := row["page_reads_low"]) is not None and low != (high := row["page_reads_high"]):
        shown = f"{units.size(low * PAGE_BYTES)} to {units.size(high * PAGE_BYTES)}"
    value = float(row["page_reads_linux"] * PAGE_BYTES)
    return Amount(units.size(row["limit_bytes"]), value, shown, "linux", row["limit_bytes"])
