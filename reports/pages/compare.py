"""The page of ``iotrace compare``: what changed, the curves of both sides, and where the time went."""

from collections.abc import Mapping, Sequence

import pyarrow as pa
from iotrace.reports.pages import drawings
from iotrace.reports.pages.compose import compose
from iotrace.reports.pages.curve import size_lines
from iotrace.reports.pages.escape import printable
from iotrace.reports.pages.figures import Figure, Section
from iotrace.reports.pages.first_screen import Picture, first_screen
from markupsafe import Markup, escape

from iotrace.analysis.compare import Comparison, MetricRow
from iotrace.analysis.compare.words import band, headline, largest, sentences, times_as_much, value

BRAND = "iotrace compare"
MOST_ROWS = 30
_CURVES = Figure(
    "curves",
    "caches",
    "Misses by the size of the cache",
    "Requests for data that miss an LRU cache, per request: with blocks of 4 KB, of keys with whole objects.",
    "over_sizes",
    table="curve",
    wide=True,
    arguments={"axis": "Misses per request", "steps": True},
)
_ICICLE = Figure(
    "icicle",
    "where",
    "Storage time by program, directory and call",
    "As wide as the longer of before and after. Red takes longer after, green less: strong colours by more than twice,"
    " soft ones by more than a tenth. A click enlarges a part.",
    "differential_icicle",
    table="time_tree",
    wide=True,
    arguments={"levels": ["program", "directory", "call"], "whole": "all storage time"},
)


def page(
    comparison: Comparison,
    metrics: pa.Table,
    times: Mapping[str, pa.Table],
    tree: pa.Table | None,
    advice: pa.Table,
    names: tuple[str, str],
    parts: Sequence[tuple[str, str]] = (),
) -> str:
    """Return the page; `metrics` and `times` are to be read, `tree` is result time_tree where calls have times.

    `parts` name the parts of traces that are compared, and say what they cover.
    """
    before, after = map(printable, names)
    shown: list[tuple[Section, list[pa.Table]]] = [
        _section(
            "what",
            "What changed?",
            "Changes beyond noise first, the largest first.",
            [_table("metrics")],
            [metrics],
        )
    ]
    if tree is not None:
        figures = [_ICICLE, *(_table(name, f"By {name}", "Largest change first.") for name in times)]
        lead = "Time in storage calls, added up over all threads."
        shown.append(_section("where", "Where did the time change?", lead, figures, [tree, *times.values()]))
    lead = "Caches of every size, before and after."
    shown.append(
        _section("caches", "What would a cache serve?", lead, [_CURVES], [_lines(comparison, names)])
    )
    lead = "Rules that speak of most traces of one side only."
    shown.append(_section("advice", "Which advice came and went?", lead, [_table("advice")], [advice]))
    return compose(
        [section for section, _ in shown],
        {
            figure.id: table
            for section, tables in shown
            for figure, table in zip(section.figures, tables, strict=True)
        },
        brand=BRAND,
        title=f"{before} and {after}",
        headline=f"{before} and {after}: what changed",
        facts=[(printable(name), printable(covers)) for name, covers in parts],
        sentences=[escape(sentence) for sentence in sentences(comparison)],
        opening=_opening(comparison),
        more="More about this comparison",
    )


def _opening(comparison: Comparison) -> Markup:
    """Return the first screen: the verdict, the largest changes with what noise explains, and their bars."""
    rows = largest(comparison)
    changes = [(_named(row), _shown(row), f"noise: {noise}" if (noise := band(row)) else "") for row in rows]
    drawn = [row for row in rows if row.a is not None and row.b is not None]
    are_changes = not rows or rows[0].is_change or rows[0].significant is None
    heading = "The largest changes" if are_changes else "The largest differences, none beyond noise"
    return first_screen(headline(comparison), _picture(drawn) if drawn else None, changes, heading)


def _named(row: MetricRow) -> str:
    return row.metric.replace("_", " ")


def _shown(row: MetricRow) -> str:
    ratio = times_as_much(row.ratio)
    return f"{value(row.a, row.unit)} → {value(row.b, row.unit)}" + (f" ({ratio})" if ratio else "")


def _picture(rows: Sequence[MetricRow]) -> Picture:
    pairs = [
        drawings.Pair(
            _named(row),
            (row.a or 0.0, row.b or 0.0),
            (value(row.a, row.unit), value(row.b, row.unit)),
            None
            if row.low is None or row.high is None
            else ((row.a or 0) * row.low, (row.a or 0) * row.high),
        )
        for row in rows
    ]
    said = "; ".join(f"{pair.name} {pair.shown[0]} before, {pair.shown[1]} after" for pair in pairs)
    columns = ("metric", "unit", "a", "b", "ratio", "low", "high")
    numbers = pa.table({name: [getattr(row, name) for row in rows] for name in columns})
    has_noise = any(pair.noise for pair in pairs)
    title = "Before and after" + ("; the frame is what noise explains" if has_noise else "")
    return Picture("first-changes", title, drawings.pairs(pairs, said), numbers)


def _section(
    id_: str, question: str, lead: str, figures: Sequence[Figure], tables: Sequence[pa.Table]
) -> tuple[Section, list[pa.Table]]:
    return Section(id_, question, lead, tuple(figures)), list(tables)


def _table(name: str, title: str | None = None, caption: str = "") -> Figure:
    arguments = {"rows": MOST_ROWS, "empty": "No rule."} if title else {"empty": "No rule."}
    return Figure(
        f"table-{name}",
        name,
        title or name.capitalize(),
        caption,
        "table",
        table=name,
        wide=True,
        arguments=arguments,
    )


def _lines(comparison: Comparison, names: tuple[str, str]) -> pa.Table:
    """Return the curves of both sides: each trace, and their mean at sizes that all have."""
    rows = []
    for name, word, side in zip(names, ("before", "after"), comparison.sides, strict=True):
        curves = [_reaching(measures.curve, comparison) for measures in side if measures.curve]
        line = f"{word}: {printable(name)}"
        for number, curve in enumerate(curves if len(curves) > 1 else [], 1):
            rows += [_point(line, f"{word} {number}", size, value) for size, value in curve.items()]
        for size in curves[0] if curves else ():
            rows.append(_point(line, None, size, sum(curve[size] for curve in curves) / len(curves)))
    return size_lines(rows)


def _point(
    line: str, trace: str | None, size: int, value: float
) -> dict[str, str | int | float | bool | None]:
    return {"line": line, "trace": trace, "size_bytes": size, "value": value, "printed": False}


def _reaching(curve: Mapping[int, float], comparison: Comparison) -> dict[int, float]:
    """Return a curve at the sizes of all: what holds every block holds them at larger sizes, too."""
    sizes = sorted({size for side in comparison.sides for measures in side for size in measures.curve})
    reached: dict[int, float] = {}
    held = curve[min(curve)]
    for size in sizes:
        held = curve.get(size, held)
        reached[size] = held
    return reached
