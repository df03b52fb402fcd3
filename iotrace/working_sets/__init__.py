"""Working sets: the caches of the dissertation's chapter 4 for any trace, and its findings (Richardson
1994)."""

from __future__ import annotations

from iotrace.working_sets.figures import figure_tables, figures
from iotrace.working_sets.judging import judge
from iotrace.working_sets.paging import Disk, demand_paging
from iotrace.working_sets.study import Run, Study

__all__ = ["Disk", "Run", "Study", "demand_paging", "figure_tables", "figures", "judge"]
