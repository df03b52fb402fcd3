"""Fields of the requests of a key trace, and how fields of a text become such columns."""

from __future__ import annotations

from iotrace.formats.disk_io.fields import decimal_ns, of_decimals, whole, whole_first
from iotrace.libraries import pl

FIELDS = (
    "record", "time_ns", "operation", "key", "number", "size", "ttl_ns", "tenant", "hit", "duration_ns", "request",
    "tokens", "reason",
)  # fmt: skip
"""The columns of a batch. A request's key is a text (``key``) or an unsigned integer of 64 bits (``number``),
the same in all batches of a trace; ``tenant`` is a text. ``request`` numbers requests for several keys from 0."""
UNREADABLE = -(2**63)
"""Marks a field whose text is not a number."""
ENDLESS_NS = 2**63 - 1
"""Marks a time to live beyond 64 bits."""
TRUE, FALSE = ("1", "true", "hit", "yes", "t", "y"), ("0", "false", "miss", "no", "f", "n")


def size(name: str, unit_bytes: int = 1) -> pl.Expr:
    """Return a field as a number of bytes: null if it is empty, `UNREADABLE` if it is not a whole number."""

    def otherwise(text: pl.Expr) -> pl.Expr:
        units = text.str.replace(r"\.0*$", "").cast(pl.Int64, strict=False)
        fits = pl.when(units.abs() <= ENDLESS_NS // unit_bytes).then(units * unit_bytes)
        return pl.when(text != "").then(fits.fill_null(UNREADABLE))

    return whole_first(name, unit_bytes, otherwise)


def time_to_live(name: str, unit_ns: int) -> pl.Expr:
    """Return a field of some unit as nanoseconds: null if it is empty, `ENDLESS_NS` beyond 64 bits, `UNREADABLE` if it
    is not a number."""

    def otherwise(text: pl.Expr) -> pl.Expr:
        is_long = text.str.contains(r"^[0-9]+(\.[0-9]*)?$")
        far = pl.when(is_long).then(pl.lit(ENDLESS_NS)).otherwise(pl.lit(UNREADABLE))
        return pl.when(text != "").then(pl.coalesce(of_decimals(text, unit_ns), far))

    return whole_first(name, unit_ns, otherwise)


def operation(name: str) -> pl.Expr:
    """Return a field as the name of an operation, in lower case; null if it is empty."""
    word = pl.col(name).str.to_lowercase().str.strip_chars("\"' ")
    return pl.when(word != "").then(word)


def hit(name: str) -> pl.Expr:
    """Return whether a field says that the traced cache had the object; null where it says neither."""
    word = pl.col(name).str.to_lowercase()
    return pl.when(word.is_in(TRUE)).then(True).when(word.is_in(FALSE)).then(False)


def name_of(name: str) -> pl.Expr:
    """Return a field as a name; null if it is empty."""
    return pl.when(pl.col(name) != "").then(pl.col(name))


__all__ = [
    "ENDLESS_NS",
    "FIELDS",
    "UNREADABLE",
    "decimal_ns",
    "hit",
    "name_of",
    "operation",
    "size",
    "time_to_live",
    "whole",
]
