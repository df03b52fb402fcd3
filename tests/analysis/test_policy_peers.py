"""Each policy against libCacheSim's, with the same parameters and blocks of size 1, hit by hit on real traces.

Eight are equal, and W-TinyLFU misses as often as Caffeine's. In three, libCacheSim reads the defining paper otherwise
than its text, which decides:

- Segmented LRU: Karedla, Love and Wherry discard lines only when data must be discarded, and add misses to the
  probationary segment. libCacheSim limits that segment to what the protected one leaves, even while the cache has
  room, and adds misses to the protected segment as long as only that has room.
- S3-FIFO: algorithm 1 adds an object that is not in G to S; moves an object from S to M and evicts from M if that is
  full then; and looks whether an object is in G after the eviction that frees space for it. libCacheSim fills M
  directly until the first eviction, lets M overflow, and takes the object out of G first.
- LIRS: where Jiang and Zhang leave a HIR block that is not in S as it is at a hit, and only move it to the end of Q,
  libCacheSim also moves the bottom LIR block to Q, and evicts a block for it.

That these are the causes is tested too: plain twins that have them are equal to libCacheSim hit by hit. DIFFERENCES
has the first reference that differs, counted from 0.
"""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from iotrace.analysis.curves import POLICIES
from iotrace.engine.native import policy_hits

pytest.importorskip(
    "libcachesim", reason="libcachesim is not installed: pip install 'iotrace-toolkit[peers]'"
)
import policy_peer

TRACES = os.environ.get("IOTRACE_TRACES")
REFERENCES = 200_000
SIZES = (20, 100, 1000, 5000)
TWINS = {"slru": policy_peer.slru, "s3-fifo": policy_peer.s3_fifo, "lirs": policy_peer.lirs}
NOT_IN_LIBCACHESIM = {"lru-k"}
OF_CAFFEINE = {"w-tinylfu"}
"""Policies whose sketch is another one in libCacheSim; they are compared with Caffeine's."""
CAFFEINE = {
    "zipf": (36872, 32435, 28064, 23407),
    "cloudPhysicsIO": (103585, 98626, 93694, 89678),
    "sprite": (122408, 92291, 22150, 8599),
}
"""Misses of W-TinyLFU in Caffeine 3.1.8, by trace, for each of SIZES; CaffeinePeer.java prints them."""
DIFFERENCES: dict[tuple[str, str], tuple[int | None, ...]] = {
    ("zipf", "slru"): (42, 167, 2190, 13711),
    ("zipf", "lirs"): (None, None, None, 17219),
    ("zipf", "s3-fifo"): (42, 164, 1640, 11094),
    ("cloudPhysicsIO", "lirs"): (6010, None, None, None),
    ("cloudPhysicsIO", "s3-fifo"): (35, 268, 3111, 10250),
    ("cloudPhysicsIO", "slru"): (50, 382, 3821, 11571),
    ("kernel-build", "lirs"): (6849, 10811, 53894, None),
    ("kernel-build", "s3-fifo"): (376, 395, 10761, None),
    ("kernel-build", "slru"): (394, 432, 14790, None),
    ("multi1", "lirs"): (6892, 14190, 8695, None),
    ("multi1", "s3-fifo"): (58, 248, 2118, None),
    ("multi1", "slru"): (248, 265, 2905, None),
    ("sprite", "lirs"): (26789, 12968, 8444, None),
    ("sprite", "s3-fifo"): (34, 163, 3427, 122426),
    ("sprite", "slru"): (112, 163, 3546, None),
    ("sqlite-transactions", "lirs"): (6515, 134231, None, None),
    ("sqlite-transactions", "s3-fifo"): (604, 605, 3801, 42068),
    ("sqlite-transactions", "slru"): (605, 1151, 3027, 41215),
}
"""By trace and policy, for each of SIZES; None if the hits are the same."""


def block_touches(trace: Path, copy: Path) -> np.ndarray:
    """The blocks of 4 KB that a trace's reads and writes touch, numbered from 0."""
    from iotrace.analysis.curves.references import everything
    from iotrace.ingest import opening

    copy.symlink_to(trace)
    keys = []
    for batch in everything(opening.open(copy)):
        rows = pa.table(batch)
        wanted = pc.is_in(rows["operation"].cast(pa.string()), pa.array(["read", "write", "update"]))
        rows = rows.filter(pc.and_(wanted, pc.greater(rows["length"], 0)))
        placed = rows.select(["file", "offset", "length"]).drop_null()
        file, offset, length = (column.to_numpy() for column in placed.columns)
        first = offset // 4096
        blocks = (offset + length - 1) // 4096 - first + 1
        within = np.arange(blocks.sum()) - np.repeat(np.cumsum(blocks) - blocks, blocks)
        keys.append(np.repeat(file.astype(np.int64) * 2**32 + first, blocks) + within)
    return np.unique(np.concatenate(keys), return_inverse=True)[1]


def plain_numbers(trace: Path) -> np.ndarray:
    """A compressed file of a number a line, as numbers from 0 in their order."""
    with pa.input_stream(str(trace)) as source:
        text = source.read().decode()
    numbers = [int(line) for line in text.split() if line.isdecimal()]
    return np.unique(np.array(numbers), return_inverse=True)[1]


def zipf() -> np.ndarray:
    """A trace that needs no file: some blocks often, with a scan in the middle."""
    often = np.random.default_rng(1).zipf(1.1, 40_000) % 20_000
    return np.concatenate([often[:20_000], np.arange(20_000, 28_000), often[20_000:]])


@pytest.fixture(
    scope="module",
    params=[
        "zipf",
        "strace/sqlite-transactions.strace.zst",
        "strace/kernel-build.strace.zst",
        "block/cloudPhysicsIO.txt.zst",
        "lirs/sprite.trace.gz",
        "lirs/multi1.trace.gz",
    ],
)
def trace(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[str, np.ndarray]]:
    name = request.param
    if name == "zipf":
        yield name, zipf().astype(np.uint32)
        return
    if not TRACES:
        pytest.skip("IOTRACE_TRACES does not name the folder of large traces")
    path = Path(TRACES, name)
    if name.startswith("strace/"):
        blocks = block_touches(path, tmp_path_factory.mktemp("trace") / path.name)
    else:
        blocks = plain_numbers(path)
    yield path.name.partition(".")[0], blocks[:REFERENCES].astype(np.uint32)


def ours(policy: str, size: int, blocks: np.ndarray) -> np.ndarray:
    return pa.array(policy_hits(policy, size, pa.array(blocks))).to_numpy(zero_copy_only=False)


@pytest.mark.parametrize(
    "policy", [name for name in POLICIES if name not in {*TWINS, *OF_CAFFEINE, *NOT_IN_LIBCACHESIM}]
)
def test_a_policy_is_libcachesims(policy: str, trace: tuple[str, np.ndarray]) -> None:
    _, blocks = trace
    for size in SIZES:
        differing = np.flatnonzero(
            ours(policy, size, blocks) != policy_peer.hits(policy, size, blocks.tolist())
        )
        assert differing.size == 0, (size, differing[0])


@pytest.mark.parametrize("policy", TWINS)
def test_where_libcachesim_differs_the_cause_is_known(policy: str, trace: tuple[str, np.ndarray]) -> None:
    name, blocks = trace
    first: list[int | None] = []
    for size in SIZES:
        found = policy_peer.hits(policy, size, blocks.tolist())
        assert np.array_equal(found, TWINS[policy](size, blocks.tolist())), size
        differing = np.flatnonzero(found != ours(policy, size, blocks))
        first.append(int(differing[0]) if differing.size else None)
    assert tuple(first) == DIFFERENCES[name, policy]


@pytest.mark.parametrize("policy", OF_CAFFEINE)
def test_w_tiny_lfu_is_caffeines(policy: str, trace: tuple[str, np.ndarray]) -> None:
    name, blocks = trace
    if name in CAFFEINE:
        missed = tuple(int((~ours(policy, size, blocks)).sum()) for size in SIZES)
        assert missed == CAFFEINE[name]
