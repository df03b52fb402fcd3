"""Stages of a request: each is on one resource, and together they are its uncontended time.

This is cost model (b). A request at an offset that is a multiple of the stripe touches stripe units in turn over the
daemons. With R its kilobytes, d the daemons over which the file is striped, and p the kilobytes at one of those that
hold a part of it:

- node: `message` for each daemon or global cache that it asks; where the local cache is consulted `local_look_up`, and
  at the end `copy` R, `copy_beyond_cache` (R - 64) and, where d > 1, `scatter` R: what libpvfs reads of one daemon is
  one stretch, of several it is in pieces. `read_hit` ends a read that goes no further than the node. (A copy of
  more than 64 KB does not stay in the level-2 cache of 256 KB between the socket, the local cache and the program.)
- medium: `network` for each kilobyte that moves over a hop. All hops share it, so that the second hop of a miss in the
  global cache costs as much as the first.
- where no cache is consulted, libpvfs streams: each daemon asked takes `stream_daemon` p, and each of the d disks
  `stream_disk` min(R, 128) / d, because all of them read on in turn, and Linux reads at most 128 KB ahead. From 128 to
  256 KB over one daemon, Pvfs takes 0.121 ms a KB, which is the bare medium.
- caches ask for a list of blocks, which is not read ahead beyond its first block: `list` (p - 4) at each disk, which
  includes the daemon's work. Daemons work in parallel for a node, so that the largest part counts. For the global cache
  they work in turn: it amasses what comes from them and sends it on in sequence (section 3.3).
- global server: `global_look_up`, and `message` for each daemon that it asks.

A write is answered once it is in the daemon's buffers.
"""

from dataclasses import dataclass
from enum import StrEnum

from iotrace.simulate.cluster.costs.rows import BLOCK_BYTES, KB, STRIPE_BYTES, CostRow


class Resource(StrEnum):
    """A resource that a stage occupies."""

    NODE = "node"
    MEDIUM = "medium"
    DAEMON = "daemon"
    DISK = "disk"
    GLOBAL = "global server"


THROUGH_GLOBAL = (CostRow.GLOBAL_HIT, CostRow.GLOBAL_MISS)
BEYOND_NODE = (CostRow.PVFS, CostRow.LOCAL_MISS, CostRow.WRITE_PVFS)
"""The rows whose requests a node sends to the daemons."""
READ_AHEAD_BYTES = 128 * KB
CACHED_BYTES = 64 * KB


@dataclass(frozen=True)
class Stage:
    """One stage: `units` of each coefficient (see `Components`), a count, or bytes where it is per kilobyte."""

    resource: Resource
    units: tuple[tuple[str, int], ...]
    share: tuple[int, int] = (1, 1)
    """The share of the units that this resource has, as a fraction."""


def stages(row: CostRow, size_bytes: int, iods: int) -> list[Stage]:
    """Return the stages of a request in order; raises ValueError for a negative size or no daemon.

    Of daemons in parallel it has the one with the largest part, of daemons in turn all of them.
    """
    if size_bytes < 0 or iods < 1:
        raise ValueError(f"a request of {size_bytes} bytes over {iods} daemons")
    messages = 1 if row in THROUGH_GLOBAL else len(parts(size_bytes, iods)) if row in BEYOND_NODE else 0
    before = (("local_look_up", int(row.is_local)), ("message", messages))
    return [Stage(Resource.NODE, before), *_beyond(row, size_bytes, iods), *_after(row, size_bytes, iods)]


def parts(size_bytes: int, iods: int) -> list[int]:
    """Return the bytes at each daemon that holds a part of a request, the first daemon's first."""
    held = [0] * iods
    whole, rest = divmod(size_bytes, STRIPE_BYTES)
    for daemon in range(min(iods, whole)):
        held[daemon] = STRIPE_BYTES * (whole // iods + (daemon < whole % iods))
    held[whole % iods] += rest
    return [part for part in held if part]


def _beyond(row: CostRow, size: int, iods: int) -> list[Stage]:
    held = parts(size, iods)
    network = Stage(Resource.MEDIUM, (("network_per_kb", size),))
    largest = max(held, default=0)
    if row is CostRow.PVFS:
        ahead = (("stream_disk_per_kb", min(size, READ_AHEAD_BYTES)),)
        daemon = Stage(Resource.DAEMON, (("stream_daemon_per_kb", largest),))
        return [daemon, Stage(Resource.DISK, ahead, (1, iods)), network]
    if row is CostRow.LOCAL_MISS:
        return [_listed(largest), network]
    if row in THROUGH_GLOBAL:
        look_up = Stage(Resource.GLOBAL, (("global_look_up", 1),))
        if row is CostRow.GLOBAL_HIT:
            return [look_up, network]
        request = Stage(Resource.GLOBAL, (("message", len(held)),))
        return [look_up, request, *(_listed(part) for part in held), network, network]
    return [network] if row is CostRow.WRITE_PVFS else []


def _listed(part: int) -> Stage:
    return Stage(Resource.DISK, (("list_per_kb", max(0, part - BLOCK_BYTES)),))


def _after(row: CostRow, size: int, iods: int) -> list[Stage]:
    if not row.is_local:
        return []
    units = [("copy_per_kb", size), ("copy_beyond_cache_per_kb", max(0, size - CACHED_BYTES))]
    if iods > 1:
        units.append(("scatter_per_kb", size))
    if row is CostRow.LOCAL_HIT:
        units.append(("read_hit", 1))
    return [Stage(Resource.NODE, tuple(units))]


def duration_ns(stage: Stage, coefficients: dict[str, int]) -> int:
    """Return a stage's time: the sum of its coefficients, those per kilobyte by bytes, rounded half up once."""
    total = sum(
        coefficients[name] * (units if name.endswith("_per_kb") else units * KB)
        for name, units in stage.units
    )
    numerator, denominator = stage.share
    return (2 * total * numerator + KB * denominator) // (2 * KB * denominator)
