"""A parallel file system and its buffer cache (Kotz and Ellis 1991): how long a program takes, and why."""

from __future__ import annotations

from iotrace.simulate.parallel_fs.settings import Settings
from iotrace.simulate.parallel_fs.simulation import Case, Outcome, simulate
from iotrace.simulate.parallel_fs.workloads import Made, Traced, Workload

__all__ = ["Case", "Made", "Outcome", "Settings", "Traced", "Workload", "simulate"]
