"""Fields of a text as numbers, against Python's exact decimals."""

from decimal import Decimal

import polars as pl
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.formats.disk_io.fields import decimal_ns, hexadecimal, steps_ns
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
