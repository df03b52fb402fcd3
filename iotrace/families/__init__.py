"""The families of traces, each in a module of its own: what else depends on the family asks here."""

from iotrace.families.base import Family
from iotrace.families.calls import CALLS
from iotrace.families.disks import DISKS
from iotrace.families.keys import KEYS
from iotrace.families.parallel import PARALLEL

__all__ = ["CALLS", "DISKS", "FAMILIES", "KEYS", "PARALLEL", "Family"]

FAMILIES = {family.name: family for family in (CALLS, DISKS, PARALLEL, KEYS)}
"""All of them, by their native tables."""
