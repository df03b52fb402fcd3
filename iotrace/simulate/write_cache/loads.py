"""The load of each disk of a block trace."""

from dataclasses import dataclass

from iotrace.analysis.characterize import characterize
from iotrace.errors import IotraceError
from iotrace.store.store import Store


@dataclass(frozen=True)
class Load:
    """The load of one disk of a trace (base view disk_load)."""

    device: int
    name: str | None
    reads: int
    writes: int
    read_blocks: int
    written_blocks: int
    end_block: int
    first_ns: int | None
    last_ns: int | None

    @property
    def is_timed(self) -> bool:
        """Whether any request has a time."""
        return self.first_ns is not None

    @property
    def duration_ns(self) -> int:
        """From the first request to the last; 0 if there are no times."""
        return 0 if self.first_ns is None or self.last_ns is None else self.last_ns - self.first_ns


def loads_of(store: Store, name: str) -> tuple[Load, ...]:
    """Return the loads of a trace's disks, the busiest first; `name` is what messages call the trace.

    Raises IotraceError for a store that holds no block trace, or one that never says what is written.
    """
    store.family.check_answers("write-cache", name)
    with store.sandboxed(views=[]) as connection:
        rows = characterize(connection, ["disk_load"])["disk_load"].to_pylist()
    if not rows:
        raise IotraceError(
            f"{name}: has no reads and writes: without operations no write cache can be simulated"
        )
    loads = (Load(**row) for row in rows)
    return tuple(sorted(loads, key=lambda load: (-load.reads - load.writes, load.device)))
