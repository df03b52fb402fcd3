"""Caches of a cluster: two levels of them, and going round them (Vilayannur et al.)."""

from __future__ import annotations

from iotrace.simulate.cluster.settings import Discipline, Machine
from iotrace.simulate.cluster.simulation import Outcome, simulate, simulate_all

__all__ = ["Discipline", "Machine", "Outcome", "simulate", "simulate_all"]
