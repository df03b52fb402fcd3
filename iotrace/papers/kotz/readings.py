"""Results that rest on a rule that the paper leaves open: which waiting process gets a free buffer (section 3.3)."""

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from iotrace import queries
from iotrace.papers.findings.verdicts import Verdict
from iotrace.papers.kotz.cells import WITHIN
from iotrace.papers.kotz.judging import judge
from iotrace.papers.kotz.memo import PaperMemo, Progress
from iotrace.papers.kotz.printed import Cell, tables
from iotrace.papers.page import across, declared, short_number, unique
from iotrace.simulate.parallel_fs.settings import WORDS

Row = Mapping[str, Any]
ORDERS: Sequence[str] = WORDS["claim_order"]


def by_readings(memo: PaperMemo, progress: Progress) -> pa.Table:
    """Return table parallel_paper_readings: each claim, and each cell with a cache, by each order of claims.

    The memo's own order comes first. All have the same preset of overheads; it was fitted on cells in which nobody
    waits for another's buffer.
    """
    rows: list[Row] = []
    for order in (memo.claim_order, *(order for order in ORDERS if order != memo.claim_order)):
        memo_of_order = memo if order == memo.claim_order else PaperMemo(memo.trials, memo.seed, order)
        memo_of_order.prepare(progress=progress)
        rows += [_of_claim(row, order) for row in judge(memo_of_order).to_pylist()]
        rows += [_of_cell(memo_of_order, cell) for table in tables() for cell in table.cells if cell.cache]
    return queries.result_table("parallel_paper_readings", rows)


def _of_claim(row: Row, order: str) -> Row:
    return {
        "finding": row["finding"],
        "claim_order": order,
        "number": row["ours"],
        "unit": row["unit"],
        "bounds": row["bounds"],
        "verdict": row["verdict"],
    }


def _of_cell(memo: PaperMemo, cell: Cell) -> Row:
    seconds = memo.cell(cell)["execution_s"]
    is_near = abs(seconds / cell.printed_s - 1) <= WITHIN
    return {
        "finding": cell.in_words,
        "claim_order": memo.claim_order,
        "number": seconds,
        "unit": "s",
        "bounds": f"printed {cell.printed_s:g}, within {100 * WITHIN:.0f} %",
        "verdict": str(Verdict.HOLDS if is_near else Verdict.FAILS),
    }


def moving(readings: pa.Table) -> pa.Table:
    """Return, to be read, what an order decides: a line for each verdict that is not the same by all of them."""
    rows = readings.to_pylist()
    verdicts = {
        name: {row["verdict"] for row in rows if row["finding"] == name} for name in unique(rows, "finding")
    }
    moved = [row for row in rows if len(verdicts[row["finding"]]) > 1]
    return declared(
        "claims_by_reading",
        [
            {**row, "verdict": None}
            for row in across(
                moved, "claim_order", "by", lambda row: f"{row['verdict']}, {short_number(row, 'number')}"
            )
        ],
    )
