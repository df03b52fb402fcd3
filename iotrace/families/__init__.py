"""The families of traces, each in a module of its own: what else depends on the family asks here."""

from collections.abc import Container

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
    "of_tables",
]

FAMILIES = {family.name: family for family in (CALLS, DISKS, PARALLEL, KEYS, JOBS)}
"""All of them, by their native tables."""


def of_tables(tables: Container[str]) -> Family:
    """Return the family of a store with these tables: the first whose table it has; one without any holds no calls."""
    return next((family for name, family in FAMILIES.items() if name in tables), CALLS)
