"""Footers of Parquet files, taken apart and put together again."""

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.store import thrift
from iotrace.store.thrift import BINARY, DOUBLE, FALSE, I64, LIST, STRUCT, TRUE, Elements, Structure, Typed

WHOLE = st.integers(-(2**63), 2**63 - 1)
BOOLS = st.booleans().map(lambda value: Typed(TRUE if value else FALSE, value))
PLAIN = st.one_of(
    WHOLE.map(lambda value: Typed(I64, value)),
    st.binary().map(lambda value: Typed(BINARY, value)),
    st.binary(min_size=8, max_size=8).map(lambda value: Typed(DOUBLE, value)),
    BOOLS,
    st.lists(WHOLE, max_size=20).map(lambda values: Typed(LIST, Elements(I64, values))),
)
NUMBERS = st.integers(1, 2**15 - 1)


def structures(fields: st.SearchStrategy[Typed]) -> st.SearchStrategy[Structure]:
    return st.dictionaries(NUMBERS, fields, max_size=5).map(Structure)


@examples(300)
@given(structures(st.recursive(PLAIN, lambda inner: structures(inner).map(lambda one: Typed(STRUCT, one)))))
def test_structures_survive(structure: Structure) -> None:
    assert thrift.parse(thrift.serialized(structure)) == structure


def test_a_footer_of_arrow_is_written_byte_for_byte(tmp_path: Path) -> None:
    table = pa.table(
        {"number": [1, None, 3], "name": pa.array(["a", "b", "a"]).dictionary_encode(), "part": [0.5, 1, 2]}
    )
    pq.write_table(table, tmp_path / "table.parquet", row_group_size=2)
    data = (tmp_path / "table.parquet").read_bytes()
    footer = data[-8 - int.from_bytes(data[-8:-4], "little") : -8]
    assert thrift.serialized(thrift.parse(footer)) == footer


@examples(100)
@given(st.binary(max_size=40))
def test_other_bytes_are_no_structure_or_an_error(data: bytes) -> None:
    try:
        thrift.parse(data)
    except ValueError:
        return


def test_a_structure_that_ends_early_is_an_error() -> None:
    whole = thrift.serialized(Structure({1: Typed(BINARY, b"four")}))
    with pytest.raises(ValueError, match="ends early"):
        thrift.parse(whole[:-2])
