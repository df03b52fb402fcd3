"""A block trace beside the paper on write caches (Biswas, Ramakrishnan and Towsley 1993): cells and findings.

`printed` holds the paper's tables as data; `Subject` is a trace with a drive and, where it is like one, a disk of the
paper; `Study` simulates it with all the settings of the tables at once; `cells` has ours beside the printed values, and
`judge` holds the findings against them.
"""

from __future__ import annotations

from iotrace.papers.biswas.cells import cells
from iotrace.papers.biswas.judging import judge
from iotrace.papers.biswas.likeness import likeness
from iotrace.papers.biswas.printed import Disk, Misprint, Row, Table, disks, misprints, tables
from iotrace.papers.biswas.study import Study
from iotrace.papers.biswas.subject import Load, Subject, like

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
