"""Curves over plain keys: against a list, in every form of array, and bad input."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from iotrace.analysis.curves import curve, curve_of_keys
from iotrace.errors import IotraceError

KEYS = st.lists(st.integers(0, 9) | st.integers(0, 2**64 - 1).map(lambda key: key % 41 << 58), max_size=200)


def misses_of_a_list(keys: list[int], size: int) -> int:
    """Return the misses of one LRU cache, kept as a list."""
    cache: list[int] = []
    misses = 0
    for key in keys:
        if key in cache:
            cache.remove(key)
        else:
            misses += 1
        cache = [key, *cache][:size]
    return misses


@given(KEYS, st.integers(1, 2), st.lists(st.integers(1, 60), min_size=1, max_size=5))
def test_misses_are_those_of_a_list(keys: list[int], threads: int, sizes: list[int]) -> None:
    """The misses at each size are those of a cache kept as a list, in the order of the sizes given."""
    found = curve_of_keys(np.array(keys, np.uint64), sizes_blocks=sizes, threads=threads)
    assert found["size_blocks"].to_pylist() == sizes
    assert found["block_references"].to_pylist() == [len(keys)] * len(sizes)
    assert found["block_misses"].to_pylist() == [misses_of_a_list(keys, size) for size in sizes]


@given(KEYS)
def test_rows_are_the_sizes_at_which_misses_change(keys: list[int]) -> None:
    """Without sizes, the rows are one block and each size with fewer misses than the size before."""
    found = curve_of_keys(pa.array(keys, pa.uint64()))
    misses = [misses_of_a_list(keys, size) for size in range(1, 62)]
    changes = [1] + [size for size in range(2, 62) if misses[size - 1] != misses[size - 2]]
    assert found["size_blocks"].to_pylist() == changes
    assert found["block_misses"].to_pylist() == [misses[size - 1] for size in changes]


FORMS: dict[str, Callable[[np.ndarray], Any]] = {
    "int64": lambda keys: keys,
    "uint32": lambda keys: keys.astype(np.uint32),
    "int16": lambda keys: keys.astype(np.int16),
    "every second": lambda keys: np.repeat(keys, 2)[::2],
    "Arrow": lambda keys: pa.array(keys, pa.uint64()),
    "Arrow, narrow": lambda keys: pa.array(keys, pa.int32()),
    "sliced": lambda keys: pa.concat_arrays([pa.array([5]), pa.array(keys)]).slice(1),
    "chunked": lambda keys: pa.chunked_array([keys[:7], keys[7:7], keys[7:]]),
    "stream": lambda keys: iter([keys[:300], pa.chunked_array([keys[300:301], keys[301:]])]),
    "negative": lambda keys: -1 - keys,
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_arrays_give_the_same(form: str) -> None:
    """NumPy or Arrow, whole, in chunks or streamed: the curve is that of the engine of requests."""
    keys = np.random.default_rng(3).integers(0, 300, 2000)
    requests = pa.table(
        {
            "file": pa.array(np.zeros(2000, np.int32)),
            "operation": pa.array(["read"] * 2000).dictionary_encode(),
            "offset": pa.array(keys * 4096),
            "length": pa.array(np.full(2000, 4096)),
        }
    )
    assert curve_of_keys(FORMS[form](keys)).equals(
        curve(requests).select(["size_blocks", "block_references", "block_misses"]).replace_schema_metadata()
    )


@pytest.mark.parametrize(
    ("keys", "message"),
    [
        (pa.array([1, None]), "1 of the keys are null"),
        (np.zeros(3), "not an array of float64 with 1 dimensions"),
        (np.zeros((3, 2), np.int64), "not an array of int64 with 2 dimensions"),
        (pa.array(["a"]), "not an array of string"),
        ([1, 2, 3], "not int"),
        (7, "not int"),
    ],
)
def test_keys_of_other_kinds_are_refused(keys: Any, message: str) -> None:
    """What is no integer ends in one line that says what it is."""
    with pytest.raises(IotraceError, match=message):
        curve_of_keys(keys)


@pytest.mark.parametrize("size", [0, -1, 2**32])
def test_sizes_out_of_range_are_refused(size: int) -> None:
    """A cache has at least a block, and at most 2^32 - 1."""
    with pytest.raises(IotraceError, match="at least 1 block"):
        curve_of_keys(np.arange(3), sizes_blocks=[8, size])
