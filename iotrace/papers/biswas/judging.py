"""The findings of the paper judged on a trace, and on the paper's own numbers (``data/findings.toml``)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import Row, Table, disks, tables
from iotrace.papers.biswas.subject import SEVERAL, Subject
from iotrace.papers.findings.bounds import Predicate, judged, read_parts, taken

Raw = Mapping[str, Any]
Value = Callable[[Table, Row, str], float | None]
"""What a cell has: printed, or ours."""
Numbers = list[float | None]


@dataclass(frozen=True)
class Part(Predicate):
    """A claim with what the paper prints of it, and of which disks it says it."""

    paper: str
    """The paper's own words or numbers."""
    unit: str
    likes: tuple[str, ...] = ()

    def why_not(self, subject: Subject) -> str | None:
        """Say why the claim can't be judged by a trace; None where it can."""
        if self.reason:
            return self.reason
        if any(table.of == "four disks" for table in self._tables()) and subject.devices is None:
            return f"needs {SEVERAL} disks behind one controller; the trace has {len(subject.loads)}"
        if self.likes and (subject.like is None or subject.like.like not in self.likes):
            names = " or ".join(self.likes)
            return f"the paper says it of {names} only; say by --as which disk a trace is like"
        return None

    def _tables(self) -> list[Table]:
        named = {self.how[name]["table"] for name in ("of", "over", "under") if name in self.how}
        return [table for table in tables() if table.id in named]


def judge(memo: PaperMemo) -> pa.Table:
    """Return table write_cache_findings: each claim with our number, the paper's, and the verdicts."""
    return judged([_row(part, memo) for part in read_parts("biswas", Part)], "write_cache_findings")


def _row(part: Part, memo: PaperMemo) -> dict[str, Any]:
    subject = memo.subject
    reason = part.why_not(subject)
    # all disks of a table are simulated with the same settings
    ours = None if reason else measure(part, memo.value, disks()[0].name)
    like = subject.like
    is_said_of_it = not part.likes or (like is not None and like.like in part.likes)
    printed = (
        measure(part, printed_value, like.name if like else None)
        if is_said_of_it and not part.reason
        else None
    )
    if reason is None and ours is None:
        reason = "the trace has nothing to measure it by"
    return part.judgement(ours=ours, printed=printed) | {"reason": reason, "trace": subject.name}


def printed_value(table: Table, row: Row, metric: str) -> float | None:
    """Return what the paper prints in a cell."""
    return row.printed.get(metric)


def measure(part: Part, value: Value, disk: str | None) -> float | None:
    """Return the number of a claim by the rows of a disk; None where a cell is missing, or a divisor is 0."""
    how = part.how
    selections = [_selected(how[name], value, disk) for name in ("of", "over", "under") if name in how]
    if any(number is None for numbers in selections for number in numbers) or not all(selections):
        return None
    numbers = [[number for number in selection if number is not None] for selection in selections]
    results = HOW[how["how"]](how, *numbers)
    if any(number is None for number in results):
        return None
    return taken([number for number in results if number is not None], how.get("take"), part.finding)


def _selected(raw: Raw, value: Value, disk: str | None) -> Numbers:
    """Return the numbers of a selection of cells, or the least or largest of them."""
    wanted = [raw["metric"]] if isinstance(raw["metric"], str) else list(raw["metric"])
    selected: Numbers = []
    for table in tables():
        if table.id != raw["table"] or table.of == "drive":
            continue
        for row in _rows(table, raw["where"], disk):
            selected += [
                value(table, row, metric) for metric in wanted if metric in (*table.metrics, *UNPRINTED)
            ]
    numbers = [number for number in selected if number is not None]
    if "take" not in raw or len(numbers) < len(selected) or not numbers:
        return selected
    return [taken(numbers, raw["take"], raw["table"])]


def _rows(table: Table, where: Mapping[str, str | list[str]], disk: str | None) -> list[Row]:
    """Return the rows of one disk whose printed columns are as wanted."""
    return [
        row
        for row in table.rows
        if (table.of == "four disks" or row.disk == disk)
        and all(
            row.columns[column] in ([wanted] if isinstance(wanted, str) else wanted)
            for column, wanted in where.items()
        )
    ]


def _flattening(how: Raw, of: list[float]) -> Numbers:
    """By how much more the first stretch of a curve falls, for each unit of its places, than the second."""
    (first, middle, last), (begin, turn, end) = of, how["at"]
    return [(first - middle) / (turn - begin) - (middle - last) / (end - turn)]


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
UNPRINTED = ("immediate_purges", "disk_writes", "total_ios")
"""Metrics that a claim is about and no table prints."""
