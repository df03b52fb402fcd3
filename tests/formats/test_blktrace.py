"""blktrace's binary files as the engine reads them, and as its twin in Python does: whole, damaged, and cut."""

import random
import struct
from pathlib import Path
from typing import Any

import blktrace_twin
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError
from iotrace.formats.blktrace import BlktraceSource

SECOND = 1_000_000_000


def record(chance: random.Random, time_ns: int, number: int, version: int, order: str) -> bytes:
    """Return a record of an event or a note, with data."""
    kind = chance.choice([1, 1, 1, 2, 3, 4, 4, 6, 7, 7, 7, 8, 8, 8, 8, 12, 12, 13, 9, 15])
    category = chance.choice([1, 2, 2, 2 | 1 << 3, 1 << 13, 1 << 2, 2 | 1 << 15, 1 | 1 << 11 | 1 << 12, 0])
    data = b""
    if chance.random() < 0.1:
        kind, category = chance.choice([0, 1, 2]), 1 << 10
        data = chance.choice([b"cc1\0\0", b"caf\xe9", struct.pack(order + "II", 1_700_000_000, 5), b""])
    elif chance.random() < 0.05:
        category |= 1 << 9
    elif kind == 13:
        data = struct.pack(">Q", chance.randrange(80))
    word = category << 16 | kind
    if chance.random() < 0.1:
        word, data = word | 1 << 8, b"\1\2\3\4\5\6\7\x08" + data
    magic = 0x65617400 | version
    sector, length = chance.randrange(10) * 8, chance.choice([0, 4096, 4096, 8192, 100])
    pid, device = chance.randrange(3), chance.choice([8 << 20, 8 << 20 | 1])
    if version == 7:
        fields = (magic, number, time_ns, sector, length, word, pid, device, 0, 0, len(data))
        return struct.pack(order + "IIQQIIIIIHH", *fields) + data
    fields = (magic, number, time_ns, sector, length, pid, word, device, 0, 0, len(data))
    return struct.pack(order + "IIQQIIQIIHH12x", *fields) + data


def trace(chance: random.Random, records: int) -> bytes:
    """Return records of a file, perhaps damaged."""
    version, order = chance.choice([7, 8]), chance.choice("<>")
    time_ns = chance.choice([0, 5 * SECOND])
    made = []
    for number in range(records):
        time_ns += chance.randrange(-50, 1000)
        far = 2**62 if chance.random() < 0.02 else 0
        made.append(bytearray(record(chance, max(0, time_ns) + far, number, version, order)))
        if number and chance.random() < chance.choice([0, 0.1]):
            at = chance.randrange(len(made[-1]))
            made[-1][at] = chance.randrange(256)
        if number and chance.random() < 0.03:
            made.append(bytearray(chance.randbytes(chance.randrange(1, 70))))
    whole = b"".join(made)
    return whole[: len(whole) - chance.choice([0, 0, 1, 30])] if records > 1 else whole


def everything(source: Any) -> Any:
    """Return the requests, skips and notes of a source; its error where it refuses."""
    rows, skips = [], []
    try:
        while (batch := source.next()) is not None:
            skipped = (
                batch.frame.filter(batch.frame["reason"].is_not_null())
                if "reason" in batch.frame.columns
                else []
            )
            for row in skipped.iter_rows(named=True) if len(skipped) else ():
                skips.append((row["record"], row["reason"], batch.excerpt(row["record"])))
            frame = batch.frame.filter(batch.frame["reason"].is_null()) if len(skipped) else batch.frame
            rows += (
                frame.drop("reason", strict=False)
                .select(sorted(set(frame.columns) - {"reason"}))
                .rows(named=True)
            )
    except IotraceError as error:
        return str(error)
    notes = source.notes
    return rows, skips, notes.records, notes.remarks, notes.base, notes.zero_ns, notes.warnings, notes.damage


@examples(300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 2**32),
    counts=st.lists(st.integers(1, 60), min_size=1, max_size=3),
    step=st.sampled_from([64, 100, 1000, 1 << 20]),
)
def test_the_engine_reads_what_its_twin_reads(
    tmp_path: Path, seed: int, counts: list[int], step: int
) -> None:
    for of_former_example in tmp_path.iterdir():
        of_former_example.unlink()
    chance = random.Random(seed)
    paths = [tmp_path / f"t.blktrace.{number}" for number in range(len(counts))]
    for path, count in zip(paths, counts, strict=True):
        path.write_bytes(trace(chance, count))
    with pytest.MonkeyPatch.context() as patch:
        for module in ("iotrace.formats.blktrace", "blktrace_twin"):
            patch.setattr(f"{module}.READ_BYTES", step)
        assert everything(BlktraceSource(paths)) == everything(blktrace_twin.BlktraceSource(paths))


def test_damage_across_the_blocks_that_are_read(tmp_path: Path) -> None:
    """More than a megabyte, so that records and damage lie across the ends of blocks."""
    chance = random.Random(5)
    path = tmp_path / "t.blktrace.0"
    path.write_bytes(b"".join(trace(chance, 50) for _ in range(1200)))
    assert path.stat().st_size > 2 << 20
    found = everything(BlktraceSource([path]))
    assert found == everything(blktrace_twin.BlktraceSource([path]))
    assert len(found[0]) > 1000 and len(found[1]) > 100
