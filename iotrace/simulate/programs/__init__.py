"""Programs of parallel processes, from traces of any family and from pattern text: table program."""

from __future__ import annotations

from iotrace.simulate.programs.program import THINKS, Program, Tally, Think, combined
from iotrace.simulate.programs.stores import of_store

__all__ = ["THINKS", "Program", "Tally", "Think", "combined", "of_store"]
