"""How ``iotrace ingest`` appends to a store, and drops rows of it."""

from dataclasses import dataclass
from pathlib import Path

from iotrace.cli.options.groups import Group, declared

OTHERS = ["--output", "--force", "--split-jobs", "--model", "--align-clocks"]


@dataclass(frozen=True)
class AppendOptions(Group):
    """The store that grows, and how its new partition is called."""

    append: Path | None = declared(
        None,
        "Append the trace to this store, as a partition; one that is not there is made. Requests to disks or caches in"
        " the order of time; logs and recordings of system calls, of other hosts or days, by when they start.",
        metavar="STORE",
        conflicts=OTHERS,
    )
    partition: str | None = declared(
        None, "The partition's name [its start].", metavar="NAME", needs=["--append"], rare=True
    )
    drop_before: str | None = declared(
        None,
        "Delete the rows of partitions that end before this: 90d (before the store's end) or 2026-11-01T00:00. Their"
        " counts and findings stay, and the curves of disks.",
        metavar="TIME",
        needs=["--append"],
    )
