"""The findings of chapter 5 judged on a trace: R11, R12, R14 to R16, R25, R26 and R29 to R31 (Richardson 1994)."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace.papers.richardson import judging
from iotrace.papers.richardson.attribute_figures import figures
from iotrace.papers.richardson.attribute_improvements import has_whole_baseline
from iotrace.papers.richardson.judging import Measured
from iotrace.papers.richardson.workloads import Subject
from iotrace.simulate.attribute.comparison import grid
from iotrace.simulate.attribute.curves import PLACE
from iotrace.simulate.attribute.outcome import MEASURES, outcome, prepare
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import Scheme, region_as_printed, schemes, variable

Raw = Mapping[str, Any]
FILES = ("attribute_findings",)
COUNTED = MEASURES | {"bytes_read": ("read_bytes_estimated",), "bytes_written": ("write_bytes_estimated",)}
"""The measures of a quotient: sums of counts."""
LARGEST_BYTES = 2**30
CAPTURED = 0.9
"""The part of what the largest cache saves at which the write working set counts as captured, as in chapter 4."""


def judge(
    memo: PassMemo,
    today: PassMemo | None = None,
    like: str | None = None,
    *,
    keep_uncached: bool = False,
) -> pa.Table:
    """Return table findings: each with its claim, the dissertation's number, ours, and the verdict.

    `today` is the same trace by another model of the file system, whose numbers have separate columns. `like` is the
    workload of the dissertation that the trace is like. Claims about a region leave out totals at which a subcache
    of the baseline has not one block, unless `keep_uncached`.
    """
    subject = Subject.of(memo.store, like)
    other = _measured(today, keep_uncached) if today else None
    return judging.judge(FILES, subject, _measured(memo, keep_uncached), other)


def needed() -> list[Scheme]:
    """Return the schemes by which a trace is judged."""
    stated = judging.measures(FILES)
    named = {scheme.label: scheme for measure in stated for scheme in _schemes(measure)}
    cut_offs = {measure["cut_off_bytes"] for measure in stated if "cut_off_bytes" in measure}
    return [*named.values(), *(variable().with_cut_off(cut_off) for cut_off in sorted(cut_offs))]


def _measured(memo: PassMemo, keep_uncached: bool) -> dict[str, Measured]:
    measures = [{**measure, "keep_uncached": keep_uncached} for measure in judging.measures(FILES)]
    prepare(memo, needed())
    return {measure["id"]: Measured(numbers(memo, measure)) for measure in measures}


def _schemes(raw: Raw) -> list[Scheme]:
    """Return the schemes that a measure needs."""
    named = [raw[name] for name in ("over", "under") if name in raw] + list(raw.get("schemes", ()))
    if raw["how"] == "best_of_small":
        return _small()
    return [variable(), schemes()["unix"], *(_scheme(name) for name in named)]


def _scheme(name: str) -> Scheme:
    return variable() if name == "variable" else schemes()[name]


def _small() -> list[Scheme]:
    """Return the schemes that the dissertation compares for small caches."""
    return [scheme for line in figures()["5.6"].lines for scheme in line.schemes]


def numbers(memo: PassMemo, raw: Raw) -> tuple[float, ...]:
    """Return what a measure says of the trace; nothing where there is nothing to measure."""
    made = HOW[raw["how"]](memo, raw)
    if made is None:
        return ()
    return tuple(made) if isinstance(made, list) else (made,)


def quotient(memo: PassMemo, raw: Raw) -> float | None:
    """The `over` scheme's measure over the `under` scheme's at `times` its size, at table 5.1's totals."""
    over, under = _scheme(raw.get("over", "variable")), _scheme(raw.get("under", "unix"))
    totals = [(total, total * raw.get("times", 1)) for total in _totals(raw)]
    return _statistic(raw, _quotients(memo, raw, over, under, totals))


def cut_off(memo: PassMemo, raw: Raw) -> float | None:
    """The variable scheme's measure with another cut-off, over that with the dissertation's."""
    totals = [(total, total) for total in _totals(raw)]
    lower = variable().with_cut_off(raw["cut_off_bytes"])
    return _statistic(raw, _quotients(memo, raw, lower, variable(), totals))


def at_write_capture(memo: PassMemo, raw: Raw) -> float | None:
    """The variable scheme's measure over the baseline's, where the baseline has captured the write working set.

    That is the least total that saves `CAPTURED` of what the largest saves; None where that is the smallest of all, or
    there is nothing to save.
    """
    names = COUNTED[raw["measure"]]
    baseline = [
        (total, outcome(memo, schemes()["unix"], total)) for total in sorted({*grid(), LARGEST_BYTES})
    ]
    writes = [(total, quotients.sum(names)) for total, quotients in baseline if quotients]
    if not writes or writes[0][1] <= writes[-1][1]:
        return None
    most = writes[0][1] - CAPTURED * (writes[0][1] - writes[-1][1])
    total = next(total for total, count in writes if count <= most)
    if total == writes[0][0]:
        return None
    quotients = _quotients(memo, raw, variable(), schemes()["unix"], [(total, total)])
    return quotients[0] if quotients else None


def best_of_small(memo: PassMemo, raw: Raw) -> list[float]:
    """The ID-only scheme's measure over the least of the other schemes for small caches, at each of `totals`."""
    quotients = []
    for total in raw["totals"]:
        outcomes = {scheme.id: outcome(memo, scheme, total) for scheme in _small()}
        sums = {
            name: of_measure.sum(COUNTED[raw["measure"]])
            for name, of_measure in outcomes.items()
            if of_measure
        }
        id_only = sums.pop("id-only", None)
        if id_only is not None and sums and min(sums.values()):
            quotients.append(id_only / min(sums.values()))
    return quotients


def miss_percents(memo: PassMemo, raw: Raw) -> list[float]:
    """Read request misses per hundred read requests of each of `schemes` at each total."""
    outcomes = [outcome(memo, _scheme(name), total) for name in raw["schemes"] for total in _totals(raw)]
    ratios = [of_measure.read_request_miss_ratio for of_measure in outcomes if of_measure]
    return [100 * ratio for ratio in ratios if ratio is not None]


def below_the_largest_baseline(memo: PassMemo, raw: Raw) -> float | None:
    """The percentage of totals at which the variable scheme misses fewer reads than the largest baseline."""
    largest = outcome(memo, schemes()["unix"], LARGEST_BYTES)
    bound = largest.read_request_miss_ratio if largest else None
    outcomes = [outcome(memo, variable(), total) for total in _totals(raw)]
    ratios = [of_measure.read_request_miss_ratio for of_measure in outcomes if of_measure]
    if bound is None or not ratios:
        return None
    return 100 * sum(ratio is not None and ratio < bound for ratio in ratios) / len(ratios)


def largest_expulsion_percent(memo: PassMemo, raw: Raw) -> float | None:
    """Write expulsions per hundred write requests of the variable scheme at the largest total of table 5.1."""
    largest = outcome(memo, variable(), max(variable().printed_bytes))
    ratio = largest.write_expulsion_ratio if largest else None
    return None if ratio is None else 100 * ratio


def baseline_inode_expulsions(memo: PassMemo, raw: Raw) -> float | None:
    """Inode blocks that the baseline writes at a total; None where no inode is written."""
    baseline = outcome(memo, schemes()["unix"], raw["total_bytes"])
    inodes = baseline.counts.get(("inode", "inode")) if baseline else None
    if inodes is None or not inodes[PLACE["write_requests"]]:
        return None
    return float(inodes[PLACE["write_expulsions"]])


def _totals(raw: Raw) -> list[int]:
    if "totals" in raw:
        return list(raw["totals"])
    return [
        total
        for total in variable().printed_bytes
        if ("regions" not in raw or _is_in_regions(raw, total))
        and raw.get("above_bytes", 0) < total <= raw.get("most_bytes", total)
    ]


def _is_in_regions(raw: Raw, total: int) -> bool:
    return region_as_printed(total) in raw["regions"] and (
        raw.get("keep_uncached", False) or has_whole_baseline(total)
    )


def _quotients(
    memo: PassMemo, raw: Raw, over: Scheme, under: Scheme, totals: Sequence[tuple[int, int]]
) -> list[float]:
    quotients, names = [], COUNTED[raw["measure"]]
    for total, other in totals:
        first, second = outcome(memo, over, total), outcome(memo, under, other)
        if first and second and (whole := second.sum(names)):
            quotients.append(first.sum(names) / whole)
    return quotients


def _statistic(raw: Raw, values: list[float]) -> float | None:
    return STATISTICS[raw["statistic"]](values) if values else None


STATISTICS: dict[str, Callable[[list[float]], float]] = {
    "mean": statistics.fmean,
    "median": statistics.median,
    "mean percent": lambda values: 100 * statistics.fmean(values),
    "mean increase": lambda values: 100 * (statistics.fmean(values) - 1),
    "mean difference": lambda values: 100 * statistics.fmean(abs(value - 1) for value in values),
    "largest difference": lambda values: 100 * max(abs(value - 1) for value in values),
    "largest reduction": lambda values: 100 * (1 - min(values)),
    "largest increase": lambda values: 100 * (max(values) - 1),
    "percent below 1": lambda values: 100 * sum(value < 1 for value in values) / len(values),
}
"""Ways to summarize the quotients at several totals: differences are from 1, in percent."""
HOW: dict[str, Callable[[PassMemo, Raw], float | list[float] | None]] = {
    one.__name__: one
    for one in (
        quotient, cut_off, at_write_capture, best_of_small, miss_percents, below_the_largest_baseline,
        largest_expulsion_percent, baseline_inode_expulsions,
    )
}  # fmt: skip
"""How a measure can be taken, by name."""
