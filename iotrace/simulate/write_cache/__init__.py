"""Write caches on a disk (Biswas, Ramakrishnan and Towsley 1993): what a controller's policies would save."""

from __future__ import annotations

from iotrace.simulate.write_cache.requests import Placing, Requests
from iotrace.simulate.write_cache.settings import Settings
from iotrace.simulate.write_cache.simulation import simulate

__all__ = ["Placing", "Requests", "Settings", "simulate"]
