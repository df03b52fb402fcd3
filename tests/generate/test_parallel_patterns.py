"""Generated patterns, compared with section 3.2 of Kotz and Ellis (1991), and with a slow twin where there is one."""

import math
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from property_tests import examples

from iotrace import schemas
from iotrace.errors import UsageError
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.settings import Computation, Operation, Pattern, Settings
from iotrace.simulate.parallel_fs.settings import Settings as FileSystem
from iotrace.simulate.parallel_fs.settings import Trials
from iotrace.simulate.parallel_fs.simulation import run
from iotrace.units import blocks

Record = tuple[int, int]
"""Offset and length."""


def by_process(table: pa.Table) -> dict[int | None, list[Record]]:
    found: dict[int | None, list[Record]] = {}
    for row in table.select(["process", "offset", "length"]).to_pylist():
        found.setdefault(row["process"], []).append((row["offset"], row["length"]))
    return found


def cut(start: int, length: int, record: float) -> list[Record]:
    """Record i ends at the byte nearest to (i + 1) times a record's length, or where the portion does."""
    found: list[Record] = []
    past = 0
    while past < length:
        end = min(round((len(found) + 1) * record), length)
        found.append((start + past, end - past))
        past = end
    return found


def twin(s: Settings) -> dict[int | None, list[Record]]:
    """The patterns without chance, written down as the paper words them."""
    share, record, every = s.bytes_per_process, s.exact_record_bytes, range(s.processes)
    long, step = s.portion_length_blocks * s.block_bytes, (s.portion_length_blocks + s.gap_length_blocks)
    step *= s.block_bytes

    def regular(turns: int, first: int, share: int) -> list[Record]:
        return [
            one
            for turn in range(-(-share // long))
            for one in cut((turn * turns + first) * step, min(long, share - turn * long), record)
        ]

    match s.pattern:
        case Pattern.LW:
            return {process: cut(0, share, record) for process in every}
        case Pattern.SEG:
            return {process: cut(process * share, share, record) for process in every}
        case Pattern.LW1:
            return {0: cut(0, share * s.processes, record)}
        case Pattern.GW:
            return {None: cut(0, share * s.processes, record)}
        case Pattern.LFP:
            return {process: regular(s.processes, process, share) for process in every}
        case _:
            return {None: regular(1, 0, share * s.processes)}


@st.composite
def patterns(draw: st.DrawFn, of: tuple[Pattern, ...] = tuple(Pattern)) -> Settings:
    pattern = draw(st.sampled_from(of))
    given: dict[str, Any] = {
        "processes": draw(st.integers(1, 9)),
        "block_bytes": draw(st.integers(1, 40)),
        "record_blocks": draw(st.sampled_from([0.125, 0.25, 1 / 3, 0.5, 1, 1.5, 2, 3.7])),
        "blocks_per_process": draw(st.integers(4, 40)),
        "seed": draw(st.integers(0, 5)),
    }
    if pattern.has_fixed_portions or pattern.has_random_portions:
        given["portion_blocks"] = draw(st.integers(4, 12))
    if pattern.has_fixed_portions:
        given["gap_blocks"] = draw(st.integers(0, 7))
    if pattern.has_random_portions:
        given["least_portion_blocks"] = draw(st.integers(1, 4))
    if given["record_blocks"] * given["block_bytes"] < 1:
        given["block_bytes"] = 8
    return Settings(pattern, **given)


REGULAR = (Pattern.LW, Pattern.LFP, Pattern.SEG, Pattern.GW, Pattern.GFP, Pattern.LW1)


@examples(300)
@given(patterns(REGULAR))
def test_patterns_without_chance_are_as_worded(one: Settings) -> None:
    assert by_process(program(one)) == twin(one)


@examples(300)
@given(patterns())
def test_every_pattern_accesses_its_share_inside_the_file(one: Settings) -> None:
    table = program(one)
    assert table.schema.equals(schemas.schema("program"))
    assert table.equals(program(one))
    offset, length = np.asarray(table["offset"]), np.asarray(table["length"])
    assert offset.min() >= 0 and length.min() >= 1 and length.max() <= math.ceil(one.exact_record_bytes)
    assert (offset + length).max() <= one.extent_blocks * one.block_bytes
    if one.pattern is not Pattern.RND:
        assert length.sum() == one.total_blocks * one.block_bytes
        own = {process: sum(n for _, n in records) for process, records in by_process(table).items()}
        assert len(set(own.values())) == 1


@pytest.mark.parametrize("parts", [2, 3, 5, 7, 11])
@pytest.mark.parametrize("block", [1024, 4096, 1000])
def test_so_many_records_of_a_fraction_are_exactly_a_block(parts: int, block: int) -> None:
    for pattern in Pattern:
        table = program(
            Settings(pattern, processes=4, blocks_per_process=200, block_bytes=block, record_blocks=1 / parts)
        )
        offset, length = np.asarray(table["offset"]), np.asarray(table["length"])
        assert (offset // block == (offset + length - 1) // block).all(), pattern  # none is in two blocks
        assert table.num_rows == 4 * 200 * parts, pattern
        assert set(length) <= {block // parts, -(-block // parts)}
        if pattern is not Pattern.RND:
            assert length.sum() == 4 * 200 * block


def test_the_verb_accesses_each_block_by_each_of_its_records() -> None:
    """What `iotrace parallel gw --record 1/3` does: 3 accesses a block, not 4."""
    made = Settings(Pattern.GW, record_blocks=blocks("1/3"), blocks_per_process=30)
    (row,) = run(None, [FileSystem(buffers=80, pattern=made)], Trials(1)).to_pylist()
    assert (row["records"], row["accesses"]) == (1800, 1800)
    assert (row["disk_reads"], row["hit_ratio"]) == (600, pytest.approx(2 / 3))


@examples(200)
@given(patterns((Pattern.LRP, Pattern.GRP)))
def test_random_portions_are_contiguous_blocks_of_the_drawn_lengths(one: Settings) -> None:
    assume(float(one.exact_record_bytes).is_integer())
    for records in by_process(program(one)).values():
        portions: list[Record] = []
        for offset, length in records:
            last = portions[-1] if portions else (-1, 0)
            if offset != sum(last) or last[1] % one.record_bytes:
                portions.append((offset, length))
            else:
                portions[-1] = (last[0], last[1] + length)
        for offset, length in portions[:-1]:
            assert offset % one.block_bytes == length % one.block_bytes == 0
            assert length >= one.least_portion_blocks * one.block_bytes


def test_random_portions_have_their_mean_and_bounds() -> None:
    one = Settings(Pattern.LRP, processes=4, blocks_per_process=40_000, portion_blocks=10, record_blocks=10)
    table = program(one)
    lengths = np.asarray(table["length"])
    starts = np.asarray(table["offset"])
    new = np.r_[True, starts[1:] != starts[:-1] + lengths[:-1]]
    blocks = np.add.reduceat(lengths, np.flatnonzero(new)) / 1024
    assert blocks.mean() == pytest.approx(10, abs=0.2)
    assert starts.mean() / 1024 == pytest.approx(80_000, rel=0.02)


def test_random_records_are_uniform_over_the_file_with_replacement() -> None:
    table = program(Settings(Pattern.RND, processes=4, blocks_per_process=10_000))
    record = np.asarray(table["offset"]) // 1024
    assert len(np.unique(record)) / 40_000 == pytest.approx(1 - np.exp(-1), abs=0.01)
    assert record.mean() == pytest.approx(20_000, rel=0.02)


def test_the_defaults_are_the_paper_s_base_parameters() -> None:
    for pattern in Pattern:
        table = program(Settings(pattern))
        assert table.num_rows in (4000, 20 * 204) or pattern is Pattern.LRP
        assert np.asarray(table["length"]).sum() == 4000 * 1024
    assert set(program(Settings(Pattern.LW1))["operation"].to_pylist()) == {"write"}
    assert set(program(Settings(Pattern.SEG, Operation.WRITE))["operation"].to_pylist()) == {"write"}
    assert program(Settings(Pattern.GW))["process"].null_count == 4000


def test_computation() -> None:
    mean = 30_000_000
    drawn = program(Settings(Pattern.GW, computation=Computation.EXPONENTIAL, compute_mean_ns=mean))
    assert np.asarray(drawn["compute_ns"]).mean() == pytest.approx(mean, rel=0.05)
    assert np.asarray(drawn["compute_ns"]).std() == pytest.approx(mean, rel=0.1)
    constant = program(Settings(Pattern.GW, computation=Computation.CONSTANT, compute_mean_ns=mean))
    assert set(constant["compute_ns"].to_pylist()) == {mean}
    accesses = ["process", "offset", "length"]
    assert drawn.select(accesses).equals(constant.select(accesses))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pattern": Pattern.SEG, "processes": 0}, "processes is 0: at least 1"),
        ({"pattern": Pattern.SEG, "block_bytes": 0}, "block_bytes is 0"),
        ({"pattern": Pattern.SEG, "blocks_per_process": 0}, "blocks_per_process is 0"),
        ({"pattern": Pattern.SEG, "record_blocks": 0}, "record_blocks is 0"),
        ({"pattern": Pattern.SEG, "record_blocks": float("nan")}, "record_blocks is nan"),
        ({"pattern": Pattern.SEG, "record_blocks": 1e-4}, "is shorter than a byte"),
        ({"pattern": Pattern.SEG, "record_blocks": 300}, "is longer than each process's"),
        (
            {"pattern": Pattern.SEG, "file_blocks": 3999},
            "longer than the file: it needs 4,000 blocks, not 3,999",
        ),
        ({"pattern": Pattern.LW, "file_blocks": 199}, "it needs 200 blocks"),
        ({"pattern": Pattern.GFP, "file_blocks": 7799}, "it needs 7,800 blocks"),
        ({"pattern": Pattern.LRP, "file_blocks": 18}, "it needs 19 blocks"),
        ({"pattern": Pattern.LFP, "portion_blocks": 0}, "portion_blocks is 0"),
        ({"pattern": Pattern.LFP, "portion_blocks": 3, "record_blocks": 4}, "shorter than a record"),
        ({"pattern": Pattern.SEG, "portion_blocks": 3}, "has no portions"),
        ({"pattern": Pattern.LRP, "gap_blocks": 3}, "has no gaps"),
        ({"pattern": Pattern.LFP, "gap_blocks": -1}, "gap_blocks is -1"),
        ({"pattern": Pattern.GFP, "least_portion_blocks": 2}, "has no random portions"),
        ({"pattern": Pattern.LRP, "least_portion_blocks": 11}, "not from 1 to the mean, 10"),
        ({"pattern": Pattern.GW, "compute_mean_ns": 5}, "computation none"),
        ({"pattern": Pattern.GW, "blocks_per_process": 10**9}, "at most 200,000,000 records"),
        ({"pattern": Pattern.GW, "seed": -1}, "seed is -1"),
    ],
)
def test_what_does_not_fit_together_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Settings(**given)
