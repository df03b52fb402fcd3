"""What rests on what the paper leaves open, to be read: claims whose verdict is not the same by all readings."""

import pyarrow as pa

from iotrace.papers.findings.verdicts import Verdict, counts
from iotrace.papers.page import Column, text_table, unique


def moving(readings: pa.Table) -> pa.Table:
    """Return a line for each claim, or end of an axis, that readings decide, and by how many it holds and fails."""
    rows = readings.to_pylist()
    by_name = {name: [row for row in rows if row["finding"] == name] for name in unique(rows, "finding")}
    moved = {name: own for name, own in by_name.items() if len(unique(own, "verdict")) > 1}
    found = [counts(row["verdict"] for row in own) for own in moved.values()]
    first = [own[0] for own in moved.values()]
    return text_table(
        [
            Column("claim or axis", list(moved)),
            Column("must be", [row["bounds"] for row in first]),
            Column("as in the figures", [row["verdict"] for row in first]),
            *(Column(f"{verdict} by", [one[verdict] for one in found]) for verdict in Verdict),
        ]
    )
