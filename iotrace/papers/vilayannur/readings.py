"""Results that rest on what the paper leaves open, to be read: claims whose verdict is not the same by all readings."""

import pyarrow as pa

from iotrace.papers.findings.verdicts import Verdict, counts
from iotrace.papers.page import declared, unique


def moving(readings: pa.Table) -> pa.Table:
    """Return a line for each claim, or end of an axis, that readings decide, and by how many it holds and fails."""
    rows = readings.to_pylist()
    by_name = {name: [row for row in rows if row["finding"] == name] for name in unique(rows, "finding")}
    moved = {
        name: rows_of_claim
        for name, rows_of_claim in by_name.items()
        if len(unique(rows_of_claim, "verdict")) > 1
    }
    verdicts = {"holds": Verdict.HOLDS, "fails": Verdict.FAILS, "cannot_be_judged": Verdict.UNJUDGED}
    lines = []
    for rows_of_claim in moved.values():
        numbers = counts(row["verdict"] for row in rows_of_claim)
        lines.append(
            {**rows_of_claim[0], **{column: numbers[verdict] for column, verdict in verdicts.items()}}
        )
    return declared("claims_by_reading", lines)
