"""Parallel access patterns after Kotz and Ellis (1991, section 3.2): what each process reads or writes, in order."""

from __future__ import annotations

from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.schedule import Schedule, scheduled
from iotrace.generate.patterns.settings import Computation, Operation, Pattern, Settings, computation

__all__ = [
    "Computation",
    "Operation",
    "Pattern",
    "Schedule",
    "Settings",
    "computation",
    "program",
    "scheduled",
]
