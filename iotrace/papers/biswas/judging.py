"""The findings of the paper judged on a trace, and on the paper's own numbers (``data/findings.toml``)."""

import statistics
from collections.abc import Callable, Mapping
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

import pyarrow as pa

from iotrace.papers.biswas.likeness import is_generated
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import PrintedRow, Table, disks, is_fitted, tables
from iotrace.papers.biswas.subject import SEVERAL, Subject
from iotrace.papers.findings.claim import Basis, Claim, Judgement, Origin, stated
from iotrace.papers.findings.tally import findings_table

Raw = Mapping[str, Any]
Value = Callable[[Table, PrintedRow, str], float | None]
"""Takes a number of a cell: printed, or ours."""
Numbers = list[float | None]


SELECTIONS = ("of", "over", "under")
WAYS = frozenset(("how", "take", *SELECTIONS, "at", "acts"))
"""The words of findings.toml for how a number is taken."""
NOTHING = "the trace has nothing to measure it by"
DOES_NOT_ACT = "no threshold acted: what is compared is all the same"


@dataclass(frozen=True)
class PartClaim(Claim):
    """A claim with what the paper prints of it."""

    _: KW_ONLY
    paper: str = ""
    """The paper's own words or numbers."""

    def why_not(self, subject: Subject) -> str | None:
        """Say why the claim can't be judged by a trace; None where it can."""
        if self.reason:
            return self.reason
        if any(table.of == "four disks" for table in self._tables()) and subject.devices is None:
            return f"needs {SEVERAL} disks behind one controller; the trace has {len(subject.loads)}"
        if not self.of_class(_like(subject)):
            names = " or ".join(self.likes)
            return f"the paper says it of {names} only; say by --as which disk a trace is like"
        return None

    def _tables(self) -> list[Table]:
        named = {self.how[name]["table"] for name in SELECTIONS if name in self.how}
        return [table for table in tables() if table.id in named]


def _like(subject: Subject) -> str | None:
    return subject.like.like if subject.like else None


def claims() -> tuple[PartClaim, ...]:
    """Return the claims of the paper, those marked whose numbers presets were fitted to."""
    return tuple(replace(part, made=_made(part)) for part in stated("biswas", PartClaim, WAYS))


def _made(part: PartClaim) -> Origin:
    """Return what a claim's numbers owe to the paper's where a trace is generated, by the rows that it is about."""
    are_fitted = {
        is_fitted(table, row)
        for name in SELECTIONS
        if name in part.how
        for table, row in _rows_of(part.how[name], disks()[0].name)
    }
    if True not in are_fitted:
        return part.made
    return Origin.PARTLY_FITTED if False in are_fitted else Origin.FITTED


def judge(memo: PaperMemo) -> pa.Table:
    """Return table write_cache_findings: each claim with our number, the paper's, and the verdicts."""
    return findings_table("write_cache_findings", [_row(part, memo) for part in claims()])


def _row(part: PartClaim, memo: PaperMemo) -> dict[str, Any]:
    subject = memo.subject
    reason = part.why_not(subject)
    # all disks of a table are simulated with the same settings
    ours = None if reason else measure(part, memo.value, disks()[0].name)
    printed = (
        measure(part, printed_value, subject.like.name if subject.like else None)
        if part.of_class(_like(subject)) and not part.reason
        else None
    )
    if reason is None and ours is None:
        reason = DOES_NOT_ACT if not acts(part, memo.value, disks()[0].name) else NOTHING
    basis = Basis.MADE_TRACE if is_generated(subject.store) else Basis.TRACE
    row = Judgement(part, basis, ours, reason, printed).row()
    return row | {"ours": ours, "paper": part.paper, "trace": subject.name}


def printed_value(table: Table, row: PrintedRow, metric: str) -> float | None:
    """Return what the paper prints in a cell."""
    return row.printed.get(metric)


def measure(part: PartClaim, value: Value, disk: str | None) -> float | None:
    """Return the number of a claim by the rows of a disk; None where a cell is missing, or a divisor is 0."""
    how = part.how
    numbers = _selections(how, value, disk)
    if numbers is None or not acts(part, value, disk):
        return None
    results = HOW[how["how"]](how, *numbers)
    known = [number for number in results if number is not None]
    return part.decisive(known, how.get("take")) if len(known) == len(results) else None


def acts(part: PartClaim, value: Value, disk: str | None) -> bool:
    """Whether what a claim compares differs at all, if it must."""
    if not part.how.get("acts"):
        return True
    numbers = _selections(part.how, value, disk)
    return numbers is None or len({number for selection in numbers for number in selection}) > 1


def _selections(how: Raw, value: Value, disk: str | None) -> list[list[float]] | None:
    """Return the numbers of a claim's selections of cells; None where one has none, or a cell is missing."""
    selections = [_selected(how[name], value, disk) for name in SELECTIONS if name in how]
    if any(number is None for numbers in selections for number in numbers) or not all(selections):
        return None
    return [[number for number in selection if number is not None] for selection in selections]


def _selected(raw: Raw, value: Value, disk: str | None) -> Numbers:
    """Return the numbers of a selection of cells, or the least, largest or mean of them."""
    metrics = [raw["metric"]] if isinstance(raw["metric"], str) else list(raw["metric"])
    selected: Numbers = []
    for table, row in _rows_of(raw, disk):
        selected += [
            value(table, row, metric) for metric in metrics if metric in (*table.metrics, *UNPRINTED)
        ]
    numbers = [number for number in selected if number is not None]
    if "take" not in raw or len(numbers) < len(selected) or not numbers:
        return selected
    return [OF_CELLS[raw["take"]](numbers)]


def _rows_of(raw: Raw, disk: str | None) -> list[tuple[Table, PrintedRow]]:
    """Return the rows that a selection names, with their tables."""
    named = [table for table in tables() if table.id == raw["table"] and table.of != "drive"]
    return [(table, row) for table in named for row in _rows(table, raw["where"], disk)]


def _rows(table: Table, where: Mapping[str, str | list[str]], disk: str | None) -> list[PrintedRow]:
    """Return the rows of one disk whose printed columns are as wanted."""
    return [
        row
        for row in table.rows
        if (table.of == "four disks" or row.disk == disk)
        and all(
            row.columns[column] in ([printed] if isinstance(printed, str) else printed)
            for column, printed in where.items()
        )
    ]


def _flattening(how: Raw, of: list[float]) -> Numbers:
    """How fast a curve falls in its second stretch, over how fast in the first; None if it does not fall there."""
    (first, middle, last), (begin, turn, end) = of, how["at"]
    before, after = (first - middle) / (turn - begin), (middle - last) / (end - turn)
    return [after / before if before > 0 else None]


def _each(take: Callable[[float, float], float | None]) -> Callable[..., Numbers]:
    return lambda how, over, under: [take(first, other) for first, other in zip(over, under, strict=True)]


HOW: dict[str, Callable[..., Numbers]] = {
    "value": lambda how, of: of,
    "sum": lambda how, of: [sum(of)],
    "ratio": _each(lambda over, under: over / under if under else None),
    "percent": _each(lambda over, under: 100 * over / under if under else None),
    "reduction": _each(lambda over, under: 100 * (1 - over / under) if under else None),
    "difference": _each(lambda over, under: over - under),
    "flattening": _flattening,
}
"""How numbers are made of selections, by name."""
OF_CELLS: dict[str, Callable[[list[float]], float]] = {
    "least": min,
    "largest": max,
    "mean": statistics.fmean,
}
"""How a selection of several cells becomes one number, by name."""
UNPRINTED = ("immediate_purges", "disk_writes", "total_ios")
"""Metrics that a claim is about and no table prints."""
