"""The paper on writeback policies in parallel file systems (Kotz and Ellis 1991) beside our simulation of it.

`printed` holds its tables and figures as data; `Study` simulates what they ask for, each of it once; `cells` has ours
beside the printed values, `points` the curves of the figures, and `judge` holds the findings against both.
"""

from __future__ import annotations

from iotrace.papers.kotz.cells import cells, points
from iotrace.papers.kotz.judging import claims, judge, verdict_counts
from iotrace.papers.kotz.printed import (
    Cell,
    Figure,
    Record,
    Table,
    cells_of,
    figures,
    fitted,
    records,
    tables,
)
from iotrace.papers.kotz.study import Study

__all__ = [
    "Cell",
    "Figure",
    "Record",
    "Study",
    "Table",
    "cells",
    "cells_of",
    "claims",
    "figures",
    "fitted",
    "judge",
    "points",
    "records",
    "tables",
    "verdict_counts",
]
