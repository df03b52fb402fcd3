"""The pages of ``iotrace curve``: miss ratios over the cache's size, and the dissertation's figures 4.1 to 4.15."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import pyarrow as pa
from iotrace.reports.pages import drawings
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.first_screen import Picture, first_screen
from iotrace.reports.pages.schemas import table_schema
from markupsafe import Markup

from iotrace import units
from iotrace.analysis.curves.bands import Band
from iotrace.analysis.curves.ratios import ratio

Points = Iterable[tuple[str, int, float | None]]

BRAND = "iotrace curve"
RATIOS = {
    "read_request_miss_ratio": "read requests",
    "write_request_miss_ratio": "write requests",
    "request_miss_ratio": "all requests",
}
LIKE_THE_REPORT = {"axis": "Misses per request", "unit": "per request", "logarithmic": True, "height": 400}
_COLORS = ("both", "both", "ink")
_DASHES = ("solid", "dot", "solid")
"""Of RATIOS, as the report draws what is read, written and both."""
_STEPS = ("step-1", "step-3", "step-6", "step-2", "step-5", "step-4")


def page(curves: pa.Table, name: str, block: str, by: str | None = None) -> str:
    """Return the page of table curve at chosen sizes; with ``by``, a line for each component's requests."""
    points: list[dict[str, Any]] = [
        {"line": printable(line), "size_bytes": size, "value": value}
        for line, size, value in _points(curves, by)
        if value is not None
    ]
    labels = list(dict.fromkeys(point["line"] for point in points))
    if by is None:
        shown = dict(zip(RATIOS.values(), zip(_COLORS, _DASHES, strict=True), strict=True))
        styles = [shown[label] for label in labels]
    else:
        styles = [
            (_STEPS[index % len(_STEPS)], _DASHES[index // len(_STEPS) % 2]) for index in range(len(labels))
        ]
    figure = Figure(
        "curve",
        "curves",
        "Requests that miss, by the size of the cache",
        "Misses of reads, of writes and of both, over their requests."
        if by is None
        else f"A line for each value of {printable(by)}: misses over its requests.",
        "curves",
        table="curve",
        wide=True,
        arguments={
            **LIKE_THE_REPORT,
            "labels": labels,
            "colors": [color for color, _ in styles],
            "dashes": [dash for _, dash in styles],
        },
    )
    lead = f"LRU with blocks of {block}. A request misses if any of its blocks does."
    table = pa.Table.from_pylist(points, schema=table_schema("figure_line"))
    return page_of(name, "How large a cache?", lead, [(figure, table)], _of_blocks(curves, by))


def sampled_page(
    lines: Mapping[str, Band], sizes_bytes: Sequence[int], name: str, block: str, described: str
) -> str:
    """Return the page of estimated block miss ratios at sizes, one of each line, with their bands; ``described`` says
    of what sample."""
    figure = Figure(
        "curve",
        "curves",
        "Block misses by the size of the cache",
        "The darker band contains the exact value with a probability of 95 % at each size, the lighter one at all sizes"
        " at once.",
        "banded",
        table="banded_line",
        wide=True,
        arguments={"axis": "Misses per block reference"},
    )
    rows = [
        dict(zip(table_schema("banded_line").names, (printable(line), *point), strict=True))
        for line, band in lines.items()
        for point in zip(
            sizes_bytes, band.estimate, band.low, band.high, band.low_all, band.high_all, strict=True
        )
    ]
    lead = f"LRU with blocks of {block}, {described}."
    table = pa.Table.from_pylist(rows, schema=table_schema("banded_line"))
    first, band = next(iter(lines.items()), ("", None))
    line = [] if band is None else list(zip(sizes_bytes, map(float, band.estimate), strict=True))
    opening = _first_screen(f"of {first} (an estimate)", line)
    return page_of(name, "How large a cache?", lead, [(figure, table)], opening)


def _of_blocks(curves: pa.Table, by: str | None) -> Markup | None:
    """Return the first screen of table curve; with ``by`` it is about the component with most block references."""
    rows = [row for row in curves.to_pylist() if row["block_references"]]
    if not rows:
        return None
    name = max(rows, key=lambda row: row["block_references"])[by] if by else None
    line = [
        (row["size_bytes"], row["block_misses"] / row["block_references"])
        for row in rows
        if by is None or row[by] == name
    ]
    return _first_screen(f"of block references{f' of {by} {name}' if by else ''}", line)


def _first_screen(of: str, line: Sequence[tuple[int, float]]) -> Markup | None:
    """Return the first screen: what the smallest and the largest cache miss, and the curve between."""
    if len(line) < 2:
        return None
    of = printable(of)
    shares = [(size, 100 * value) for size, value in line]
    (least, most_missed), (largest, missed) = shares[0], shares[-1]
    said = (
        f"A cache of {units.size(largest)} misses {units.percent(missed)} {of},"
        f" one of {units.size(least)} {units.percent(most_missed)}."
    )
    numbers = pa.table(dict(zip(("size_bytes", "misses_percent"), zip(*shares, strict=True), strict=True)))
    title = f"Misses in percent {of}, by the size of the cache"
    wide = drawings.curve(shares, None, True, said)
    return first_screen(said, Picture("first-curve", title, wide, numbers))


def page_of(
    name: str,
    question: str,
    lead: str,
    drawn: Sequence[tuple[Figure, pa.Table]],
    opening: Markup | None = None,
) -> str:
    """Return a page of lines over the size of a cache."""
    shown = printable(name)
    return compose(
        [Section("curves", question, lead, tuple(figure for figure, _ in drawn))],
        {figure.id: table for figure, table in drawn},
        brand=BRAND,
        title=shown,
        headline=f"{shown}: caches of every size",
        opening=opening,
    )


def _points(curves: pa.Table, by: str | None) -> Iterator[tuple[str, int, float | None]]:
    sizes = curves["size_bytes"].to_pylist()
    if by is None:
        for measure, label in RATIOS.items():
            yield from (
                (label, *point) for point in zip(sizes, ratio(curves, measure).to_pylist(), strict=True)
            )
        return
    values = map(str, curves[by].to_pylist())
    yield from zip(values, sizes, ratio(curves, "request_miss_ratio").to_pylist(), strict=True)


def size_lines(rows: Iterable[Mapping[str, Any]]) -> pa.Table:
    """Return lines over sizes: line, trace (none for a mean), size, value, and whether the size is printed."""
    schema = pa.schema(
        [
            pa.field("line", pa.string()),
            pa.field("trace", pa.string()),
            pa.field("size_bytes", pa.int64(), metadata={"unit": "bytes"}),
            pa.field("value", pa.float64()),
            pa.field("printed", pa.bool_()),
        ]
    )
    return pa.Table.from_pylist([{name: row[name] for name in schema.names} for row in rows], schema=schema)
