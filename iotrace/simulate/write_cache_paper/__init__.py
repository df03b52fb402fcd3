"""A block trace beside the paper on write caches (Biswas, Ramakrishnan and Towsley 1993): cells and findings.

`printed` holds the paper's tables as data; `Subject` is a trace with a drive and, where it is like one, a disk of the
paper; `Study` simulates it with all the settings of the tables at once; `cells` has ours beside the printed values, and
`judge` holds the findings against them.
"""

from __future__ import annotations

from iotrace.simulate.write_cache_paper.cells import cells
from iotrace.simulate.write_cache_paper.judging import judge
from iotrace.simulate.write_cache_paper.likeness import likeness
from iotrace.simulate.write_cache_paper.printed import Disk, Misprint, Row, Table, disks, misprints, tables
from iotrace.simulate.write_cache_paper.study import Study
from iotrace.simulate.write_cache_paper.subject import Load, Subject, like

__all__ = [
    "Disk",
    "Load",
    "Misprint",
    "Row",
    "Study",
    "Subject",
    "Table",
    "cells",
    "disks",
    "judge",
    "like",
    "likeness",
    "misprints",
    "tables",
]
