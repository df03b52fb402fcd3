"""What a request does, stage by stage: each is on one resource, and together they are its uncontended time.

This is cost model (b). A request at an offset that is a multiple of the stripe touches stripe units in turn over the
daemons. With R its kilobytes, U the stripe units it touches, d the daemons over which the file is
striped, m those of them that hold a part of it, and p the kilobytes at one of them:

- node: `call`; where the local cache is consulted `local_look_up`, and at the end `copy` R and, where d > 1, `scatter`
  R + `stripe` (U - 1): what libpvfs reads of one daemon comes as one stretch, of several in pieces. `read_hit` ends a
  read, `write_buffer` a write that goes no further than the node.
- medium: a `message` for each request that is sent, and `network` for each kilobyte that moves over a hop. All hops
  share it, so the second hop of a miss in the global cache costs as much as the first.
- daemon: `daemon` + `daemon_per_kb` p for a read. A write is answered once it is in the daemon's buffers.
- disk: `disk` (p - 4): the first block of each part has been read ahead by the daemon's kernel, so that a read of one
  block costs no disk time. Where reads are random, disks are busier than this says.
- global server: `global_look_up`, and `amass` for each kilobyte that it had to fetch.

Daemons work in parallel for a node, so that the largest part counts. For the global cache they work in turn: it amasses
what comes from them and sends it on in sequence (section 3.3). Where no cache is consulted, libpvfs reads on through
the stripes and the daemons whose turn it is not read ahead meanwhile: of a disk's time m / d is waited for. (Pvfs of
table 1 falls with the daemons for requests of 4 to 32 KB too, which one daemon serves; the other rows hardly do.)
"""

from dataclasses import dataclass
from enum import StrEnum

from iotrace.simulate.cluster.costs.rows import BLOCK_BYTES, KB, STRIPE_BYTES, Row


class Resource(StrEnum):
    """What a stage occupies."""

    NODE = "node"
    MEDIUM = "medium"
    DAEMON = "daemon"
    DISK = "disk"
    GLOBAL = "global server"


@dataclass(frozen=True)
class Stage:
    """One stage: `units` of each coefficient (see `Components`), a count, or bytes where it is per kilobyte."""

    resource: Resource
    units: tuple[tuple[str, int], ...]
    share: tuple[int, int] = (1, 1)
    """The share of the stage's time that is waited for, as a fraction."""


def stages(row: Row, size_bytes: int, iods: int) -> list[Stage]:
    """Return the stages of a request in order; raises ValueError for a negative size or no daemon.

    Of daemons in parallel it has the one with the largest part, of daemons in turn all of them.
    """
    if size_bytes < 0 or iods < 1:
        raise ValueError(f"a request of {size_bytes} bytes over {iods} daemons")
    before = (("call", 1), ("local_look_up", int(row.is_local)))
    return [Stage(Resource.NODE, before), *_beyond(row, size_bytes, iods), *_after(row, size_bytes, iods)]


def parts(size_bytes: int, iods: int) -> list[int]:
    """Return the bytes at each daemon that holds a part of a request, the first daemon's first."""
    held = [0] * iods
    whole, rest = divmod(size_bytes, STRIPE_BYTES)
    for place in range(min(iods, whole)):
        held[place] = STRIPE_BYTES * (whole // iods + (place < whole % iods))
    held[whole % iods] += rest
    return [part for part in held if part]


def _beyond(row: Row, size: int, iods: int) -> list[Stage]:
    held = parts(size, iods)
    daemons = len(held)
    network = Stage(Resource.MEDIUM, (("network_per_kb", size),))
    requested = Stage(Resource.MEDIUM, (("message", daemons),))
    if row in (Row.PVFS, Row.LOCAL_MISS):
        share = (daemons, iods) if row is Row.PVFS else (1, 1)
        return [requested, *_daemon(max(held, default=0), share), network]
    if row in (Row.GLOBAL_HIT, Row.GLOBAL_MISS):
        before = [Stage(Resource.MEDIUM, (("message", 1),)), Stage(Resource.GLOBAL, (("global_look_up", 1),))]
        if row is Row.GLOBAL_MISS:
            in_turn = [stage for part in held for stage in _daemon(part, (1, 1))]
            before += [requested, *in_turn, network, Stage(Resource.GLOBAL, (("amass_per_kb", size),))]
        return [*before, network]
    return [requested, network] if row is Row.WRITE_PVFS else []


def _daemon(part: int, share: tuple[int, int]) -> list[Stage]:
    if not part:
        return []
    return [
        Stage(Resource.DAEMON, (("daemon", 1), ("daemon_per_kb", part))),
        Stage(Resource.DISK, (("disk_per_kb", max(0, part - BLOCK_BYTES)),), share),
    ]


def _after(row: Row, size: int, iods: int) -> list[Stage]:
    if not row.is_local:
        return []
    units = [("copy_per_kb", size)]
    if iods > 1:
        units += [("scatter_per_kb", size), ("stripe", max(0, -(-size // STRIPE_BYTES) - 1))]
    if row is Row.LOCAL_HIT:
        units.append(("read_hit", 1))
    if row is Row.WRITE_CACHING:
        units.append(("write_buffer", 1))
    return [Stage(Resource.NODE, tuple(units))]


def duration_ns(stage: Stage, coefficients: dict[str, int]) -> int:
    """Return a stage's time: the sum of its coefficients, those per kilobyte by bytes, rounded half up once."""
    total = sum(
        coefficients[name] * (units if name.endswith("_per_kb") else units * KB)
        for name, units in stage.units
    )
    numerator, denominator = stage.share
    return (2 * total * numerator + KB * denominator) // (2 * KB * denominator)
