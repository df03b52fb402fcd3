"""How the fields of a text become numbers: polars expressions, null if a field is none."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from iotrace.libraries import pl

FILETIME_OF_1970 = 116_444_736_000_000_000
"""1970 on Windows' clock: steps of 100 ns since 1601."""
LARGEST = 2**63 - 1
MOST_DIGITS = 18
"""A whole number of as many digits has 64 bits."""
UNKNOWN_OPERATION = "unknown operation"


def whole(name: str) -> pl.Expr:
    """Return a field as a whole number; null for what is none, or beyond 64 bits."""
    return pl.col(name).cast(pl.Int64, strict=False)


def text(template: str, *names: str) -> pl.Expr:
    """Return fields as a text: in a template with {} for each; null if one is."""
    return pl.format(template, *names)


def decimal_ns(name: str, unit_ns: int) -> pl.Expr:
    """Return a decimal field of some unit (a power of 1000 ns) as nanoseconds, exactly; what is finer is cut off.

    With an exponent the field is read as a double, which is exact to 53 bits only. Null for what is not a number, or
    beyond 64 bits.
    """
    return whole_first(name, unit_ns, lambda text: of_decimals(text, unit_ns))


def whole_first(name: str, unit: int, otherwise: Callable[[pl.Expr], pl.Expr]) -> pl.Expr:
    """Return a field as whole numbers times a unit; as `otherwise` makes it where some of a batch are anything else.

    An expression computes all that it may choose from, and regular expressions take most of the time of reading.
    """

    def made(texts: pl.Series) -> pl.Series:
        numbers = texts.cast(pl.Int64, strict=False)
        others = (
            numbers.is_null() != texts.is_null(),
            texts.str.starts_with("+"),
            texts.str.len_bytes() > MOST_DIGITS,
            numbers.abs() > LARGEST // unit - 1,
        )
        if not any(other.any() for other in others):
            return numbers * unit
        return texts.to_frame(name).select(otherwise(pl.col(name))).to_series()

    return pl.col(name).map_batches(made, pl.Int64, is_elementwise=True)


def of_decimals(text: pl.Expr, unit_ns: int) -> pl.Expr:
    """Return decimals as `decimal_ns` does."""
    digits = len(str(unit_ns)) - 1
    parts = text.str.extract_groups(rf"^(-?)([0-9]{{1,{MOST_DIGITS}}})(?:\.([0-9]*))?$")
    units = parts.struct.field("2").cast(pl.Int64, strict=False)
    fraction = parts.struct.field("3").fill_null("").str.slice(0, digits).str.pad_end(digits, "0")
    part_ns = fraction.cast(pl.Int64, strict=False).fill_null(0) if digits else pl.lit(0)
    fits = pl.when(units <= LARGEST // unit_ns - 1).then(units * unit_ns + part_ns)
    exact = pl.when(parts.struct.field("1") == "-").then(-fits).otherwise(fits)
    rounded = (text.cast(pl.Float64, strict=False) * unit_ns).round()
    inexact = pl.when(rounded.abs() < LARGEST / 2).then(rounded).cast(pl.Int64, strict=False)
    return pl.coalesce(exact, pl.when(text.str.contains("[eE]")).then(inexact))


def filetime_ns(name: str) -> pl.Expr:
    """Return a field of Windows' clock as nanoseconds since 1970; null for what is none, or beyond 64 bits."""
    since_1970 = whole(name) - FILETIME_OF_1970
    return pl.when(since_1970.abs() < LARGEST // 100).then(since_1970 * 100)


def steps_ns(name: str, step_ns: int) -> pl.Expr:
    """Return a whole number of steps as nanoseconds; null for what is none, or beyond 64 bits."""
    steps = whole(name)
    return pl.when(steps.abs() <= LARGEST // step_ns).then(steps * step_ns)


def one_of(name: str, meanings: Mapping[str, str]) -> pl.Expr:
    """Return what a field's word means, in any case; null for a word that has no meaning."""
    lower = {word.lower(): meaning for word, meaning in meanings.items()}
    return pl.col(name).str.to_lowercase().replace_strict(lower, default=None, return_dtype=pl.String)


def hexadecimal(name: str) -> pl.Expr:
    """Return a field of hexadecimal digits, with or without 0x, as a whole number; null for what is none."""
    return pl.col(name).str.replace("^0[xX]", "").str.to_integer(base=16, strict=False)


def rwbs(name: str) -> dict[str, pl.Expr]:
    """Return operation and flags of the letters that the block layer's tools print (blktrace's RWBS).

    D discard (E secure erase), W write, R read, else a leading F a flush; an F that follows is FUA, S synchronous,
    A read-ahead, M metadata.
    """
    letters = pl.col(name)
    operation = (
        pl.when(letters.str.contains("[DE]"))
        .then(pl.lit("discard"))
        .when(letters.str.contains("W"))
        .then(pl.lit("write"))
        .when(letters.str.contains("R"))
        .then(pl.lit("read"))
        .when(letters.str.starts_with("F"))
        .then(pl.lit("flush"))
    )
    flags = pl.concat_str(
        pl.when(letters.str.contains("[WRD].*F")).then(pl.lit("forced")),
        pl.when(letters.str.contains("S")).then(pl.lit("synchronous")),
        pl.when(letters.str.contains("A")).then(pl.lit("read_ahead")),
        pl.when(letters.str.contains("M")).then(pl.lit("metadata")),
        separator="|",
        ignore_nulls=True,
    )
    return {"operation": operation, "flags": pl.when(flags != "").then(flags)}
