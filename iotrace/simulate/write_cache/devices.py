"""The disks of a block trace by their names."""

from collections.abc import Sequence

from iotrace.errors import UsageError
from iotrace.store.store import Store

MOST_NAMED = 12
"""How many of a trace's disks an error lists."""


def names(store: Store) -> dict[str, int]:
    """Return the number in table disk_io of each disk, by its name; raises IotraceError for another kind of store."""
    store.family.check_answers("write-cache", store.name)
    table = store.arrow("file", ["path", "kind", "device"])
    rows = zip(*(table[name].to_pylist() for name in ("path", "kind", "device")), strict=True)
    return {str(path): int(device) for path, kind, device in rows if kind == "device"}


def parse_choice(store: Store, disks: Sequence[str]) -> list[int]:
    """Return the numbers of disks by name; ``3`` stands for ``disk 3`` too. Raises UsageError for a name of none."""
    known = names(store)
    numbers = []
    for name in disks:
        number = known.get(name.strip(), known.get(f"disk {name.strip()}"))
        if number is None:
            there = ", ".join(list(known)[:MOST_NAMED]) + (", ..." if len(known) > MOST_NAMED else "")
            raise UsageError(f"--device: the trace has no disk {name.strip()}; it has {there}")
        numbers.append(number)
    return numbers
