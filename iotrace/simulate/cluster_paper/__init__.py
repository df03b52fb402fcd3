"""The paper on discretionary caching (Vilayannur et al.): its tables, its figures simulated, its findings judged.

`cells` sets the printed times beside those of cost model (b); `figures` are the simulations of figures 3 to 13 as data;
`Study` makes them, and `judge` holds the findings against both.
"""

from __future__ import annotations

from iotrace.simulate.cluster_paper.cells import cells
from iotrace.simulate.cluster_paper.figures import Figure, Point, Setting, figures
from iotrace.simulate.cluster_paper.judging import judge
from iotrace.simulate.cluster_paper.study import Mechanism, Metrics, Study, values

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
