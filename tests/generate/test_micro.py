"""The micro-benchmark: sizes, offsets and operations uniform, as section 3.3 of Vilayannur et al. says."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace import schemas
from iotrace.errors import IotraceError, UsageError
from iotrace.generate.micro.generated import program_of
from iotrace.generate.micro.settings import Micro
from iotrace.option import with_texts


@given(
    st.builds(
        Micro,
        largest_blocks=st.integers(1, 5),
        largest_offset_blocks=st.integers(0, 50),
        operations=st.integers(1, 40),
        nodes=st.integers(1, 4),
        processes_per_node=st.integers(1, 3),
        compute_ns=st.integers(0, 9),
    ),
    st.integers(0, 2**32),
)
def test_bounds_turns_and_repeatability(micro: Micro, seed: int) -> None:
    table = program_of(micro, seed)
    assert table.schema.equals(schemas.schema("program"))
    processes = micro.nodes * micro.processes_per_node
    assert table["process"].to_pylist() == list(range(processes)) * micro.operations
    assert {one // micro.processes_per_node for one in range(processes)} == set(table["node"].to_pylist())
    blocks = np.asarray(table["length"]) / micro.block_bytes
    assert set(blocks) <= set(range(1, micro.largest_blocks + 1))
    first = np.asarray(table["offset"]) / micro.block_bytes
    assert set(first) <= set(range(micro.largest_offset_blocks + 1))
    assert set(table["compute_ns"].to_pylist()) == {micro.compute_ns}
    assert table.equals(program_of(micro, seed))


def test_every_choice_is_equally_likely() -> None:
    table = program_of(Micro(largest_blocks=4, largest_offset_blocks=9, operations=80_000), 1)
    choices = Counter(
        zip(
            table["operation"].cast("string").to_pylist(),
            table["length"].to_pylist(),
            table["offset"].to_pylist(),
            strict=True,
        )
    )
    assert len(choices) == 2 * 4 * 10
    expected = 80_000 / len(choices)
    chi_square = sum((count - expected) ** 2 / expected for count in choices.values())
    assert chi_square < 124  # 79 degrees of freedom, one in a thousand; the seed is fixed


def test_refusals() -> None:
    with pytest.raises(UsageError, match="largest_blocks: 0 is not from 1"):
        Micro(largest_blocks=0)
    with pytest.raises(UsageError, match="'s' is not one of"):
        with_texts(Micro(), {"s": "2"}, "--set")
    with pytest.raises(UsageError, match="nodes: 'two' is not a whole number"):
        with_texts(Micro(), {"nodes": "two"}, "--set")
    with pytest.raises(IotraceError, match="too many to make in memory"):
        program_of(Micro(operations=20_000_000, nodes=2))
