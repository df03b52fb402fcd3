"""The findings of the paper judged by the cost models and the simulated figures (``data/findings.toml``)."""

import statistics
from collections.abc import Callable, Mapping
from typing import Any

import pyarrow as pa

from iotrace.papers.findings.claim import Basis, Claim, Judgement, stated
from iotrace.papers.findings.tally import findings_table
from iotrace.papers.findings.verdicts import Verdict
from iotrace.papers.vilayannur.memo import PaperMemo, is_called
from iotrace.simulate.cluster.costs import IODS, KB, SIZES_KB, CostRow
from iotrace.simulate.cluster.costs import printed as printed_times

Raw = Mapping[str, Any]
Time = Callable[[CostRow, int, int], float]
"""The time of a row for a number of daemons and kilobytes; only ratios are taken of it."""
Ratios = dict[tuple[int, int], float]
"""A ratio for each column: daemons and kilobytes."""


WAYS = frozenset(
    ("of", "take", "over", "under", "other", "sizes_kb", "iods", "figures", "panels", "places", "over_places",
     "under_places", "over_take", "acts")
)  # fmt: skip
"""The words of findings.toml for how a number is taken."""


def claims() -> tuple[Claim, ...]:
    """Return the claims of the paper."""
    return stated("vilayannur", Claim, WAYS)


def judge(memo: PaperMemo) -> pa.Table:
    """Return table cluster_findings: each claim, its number and verdict; for tables 1 and 2 the printed times' too."""
    return findings_table("cluster_findings", [_row(claim, memo) for claim in claims()])


def _row(claim: Claim, memo: PaperMemo) -> dict[str, Any]:
    of = claim.how["of"]
    by, basis = ("traces", Basis.TRACE) if of == "traces" else ("simulation", Basis.SIMULATED)
    reason = memo.why_no_traces if of == "traces" else None
    number, printed = None, None
    if of in ("cells", "required"):
        by = "cost model"
        number = _ratio(lambda: of_cells(claim.how, _of_model(memo)))
        printed = of_cells(claim.how, _as_printed)
    elif reason is None:
        number = _ratio(lambda: _simulated(claim, memo))
    if number is None and reason is None:
        reason = NOTHING.get(of, "by these components, what it is compared with takes no time")
        if claim.how.get("acts") and not acts(claim.how, memo):
            reason = DOES_NOT_ACT
    row = Judgement(claim, basis, number, reason, printed).row()
    if printed is not None and row["verdict"] == Verdict.FAILS:
        row["note"] = _where(claim.how, memo)
    of_model = {"model": number, "model_verdict": row["verdict"]} if by == "cost model" else {}
    return row | {"by": by, "model": None, "model_verdict": None} | of_model


def _simulated(claim: Claim, memo: PaperMemo) -> float | None:
    """Return the number of a claim that simulations decide; None where there is nothing to decide it by."""
    how = claim.how
    if how["of"] == "mechanism":
        decided: int | None = getattr(memo.mechanism, how["take"].replace(" ", "_"))
        return decided
    if how["of"] == "traces":
        numbers = of_traces(how, memo)
        return claim.decisive(numbers, "every") if numbers else None
    if how.get("acts") and not acts(how, memo):
        return None
    take = {"figure": of_figure, "spread": of_spread, "places": of_places}[how["of"]]
    return take(how, memo)


def _ratio(number: Callable[[], float | None]) -> float | None:
    """Return a ratio; None if its denominator is zero, as other cost components can make it."""
    try:
        return number()
    except ZeroDivisionError:
        return None


NOTHING = {
    "traces": "no trace gets faster, so that there is no benefit to judge",
    "mechanism": "nothing was decided",
}
"""Why there is no number, for claims that were put to a trial."""
DOES_NOT_ACT = "the setting does not act: times are the same at places that the claim compares"


def _of_model(memo: PaperMemo) -> Time:
    return lambda row, iods, size: memo.components.time_ns(row, size * KB, iods)


def _as_printed(row: CostRow, iods: int, size: int) -> float:
    return printed_times()[row, iods, size]


def _where(how: Raw, memo: PaperMemo) -> str:
    """Say in which columns the cost model goes another way than the printed times, for a claim that fails by it."""
    ours, theirs = _ratios(how, _of_model(memo)), _ratios(how, _as_printed)
    if how["take"] == MIDDLE:
        return f"The least ratio is at {', '.join(_column(*column) for column in _least(ours).values())}."
    other = [column for column in ours if (ours[column] > 1) != (theirs[column] > 1)]
    if not other:
        return "In every column the model is on the side of 1 on which the printed times are."
    named = [f"{_column(*column)} ({ours[column]:.3g}, printed {theirs[column]:.3g})" for column in other]
    count = f"{len(other)} of {len(ours)} columns"
    return f"The model is on the other side of 1 than the printed times in {count}: {'; '.join(named)}."


def _column(iods: int, size_kb: int) -> str:
    return f"{size_kb} KB over {iods} daemon{'s' * (iods > 1)}"


def of_cells(how: Raw, time: Time) -> float:
    """Return the number of a claim about table 1 or 2, by these times."""
    return TAKE[how["take"]](_ratios(how, time))


def _ratios(how: Raw, time: Time) -> Ratios:
    """Return the ratio that a claim about table 1 or 2 takes in each column."""
    columns = [(iods, size) for iods in how.get("iods", IODS) for size in how.get("sizes_kb", SIZES_KB)]
    if how["of"] == "required":
        return {column: _required(time, *column) for column in columns}
    other = max if how.get("other") == "worst" else min
    return {
        column: max(time(CostRow(row), *column) for row in how["over"])
        / other(time(CostRow(row), *column) for row in how["under"])
        for column in columns
    }


def _required(time: Time, iods: int, size: int) -> float:
    pvfs, hit, miss = (
        time(row, iods, size) for row in (CostRow.PVFS, CostRow.GLOBAL_HIT, CostRow.GLOBAL_MISS)
    )
    return (miss - pvfs) / (miss - hit) if miss > hit else float("inf")


def _growth(ratios: Ratios) -> float:
    """Return the least growth from the fewest daemons to the most, of all sizes."""
    few, many = min(iods for iods, _ in ratios), max(iods for iods, _ in ratios)
    return min(ratios[many, size] / ratios[few, size] for _, size in ratios)


def _in_the_middle(ratios: Ratios) -> float:
    """Return for how many numbers of daemons the least ratio is at 16 or 32 KB."""
    return sum(size in (16, 32) for _, size in _least(ratios).values())


def _least(ratios: Ratios) -> dict[int, tuple[int, int]]:
    """Return the column of the least ratio for each number of daemons."""
    return {
        iods: min((column for column in ratios if column[0] == iods), key=lambda column: ratios[column])
        for iods, _ in ratios
    }


MIDDLE = "daemons with the least at 16 or 32 KB"
TAKE: dict[str, Callable[[Ratios], float]] = {
    "least": lambda ratios: min(ratios.values()),
    "largest": lambda ratios: max(ratios.values()),
    "median": lambda ratios: statistics.median(ratios.values()),
    "columns below 1": lambda ratios: sum(ratio < 1 for ratio in ratios.values()),
    "columns above 1": lambda ratios: sum(ratio > 1 for ratio in ratios.values()),
    "columns above 2": lambda ratios: sum(ratio > 2 for ratio in ratios.values()),
    "least growth": _growth,
    MIDDLE: _in_the_middle,
}
"""How one number is made of the ratios of columns, by name."""


def of_figure(how: Raw, memo: PaperMemo) -> float:
    """Return the largest ratio of the worst scheme of `over` to the best of `under`, of all panels and places."""
    times_of: dict[tuple[str, str, float | None], dict[str, float]] = {}
    for point, value in _seconds(how, memo):
        times_of.setdefault((point.figure, point.panel, point.place), {})[point.scheme] = value
    return max(
        max(times[scheme] for scheme in how["over"]) / min(times[scheme] for scheme in how["under"])
        for times in times_of.values()
    )


def of_spread(how: Raw, memo: PaperMemo) -> float:
    """Return the seconds between the slowest and the fastest scheme of the first figure over those of the second."""
    spreads = []
    for figure in how["figures"]:
        times = [value for _, value in _seconds({**how, "figures": [figure]}, memo)]
        spreads.append(max(times) - min(times))
    return float("inf") if spreads[0] and not spreads[1] else spreads[0] / spreads[1]


def of_places(how: Raw, memo: PaperMemo) -> float:
    """Return the worst time at `over_places` (the best, if `over_take` says so) over the best at `under_places`."""
    times = {point.place: value for point, value in _seconds(how, memo)}
    take = min if how.get("over_take") == "best" else max
    return take(times[place] for place in how["over_places"]) / min(
        times[place] for place in how["under_places"]
    )


def acts(how: Raw, memo: PaperMemo) -> bool:
    """Whether what a claim compares differs: no place of the one side has the times of all places of the other."""
    times = {point.place: value for point, value in _seconds(how, memo)}
    over, under = ({times[place] for place in how[f"{side}_places"]} for side in ("over", "under"))
    return len(over) > 1 or not over & under


def of_traces(how: Raw, memo: PaperMemo) -> list[float]:
    """Return numbers of the traces that are given; none where no trace gets faster, so that there is no benefit."""
    points = [point for figure in memo.figures if figure.id == "12" for point in figure.points(memo.traces)]
    before, after = (
        {point.panel: memo.metrics(point.setting) for point in points if point.setting.scheme == scheme}
        for scheme in ("local-global", "runtime")
    )
    benefits = {name: 100 * (1 - after[name].seconds / before[name].seconds) for name in before}
    helped = [benefit for benefit in benefits.values() if benefit > 0]
    match how["take"]:
        case "faster":
            return [len(helped)]
        case "benefits":
            return helped
        case "largest change of local hits":
            return [
                max(abs((after[name].local_hits or 0) - (before[name].local_hits or 0)) for name in before)
            ]
        case "least rise of global hits":
            rises = ((after[name].global_hits or 0) - (before[name].global_hits or 0) for name in before)
            faster = (benefit > 0 for benefit in benefits.values())
            return [rise for rise, is_meant in zip(rises, faster, strict=True) if is_meant]
        case "traces that benefit as much as LU and DB2":
            least = min(benefits[name] for name in before if is_called(name, "LU") or is_called(name, "DB2"))
            return [sum(benefit >= least for benefit in benefits.values())] if helped else []
    raise ValueError(f"no number of traces: {how['take']}")


def _seconds(how: Raw, memo: PaperMemo) -> list[tuple[Any, float]]:
    return [
        (point, memo.metrics(point.setting).seconds)
        for figure in memo.figures
        if figure.id in how["figures"]
        for point in figure.points()
        if point.panel in how.get("panels", (point.panel,))
        and point.place in how.get("places", (point.place,))
    ]
