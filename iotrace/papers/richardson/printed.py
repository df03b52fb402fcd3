"""Numbers that the dissertation prints, where its figures would show them (``data/printed_in_figures.toml``)."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.analysis.lines.runs import Run
from iotrace.papers import data
from iotrace.papers.findings.claim import Claim
from iotrace.papers.richardson import attribute_judging, cache_judging, characterization, judging
from iotrace.papers.richardson.characterization_figures import TYPES
from iotrace.simulate.attribute.schemes import region_as_printed, variable

Raw = Mapping[str, Any]
FILES = (*characterization.FILES, *cache_judging.FILES, *attribute_judging.FILES)


@dataclass(frozen=True)
class Mark:
    """A number in percent that the dissertation prints, at a place or a size of a figure.

    It is `about` one, or between bounds of which one may be missing. Without a line it is of all lines. Without a place
    and a size it is of an infinite cache.
    """

    figure: str
    line: str | None
    place: str | None
    from_bytes: int | None
    to_bytes: int | None
    low_percent: float | None
    high_percent: float | None
    about_percent: float | None
    sentence: str
    section: str


def table(figures: Iterable[str]) -> pa.Table:
    """Return the numbers printed of figures: table printed_in_figures."""
    rows = [asdict(mark) for figure in figures for mark in marks(figure)]
    return queries.result_table("printed_in_figures", rows)


@cache
def marks(figure: str) -> tuple[Mark, ...]:
    """Return the numbers printed of a figure; none where none survives."""
    stated = data.described("richardson", "printed_in_figures")["figure"].get(figure, ())
    return tuple(mark for raw in stated for mark in _read(figure, raw))


def _read(figure: str, raw: Raw) -> Iterator[Mark]:
    made = next((make for name, make in SOURCES.items() if name in raw), _given)
    blank = Mark(
        figure, raw.get("line"), None, None, None, None, None, None,
        raw.get("sentence", ""), raw.get("section", ""),
    )  # fmt: skip
    yield from made(blank, raw)


def _given(mark: Mark, raw: Raw) -> Iterator[Mark]:
    """Yield a number that stands in the data itself."""
    first, last = _region(raw["region"]) if "region" in raw else (None, None)
    number = replace(
        mark,
        low_percent=raw.get("low"),
        high_percent=raw.get("high"),
        about_percent=raw.get("about"),
        from_bytes=first,
        to_bytes=last,
    )
    yield from (replace(number, place=place) for place in raw.get("places", (None,)))


def _of_finding(mark: Mark, raw: Raw) -> Iterator[Mark]:
    """Yield the bounds of a claim, at each of its places or sizes."""
    claim = next(candidate for candidate in judging.claims(FILES) if candidate.finding == raw["finding"])
    number = _bounded(
        replace(mark, sentence=claim.claim, section=claim.section), claim, raw.get("is_rest", False)
    )
    if "places" in raw:
        yield from (replace(number, place=place) for place in raw["places"])
    elif "from_bytes" in raw:
        first = raw["from_bytes"]
        yield replace(number, from_bytes=first, to_bytes=raw.get("to_bytes", first))
    else:
        yield from (replace(number, from_bytes=size, to_bytes=size) for size in _sizes(claim))


def _bounded(mark: Mark, claim: Claim, is_rest: bool) -> Mark:
    """Return a mark with the numbers of a claim, or with what they leave of 100 %."""
    low, high = claim.interval.ends
    about = low if claim.interval.is_exact else claim.nominal
    if is_rest:
        low, high = (None if end is None else 100 - end for end in (high, low))
        about = None if about is None else 100 - about
    if about is not None:
        return replace(mark, about_percent=about)
    return replace(mark, low_percent=low, high_percent=high)


def _sizes(claim: Claim) -> list[int | None]:
    """Return the sizes in bytes of the caches that a claim is about; none is an infinite one."""
    measure = next(
        candidate for candidate in judging.measures(FILES) if candidate["id"] == claim.how["measure"]
    )
    block_bytes = Run.read(measure["run"]).block_bytes
    blocks = measure.get("sizes_blocks", [measure.get("size_blocks")])
    return [None if size is None else size * block_bytes for size in blocks]


def _of_table(mark: Mark, raw: Raw) -> Iterator[Mark]:
    """Yield the number of each type in a column of one of the dissertation's tables."""
    rows = {row["file_type"]: row for row in data.published("richardson", raw["table"])}
    for kind in TYPES:
        number = float(rows[kind][raw["column"]])
        sentence = f"{number:g} % on average."
        yield replace(mark, place=kind, about_percent=number, sentence=sentence)


def _of_average(mark: Mark, raw: Raw) -> Iterator[Mark]:
    """Yield an average over the workloads that the text gives."""
    stated = data.entries("richardson", "characterization_tables", "figure", "measure")
    number = next(average["value"] for average in stated if average["measure"] == raw["average"])
    for place in raw["places"]:
        yield replace(mark, place=place, about_percent=number, sentence=f"{number:g} % on average.")


def _of_improvement(mark: Mark, raw: Raw) -> Iterator[Mark]:
    """Yield what is left of the baseline's measure in each region."""
    for row in data.published("richardson", "improvements"):
        if row["measure"] == raw["improvement"] and row["region"] in ("small", "medium", "large"):
            first, last = _region(row["region"])
            left = 100 + float(row["change_pct"])
            sentence = f"{row['region'].capitalize()} caches: {left:g} % of the baseline on average."
            yield replace(mark, from_bytes=first, to_bytes=last, about_percent=left, sentence=sentence)


def _region(name: str) -> tuple[int, int]:
    totals = [total for total in variable().printed_bytes if region_as_printed(total) == name]
    return min(totals), max(totals)


SOURCES: dict[str, Callable[[Mark, Raw], Iterator[Mark]]] = {
    "finding": _of_finding,
    "table": _of_table,
    "average": _of_average,
    "improvement": _of_improvement,
}
"""Where a number comes from, by the key that names it there."""
