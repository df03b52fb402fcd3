"""The adaptive partition against a plain twin, and against the curves of its parts if nothing moves."""

import json
from collections import Counter

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import queries
from iotrace.analysis.curves import split_curves
from iotrace.errors import UsageError
from iotrace.simulate.adaptive import adaptive_partition

BLOCKS = {"a": 4, "b": 8}
QUANTUM = 16
Row = tuple[str, int, int, int, str]
"""Operation, file, offset, length, class."""

operation = st.sampled_from(["read"] * 5 + ["write"] * 2 + ["delete"])
ROWS = st.lists(
    st.tuples(operation, st.integers(0, 2), st.integers(0, 60), st.integers(1, 20), st.sampled_from("aabbc")),
    max_size=80,
)


def table(rows: list[Row]) -> pa.Table:
    columns = list(zip(*rows, strict=True)) or [[]] * 5
    types = [pa.string(), pa.int32(), pa.int64(), pa.int64(), pa.string()]
    names = ["operation", "file", "offset", "length", "class"]
    return pa.table(
        [pa.array(column, kind) for column, kind in zip(columns, types, strict=True)], names=names
    )


class Part:
    """An LRU cache as one list, newest first; what left last is `ghosts`, newest first too."""

    def __init__(self, block: int, quanta: int) -> None:
        self.block, self.quanta, self.quantum = block, quanta, QUANTUM // block
        self.cached, self.ghosts, self.dirty = [], [], set()
        self.gain = self.loss = 0.0
        self.counts: Counter = Counter()

    def settle(self) -> None:
        while len(self.cached) > self.quanta * self.quantum:
            self.ghosts.insert(0, old := self.cached.pop())
            self.counts["expelled"] += old in self.dirty
            self.dirty.discard(old)
        del self.ghosts[self.quantum :]

    def request(self, keys: list, write: bool, weighs: bool) -> None:
        size, was, misses = self.quanta * self.quantum, Counter(), 0
        for piece in (keys[first : first + size] for first in range(0, len(keys), size)):
            before = was["ghost"] + was["cold"]
            for key in piece:
                depth = self.cached.index(key) if key in self.cached else None
                kind = "ghost" if key in self.ghosts else "cold"
                was[kind if depth is None else "tail" if depth >= size - self.quantum else "head"] += 1
                self.cached = [key, *(one for one in self.cached if one != key)]
                self.ghosts = [one for one in self.ghosts if one != key]
                self.dirty |= {key} if write else set()
                self.settle()
            misses += was["ghost"] + was["cold"] > before
        self.counts["misses", write] += misses
        more, less = size + self.quantum, size - self.quantum
        with_more = -(-len(keys) // more) if len(keys) > more else was["cold"] > 0
        with_less = -(-len(keys) // less) if 0 < less < len(keys) else misses > 0 or was["tail"] > 0
        self.gain += weighs * max(misses - with_more, 0)
        self.loss += weighs * max(with_less - misses, 0)

    def drop(self, file: int) -> None:
        self.cached = [one for one in self.cached if one[0] != file]
        self.ghosts = [one for one in self.ghosts if one[0] != file]
        self.dirty = {one for one in self.dirty if one[0] != file}


def twin(
    rows: list[Row], quanta: tuple[int, int], period: int, weighs_writes: bool, fade: float
) -> tuple[Part, Part, int]:
    parts = {name: Part(block, share) for (name, block), share in zip(BLOCKS.items(), quanta, strict=True)}
    a, b = parts.values()
    requests = moves = 0
    for what, file, offset, length, name in rows:
        if what == "delete":
            a.drop(file)
            b.drop(file)
            continue
        if part := parts.get(name):
            keys = [(file, n) for n in range(offset // part.block, (offset + length - 1) // part.block + 1)]
            part.request(keys, what == "write", what == "read" or weighs_writes)
        requests += 1
        for part in (a, b):
            part.counts["space"] += part.quanta
        if period and requests % period == 0:
            winner, loser = (b, a) if b.gain > a.gain else (a, b)
            if loser.quanta > 1 and winner.gain > loser.loss:
                winner.quanta, loser.quanta, moves = winner.quanta + 1, loser.quanta - 1, moves + 1
                loser.settle()
            for part in (a, b):
                part.gain, part.loss = part.gain * fade, part.loss * fade
    return a, b, moves


@examples(300)
@given(ROWS, st.integers(2, 5), st.integers(0, 4), st.integers(1, 20), st.sampled_from(["reads", "requests"]))
def test_space_moves_as_in_the_plain_twin(
    rows: list[Row], quanta: int, period: int, half_life: int, objective: str
) -> None:
    found = adaptive_partition(
        table(rows),
        by="class",
        block_bytes=BLOCKS,
        total_bytes=quanta * QUANTUM + 3,
        quantum_bytes=QUANTUM,
        period_requests=period,
        half_life_requests=half_life,
        objective=objective,
    )
    fade = 0.5 ** (period / max(half_life, period))
    requests = sum(row[0] != "delete" for row in rows)
    *parts, moves = twin(rows, ((quanta + 1) // 2, quanta // 2), period, objective == "requests", fade)
    assert json.loads(found.schema.metadata[b"tally"])["moves"] == moves
    shown = found.to_pylist()
    assert sum(row["last_bytes"] for row in shown) == quanta * QUANTUM
    for row, part in zip(shown, parts, strict=False):
        assert row["last_bytes"] == part.quanta * QUANTUM
        assert row["least_bytes"] <= row["mean_bytes"] <= row["most_bytes"]
        assert row["mean_bytes"] == QUANTUM * (part.counts["space"] / requests if requests else part.quanta)
        assert row["read_request_misses"] == part.counts["misses", False]
        assert row["write_request_misses"] == part.counts["misses", True]
        assert (row["write_expulsions"], row["dirty_at_end"]) == (part.counts["expelled"], len(part.dirty))
    uncached = [row for row in rows if row[4] == "c" and row[0] != "delete"]
    assert shown[2]["read_request_misses"] + shown[2]["write_request_misses"] == len(uncached)


@examples(50)
@given(ROWS)
def test_a_fixed_partition_is_a_cache_for_each_part(rows: list[Row]) -> None:
    found = adaptive_partition(
        table(rows),
        by="class",
        block_bytes={"a": 4, "b": 4},
        total_bytes=40,
        quantum_bytes=20,
        period_requests=0,
    ).to_pylist()
    expected = split_curves(table(rows), by="class", sizes_bytes=[20], block_bytes=4).to_pylist()
    by_class = {row["class"]: row for row in expected}
    for row in found[:2]:
        for name in row.keys() & by_class.get(row["part"], {}).keys():
            assert row[name] == by_class[row["part"]][name], name


def test_space_goes_where_it_is_worth_something() -> None:
    """Class a loops over 12 blocks, b reads each block once: a gets all but a quantum."""
    rows = []
    for turn in range(400):
        rows += [("read", 0, 4 * (turn % 12), 4, "a"), ("read", 1, 8 * turn, 8, "b")]
    settings = {"by": "class", "block_bytes": BLOCKS, "total_bytes": 64, "quantum_bytes": QUANTUM}
    adaptive = adaptive_partition(table(rows), period_requests=10, **settings)
    fixed = adaptive_partition(table(rows), period_requests=0, **settings)
    assert adaptive.schema.equals(queries.table_schema("adaptive_partition"))
    assert adaptive["last_bytes"].to_pylist() == [48, 16, 0]
    assert fixed["read_request_misses"].to_pylist() == [400, 400, 0]
    assert adaptive["read_request_misses"].to_pylist()[0] < 100


def test_a_batch_is_the_same_row_by_row() -> None:
    """The caches follow some 32,000 blocks at a time: this batch has 40,000. First a loops and gets space, then b."""
    rows: list[Row] = []
    for turn in range(400):
        a, b = (turn % 12, 2 * turn) if turn < 200 else (2 * turn, turn % 4)
        rows += [
            ("read", 0, 4 * a, 4, "a"),
            ("write", 1, 8 * b, 8, "b"),
            ("read", 2, 4096 * turn, 409_600, "c"),
        ]
    rows[600] = ("delete", 1, 0, 1, "c")
    settings = {"by": "class", "block_bytes": BLOCKS, "total_bytes": 64, "quantum_bytes": QUANTUM}
    settings |= {"period_requests": 7, "half_life_requests": 50, "objective": "requests"}
    whole = adaptive_partition(table(rows), **settings)
    alone = adaptive_partition(iter(table(rows).to_batches(max_chunksize=1)), **settings)
    assert whole.equals(alone)
    assert json.loads(whole.schema.metadata[b"tally"])["moves"] > 1


def test_what_makes_no_sense_is_refused() -> None:
    def refused(match: str, **given: object) -> None:
        settings = {"by": "class", "block_bytes": BLOCKS, "total_bytes": 64, **given}
        with pytest.raises(UsageError, match=match):
            adaptive_partition(table([("read", 0, 0, 4, "a")]), **settings)

    refused("cannot be split into 2 parts", total_bytes=15)
    refused("multiple of every part", quantum_bytes=12)
    refused("at least one part", block_bytes={})
    refused("an objective is reads", objective="speed")
    refused("not all 0", first_shares={"c": 1.0})
    refused("no column 'type'", by="type")
