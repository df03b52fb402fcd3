"""The families of traces, each in a module of its own: what else depends on the family asks here."""

from iotrace.families.base import HAS_REFERENCE, Family, NativeRows
from iotrace.families.calls import CALLS, UNDER_CALLS
from iotrace.families.disks import DISKS
from iotrace.families.jobs import JOBS, SEVERAL_JOBS, counts_jobs
from iotrace.families.keys import KEYS
from iotrace.families.parallel import PARALLEL

__all__ = [
    "CALLS",
    "DISKS",
    "FAMILIES",
    "HAS_REFERENCE",
    "JOBS",
    "KEYS",
    "PARALLEL",
    "SEVERAL_JOBS",
    "UNDER_CALLS",
    "Family",
    "NativeRows",
    "counts_jobs",
]

FAMILIES = {family.name: family for family in (CALLS, DISKS, PARALLEL, KEYS, JOBS)}
"""All of them, by their native tables; a store is of the first whose table it has."""
