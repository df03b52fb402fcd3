"""The paper on discretionary caching (Vilayannur et al.): its tables, its figures simulated, its findings judged.

`cells` sets the printed times beside those of cost model (b); `figures` are the simulations of figures 3 to 13 as data;
`Study` makes them, and `judge` holds the findings against both.
"""

from __future__ import annotations

from iotrace.papers.vilayannur.cells import cells
from iotrace.papers.vilayannur.figures import Figure, Point, Setting, figures
from iotrace.papers.vilayannur.judging import judge
from iotrace.papers.vilayannur.study import Mechanism, Metrics, Study, values

__all__ = [
    "Figure",
    "Mechanism",
    "Metrics",
    "Point",
    "Setting",
    "Study",
    "cells",
    "figures",
    "judge",
    "values",
]
