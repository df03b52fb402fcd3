"""Traces of single blocks on which samples are tested and measured: block numbers, and which references write."""

import gzip
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pyarrow as pa

BLOCK = 4096
REAL = ("2_pools", "sprite", "multi2")
"""Traces of the LIRS simulator (Jiang and Zhang, SIGMETRICS 2002)."""


def zipf(references: int, blocks: int, exponent: float, draw: np.random.Generator) -> np.ndarray:
    weights = np.cumsum(1 / np.arange(1, blocks + 1) ** exponent)
    return draw.permutation(blocks)[np.searchsorted(weights / weights[-1], draw.random(references))]


def made(scale: int = 1) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name and the blocks of made traces, larger by a factor of `scale`."""
    draw = np.random.default_rng(11)
    many, blocks = 60_000 * scale, 30_000 * scale
    yield "zipf 0.9", zipf(many, blocks, 0.9, draw)
    yield "zipf 1.2", zipf(many, 2 * blocks, 1.2, draw)
    yield "uniform", draw.integers(0, 8000 * scale, many)
    loop = np.tile(np.arange(6000 * scale), 8)
    yield "loop", np.where(draw.random(len(loop)) < 0.02, draw.integers(0, 12_000 * scale, len(loop)), loop)
    hot = zipf(many, blocks, 0.9, draw)
    starts = draw.integers(0, 20_000 * scale, 30)
    scans = [blocks + start + np.arange(600 * scale) for start in starts]
    pieces = [piece for pair in zip(np.array_split(hot, 30), scans, strict=True) for piece in pair]
    yield "zipf and scans", np.concatenate(pieces)


def independent(scale: int = 1) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name and the blocks of made traces that no constant of the method was chosen on."""
    draw = np.random.default_rng(2026)
    many, blocks = 60_000 * scale, 30_000 * scale
    yield "zipf 0.7", zipf(many, blocks, 0.7, draw)
    drift = np.arange(many) * (blocks // 2) // many
    yield "drifting zipf", zipf(many, blocks // 2, 1.0, draw) // 64 * 64 + drift
    loops = [4000 * scale, 9000 * scale]
    yield (
        "two loops",
        np.where(np.arange(many) // 100 % 2, np.arange(many) % loops[0], blocks + np.arange(many) % loops[1]),
    )
    there = np.arange(10_000 * scale)
    yield "there and back", np.tile(np.concatenate([there, there[::-1]]), 3)
    runs = zipf(many // 8, blocks // 8, 0.8, draw)
    yield "runs of 8", (runs[:, np.newaxis] * 8 + np.arange(8)).ravel()


def real(folder: Path) -> Iterator[tuple[str, np.ndarray]]:
    """Yield the name and the blocks of real traces, of those in the folder of large traces."""
    for name in REAL:
        words = gzip.decompress((folder / "lirs" / f"{name}.trace.gz").read_bytes()).split()
        yield name, np.array([int(word) for word in words if word.isdigit()])
    packed = folder / "block" / "cloudPhysicsIO.oracleGeneral.bin.zst"
    record = np.dtype([("time", "<u4"), ("object", "<u8"), ("size", "<u4"), ("next_use", "<i8")])
    unpacked = pa.input_stream(str(packed), compression="zstd").read()
    yield "cloudPhysicsIO", np.unique(np.frombuffer(unpacked, record)["object"], return_inverse=True)[1]


def references(blocks: np.ndarray, writes: float = 0.3) -> pa.Table:
    """Return references to single blocks of one file, a share of which write."""
    is_write = np.random.default_rng(13).random(len(blocks)) < writes
    operation = pa.DictionaryArray.from_arrays(
        pa.array(is_write.astype(np.int32)), pa.array(["read", "write"])
    )
    return pa.table(
        {
            "file": pa.array(np.zeros(len(blocks), np.int32)),
            "operation": operation,
            "offset": pa.array(blocks.astype(np.int64) * BLOCK),
            "length": pa.array(np.full(len(blocks), BLOCK, np.int64)),
        }
    )
