"""The figures' settings run by the simulation of clusters, as many at once as there are cores."""

from __future__ import annotations
