"""The findings of the paper judged on our simulation of it, and on its own numbers (``data/findings.toml``)."""

import statistics
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from typing import Any

import pyarrow as pa

from iotrace.papers.findings.claim import Basis, Claim, Judgement, stated
from iotrace.papers.findings.tally import findings_table
from iotrace.papers.kotz.memo import PaperMemo, Point
from iotrace.papers.kotz.printed import Cell, cells_of, figures
from iotrace.simulate.parallel_fs.settings import POLICIES

Raw = Mapping[str, Any]
Series = list[list[float]]
"""Numbers of one curve or of a column of a table, for each of several."""
SECONDS = "execution_s"
VARIATION = "cv"
"""Of five trials, as the paper's; other metrics are of more where these vary much."""
WAYS = frozenset(("how", "take", "of", "over", "under"))
"""The words of findings.toml for how a number is taken."""
OF_SEVERAL: dict[str, Callable[[Sequence[float]], float]] = {
    "least": min,
    "largest": max,
    "mean": statistics.fmean,
}
"""How several numbers become one, by name."""


class UnprintedError(Exception):
    """The paper has no number for it."""


def claims() -> tuple[Claim, ...]:
    """Return the claims of the paper."""
    return stated("kotz", Claim, WAYS)


def judge(memo: PaperMemo) -> pa.Table:
    """Return table parallel_paper_findings: each claim with our number, the paper's, and the verdicts."""
    return findings_table("parallel_paper_findings", [_row(claim, memo) for claim in claims()])


def _row(claim: Claim, memo: PaperMemo) -> dict[str, Any]:
    ours = measure(claim, lambda cell, metric: memo.cell(cell)[metric], memo)
    try:
        printed = measure(claim, _printed, None)
    except UnprintedError:
        printed = None
    row = Judgement(claim, Basis.SIMULATED, ours, printed=printed).row()
    return row | {"ours": row["number"]}


def _printed(cell: Cell, metric: str) -> float:
    if metric != SECONDS:
        raise UnprintedError
    return cell.printed_s


def measure(claim: Claim, value: Callable[[Cell, str], float], memo: PaperMemo | None) -> float:
    """Return the number of a claim, by what a cell has and, for points of figures, by what was simulated.

    Raises UnprintedError where there is none: without a memo there are no figures.
    """
    how = claim.how
    selections = [_selected(how[name], value, memo) for name in ("of", "over", "under") if name in how]
    numbers = HOW[how["how"]](*selections)
    take = how.get("take")
    return statistics.fmean(numbers) if take == "mean" else claim.decisive(numbers, take)


def _selected(raw: Raw, value: Callable[[Cell, str], float], memo: PaperMemo | None) -> Series:
    metric = raw.get("metric", SECONDS)
    if "table" in raw:
        if "record" not in raw:
            return [[value(cell, metric) for cell in cells_of(raw["table"])]]
        chosen = {"records": [raw["record"]], "cache": raw["cache"]}
        cells = [cell for cell in cells_of(raw["table"]) if cell.meets(chosen)]
        by_pattern = {cell.pattern.value: cell for cell in cells}
        return [[value(by_pattern[pattern], metric) for pattern in raw.get("patterns", by_pattern)]]
    if memo is None:
        raise UnprintedError
    value_of = memo.point if metric == VARIATION else memo.settled
    by_id = {figure.id: figure for figure in figures()}
    series: Series = []
    for figure in (by_id[name] for name in raw["figures"]):
        values = raw.get("values", figure.values)
        curves = [
            [float(value_of(Point(figure, policy, float(x)))[metric]) for x in values]
            for policy in raw.get("policies", POLICIES)
        ]
        if "across" in raw:
            curves = [[OF_SEVERAL[raw["across"]](places) for places in zip(*curves, strict=True)]]
        if "along" in raw:
            curves = [[OF_SEVERAL[raw["along"]](curve)] for curve in curves]
        series += curves
    return series


def _places(over: Series, under: Series) -> list[tuple[float, float]]:
    """Return numbers in pairs; series that are fewer are taken again and again."""
    if len(over) % len(under):
        raise ValueError(f"{len(over)} series over {len(under)}")
    again = under * (len(over) // len(under))
    return [
        pair for series, other in zip(over, again, strict=True) for pair in zip(series, other, strict=True)
    ]


def _ratios(over: Series, under: Series) -> list[float]:
    return [first / other for first, other in _places(over, under)]


def _lead(over: Series, under: Series) -> list[float]:
    first, *others = _ratios(over, under)
    return [first / max(others)]


def _share_above(over: Series, under: Series) -> list[float]:
    pairs = _places(over, under)
    return [100 * sum(first > other for first, other in pairs) / len(pairs)]


HOW: dict[str, Callable[..., list[float]]] = {
    "value": lambda of: [number for series in of for number in series],
    "ratio": _ratios,
    "difference": lambda over, under: [first - other for first, other in _places(over, under)],
    "lead": _lead,
    "share above": _share_above,
    "rise": lambda of: [after / before for one in of for before, after in pairwise(one)],
    "highest": lambda of: [max(series) for series in of],
    "spread": lambda of: [max(series) / min(series) for series in of],
}
"""How numbers are made of selections, by name."""
