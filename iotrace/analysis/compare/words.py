"""How a comparison is said: what changed first, by how much, and what of it is noise."""

from __future__ import annotations

from iotrace import units
from iotrace.analysis.compare.compare import Basis, Comparison, MetricRow
from iotrace.analysis.compare.measure import WINDOWS
from iotrace.analysis.compare.noise import BLOCK_WINDOWS, ERROR, LEAST_RUNS
from iotrace.queries.metrics import metrics

SAID_FIRST = ("storage_time", "storage_call_time", "calls")
"""The metrics that the first sentence names, after those that are judged first."""
WARM = "warm_bytes"
MUCH_WARM = 0.1
"""Of the bytes read: how much more one side must find in memory for the cache to be named."""
NAMED = 5
"""Metrics that a sentence names."""
_ORDER = ("worse", "better", "different", "more", "less")


def sentences(comparison: Comparison) -> list[str]:
    """Return the first lines: the verdict, then the changes beyond noise, then how noise was judged."""
    lines = (
        [_first(comparison), *_changes(comparison)]
        if comparison.basis is not Basis.NOTHING
        else _unjudged(comparison)
    )
    return [*lines, *_cold_cache(comparison), noise_stated(comparison), *lacking(comparison)]


def _cold_cache(comparison: Comparison) -> list[str]:
    """Return a sentence where one side found much in memory that the other had to read from a device."""
    if WARM not in metrics(comparison.family.name).by_name:
        return []
    warm, read = comparison.row(WARM), comparison.row("bytes_read")
    if (
        warm.a is None
        or warm.b is None
        or abs(warm.a - warm.b) < MUCH_WARM * max(read.a or 0, read.b or 0, 1)
    ):
        return []
    sides = {"before": warm.a, "after": warm.b}
    cold, other = sorted(sides, key=sides.__getitem__)
    return [
        f"The page cache was colder {cold}: {value(sides[cold], warm.unit)} of the pages read were in memory before the"
        f" recording, {value(sides[other], warm.unit)} {other}; times differ by that, too."
    ]


def too_few(comparison: Comparison) -> str:
    """Return the sentence on too few runs."""
    before, after = map(len, comparison.sides)
    if before == after == 1:
        return "cannot tell from one run each; three are enough"
    return f"cannot tell from {_runs(before)} before and {_runs(after)} after; three of each are enough"


def _runs(number: int) -> str:
    return units.plural(number, "run", "runs")


def lacking(comparison: Comparison) -> list[str]:
    """Return sentences on what cannot be compared, since a trace does not record it."""
    if not comparison.is_timed:
        return [
            "A trace has no times: there is no comparison of times and rates. For system calls, strace -f -ttt -T or"
            " iotrace record records them."
        ]
    if not comparison.is_alike_traced:
        return [
            "What the tracer adds is taken off the times of some of these traces only: times cannot be compared."
            " iotrace record measures it."
        ]
    if comparison.family.answers("time") and not comparison.is_call_timed:
        return [
            "A trace does not record how long calls took: there is no comparison of latencies. strace -T or iotrace"
            " record records them."
        ]
    return []


def value(number: float | None, unit: str) -> str:
    """Return a metric's value as a person reads it."""
    return "" if number is None else units.written(number, unit)


def times_as_much(ratio: float | None) -> str:
    """Return a ratio: `1.2x`, `0.05x`."""
    return "" if ratio is None else units.times(ratio)


def band(row: MetricRow) -> str:
    """Return the ratios that noise explains."""
    if row.low is None or row.high is None:
        return ""
    high = "any" if row.high >= 1e4 else times_as_much(row.high)
    return f"{times_as_much(round(row.low, 4))} to {high}"


def _unjudged(comparison: Comparison) -> list[str]:
    """Return what stands without a verdict: counts and bytes that differ, the largest change first."""
    sentence = f"{too_few(comparison).capitalize()}."
    known = metrics(comparison.family.name).by_name
    rows = sorted(_that_differ(comparison), key=lambda row: known[row.metric].kind)
    if not rows:
        return [sentence, "Counts and bytes are the same."]
    more = f"; {len(rows) - NAMED} more differ" if len(rows) > NAMED else ""
    return [sentence, f"Counts and bytes: {', '.join(map(_instead, rows[:NAMED]))}{more}."]


def _that_differ(comparison: Comparison) -> list[MetricRow]:
    """Return the counts and bytes that differ, the largest change first."""
    known = metrics(comparison.family.name).by_name
    return [
        row
        for row in comparison.rows
        if known[row.metric].is_counted and None not in (row.a, row.b) and row.a != row.b
    ]


def _instead(row: MetricRow) -> str:
    """Return two values in words: 45 writes instead of 20,100."""
    before, after = value(row.a, row.unit), value(row.b, row.unit)
    if row.unit in ("calls", "requests"):
        return f"{after} {row.metric} instead of {before}"
    return f"{row.metric} {after} instead of {before}"


def largest(comparison: Comparison, most: int = 3) -> list[MetricRow]:
    """Return the largest changes: those beyond noise, or if none is, what differs; counts and bytes of one run each."""
    if comparison.basis is Basis.NOTHING:
        return _that_differ(comparison)[:most]
    differ = [row for row in comparison.rows if row.significant is not None and row.a != row.b]
    return [row for row in differ if row.is_change][:most] or differ[:most]


def headline(comparison: Comparison) -> str:
    """Return the verdict; where noise cannot be judged, the largest change of counts and bytes, and why."""
    rows = largest(comparison, 1)
    if comparison.basis is not Basis.NOTHING or not rows:
        return sentences(comparison)[0]
    said = _instead(rows[0]).replace("_", " ")
    return f"{said[0].upper()}{said[1:]}. Times: {too_few(comparison)}."


def _first(comparison: Comparison) -> str:
    changed = [row for row in comparison.rows if row.is_change]
    if not changed:
        if any(row.significant is False for row in comparison.rows):
            return {
                Basis.RUNS: "Not different beyond what runs of each side vary by.",
                Basis.PERIODS: "Not different beyond the variation within each.",
            }[comparison.basis]
        return "Cannot tell: these traces do not show their noise."
    names = (*comparison.family.judged_first, *SAID_FIRST)
    rows = sorted(
        changed,
        key=lambda row: (
            names.index(row.metric) if row.metric in names else len(names),
            _ORDER.index(row.verdict),
        ),
    )
    explained = f"; noise explains {shown}" if (shown := band(rows[0])) else ""
    cause = "; one period each: the cause cannot be told" if comparison.basis is Basis.PERIODS else ""
    return f"{rows[0].verdict.capitalize()}: {change(rows[0])}{explained}{cause}."


def change(row: MetricRow) -> str:
    """Return a metric's change in words."""
    return (
        f"{row.metric} {times_as_much(row.ratio)}, {value(row.a, row.unit)} before,"
        f" {value(row.b, row.unit)} after"
    )


def _changes(comparison: Comparison) -> list[str]:
    judged = sum(row.significant is not None for row in comparison.rows)
    sentences = []
    for word in _ORDER:
        rows = [row for row in comparison.rows if row.verdict == word]
        if rows:
            named = ", ".join(
                f"{row.metric} {times_as_much(row.ratio) or _instead(row)}" for row in rows[:NAMED]
            )
            more = f" and {len(rows) - NAMED} more" if len(rows) > NAMED else ""
            sentences.append(
                f"{word.capitalize()} beyond noise, {len(rows)} of {judged} metrics: {named}{more}."
            )
    return sentences


def noise_stated(comparison: Comparison) -> str:
    """Return how noise was judged."""
    together = f"{units.percent(100 * ERROR)} error over all metrics together"
    if comparison.basis is Basis.RUNS:
        before, after = map(len, comparison.sides)
        return f"Noise: how {before} and {after} traces differ among themselves; t test, {together}."
    if comparison.basis is Basis.NOTHING:
        return (
            f"Noise is not judged: it takes {LEAST_RUNS} runs of each, A1 A2 A3 vs B1 B2 B3. Only they show how runs of"
            " the same code differ."
        )
    if not comparison.is_timed:
        return (
            "Noise is not judged: a trace without times has no windows to resample, and nothing is repeated."
        )
    return (
        f"Noise: how each varies over {WINDOWS} windows of its time; bootstrap of blocks of {BLOCK_WINDOWS} windows,"
        f" {together}."
    )
