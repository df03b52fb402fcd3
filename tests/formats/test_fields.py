"""Fields of a text as numbers, against Python's exact decimals."""

import re
from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.formats.disk_io.delimited import Layout, Taken
from iotrace.formats.disk_io.fields import decimal_ns, hexadecimal, steps_ns
from iotrace.formats.key_io.requests import size, time_to_live
from iotrace.formats.reading.clock import NS_PER_MS, NS_PER_S, NS_PER_US


def value(text: str, expression: pl.Expr) -> int | None:
    found: int | None = pl.DataFrame({"x": [text]}).select(expression.alias("y"))["y"][0]
    return found


@examples(200)
@given(
    st.from_regex(r"-?[0-9]{1,20}(\.[0-9]{0,14})?", fullmatch=True),
    st.sampled_from([NS_PER_S, NS_PER_MS, NS_PER_US, 1]),
)
def test_a_decimal_is_cut_to_nanoseconds(text: str, unit_ns: int) -> None:
    exact = int(Decimal(text) * unit_ns)
    found = value(text, decimal_ns("x", unit_ns))
    whole_digits = len(text.lstrip("-").partition(".")[0])
    assert found == exact or (found is None and (whole_digits > 18 or abs(exact) > 2**63 - 1 - 2 * unit_ns))


@examples(100)
@given(st.text(max_size=12))
def test_what_is_no_number_is_null(text: str) -> None:
    found = value(text, decimal_ns("x", NS_PER_S))
    if found is not None:
        assert abs(found - float(text) * 1e9) <= 1 + abs(found) * 1e-12


def test_exponents_steps_and_hexadecimal() -> None:
    assert value("1.5e-3", decimal_ns("x", NS_PER_S)) == 1_500_000
    assert value("1e999", decimal_ns("x", NS_PER_S)) is None
    assert value("92233720368547758", steps_ns("x", 100)) == 9223372036854775800
    assert value("92233720368547759", steps_ns("x", 100)) is None
    assert (value("1F", hexadecimal("x")), value("0x1f", hexadecimal("x"))) == (31, 31)
    assert value("g", hexadecimal("x")) is None


NUMBERS = st.from_regex(r"[+-]?[0-9]{1,20}(\.[0-9]{0,3})?", fullmatch=True) | st.text("+- 0.e", max_size=4)


@examples(200)
@given(st.lists(NUMBERS | st.none(), max_size=6), st.sampled_from([NS_PER_S, NS_PER_US, 1]))
def test_a_number_does_not_depend_on_those_beside_it(texts: list[str | None], unit: int) -> None:
    """Whole numbers are read in another way where there is nothing else."""
    for expression in (decimal_ns("x", unit), size("x", unit), time_to_live("x", unit)):
        found = [
            pl.DataFrame({"x": beside}, schema={"x": pl.String}).select(expression).to_series().to_list()
            for beside in (texts, [*texts, "x"])
        ]
        assert found[0] == found[1][:-1]


@examples(200)
@given(st.lists(st.text(',,,a"\t ', max_size=12), min_size=1, max_size=6))
def test_one_field_may_hold_separators(lines: list[str]) -> None:
    names = ["time", "key", "size", "client"]
    layout = Layout(
        fields=names,
        requests=lambda: {name: pl.col(name) for name in names},
        required=["key"],
        at_least=len(names),
        may_hold_separators="key",
    )
    records = pl.int_range(len(lines), dtype=pl.Int64, eager=True)
    found = Taken(layout, lines, records, str, {}, False).read()
    for line, row in zip(lines, found.iter_rows(named=True), strict=True):
        pieces = line.strip().split(",")
        if len(pieces) < len(names):
            assert row["reason"] == "too few fields"
            continue
        expected = [pieces[0], ",".join(pieces[1:-2]), *pieces[-2:]]
        assert [row[name] for name in names] == [re.sub(r'(?s)^"(.*)"$', r"\1", text) for text in expected]
        assert row["reason"] is None
