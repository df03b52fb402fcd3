"""Thrift's compact protocol, in which the footers of Parquet files are written: any structure, without its meaning.

https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

TRUE, FALSE, BYTE, I16, I32, I64, DOUBLE, BINARY, LIST, SET, MAP, STRUCT = range(1, 13)
_INTEGERS = (I16, I32, I64)
_LONG = 15
"""The length of a list that is written apart."""


class Typed(NamedTuple):
    """A value and its type: bool, int, bytes (also those of a double), `Elements` or `Structure`."""

    kind: int
    value: Any


@dataclass(frozen=True)
class Elements:
    """A list or a set: the values, and the type of all of them."""

    kind: int
    values: list[Any]


@dataclass(frozen=True)
class Structure:
    """The fields of a structure, by their numbers."""

    fields: dict[int, Typed]

    def get(self, number: int) -> Any:
        """Return the value of a field, or None."""
        field = self.fields.get(number)
        return field and field.value

    def set(self, number: int, value: Any) -> None:
        """Change the value of a field that exists; its type stays."""
        self.fields[number] = Typed(self.fields[number].kind, value)


def parse(data: bytes) -> Structure:
    """Return the structure that these bytes begin with. Raises ValueError if they hold none, or a map."""
    try:
        return _Reader(data).structure()
    except IndexError:
        raise ValueError("a structure of Thrift ends early") from None


class _Reader:
    def __init__(self, data: bytes) -> None:
        self._data = data
        self._at = 0

    def _byte(self) -> int:
        self._at += 1
        return self._data[self._at - 1]

    def _bytes(self, count: int) -> bytes:
        self._at += count
        if self._at > len(self._data):
            raise IndexError
        return self._data[self._at - count : self._at]

    def _unsigned(self) -> int:
        value = shift = 0
        while True:
            byte = self._byte()
            value |= (byte & 0x7F) << shift
            if byte < 0x80:
                return value
            shift += 7

    def _signed(self) -> int:
        value = self._unsigned()
        return value >> 1 ^ -(value & 1)

    def structure(self) -> Structure:
        fields: dict[int, Typed] = {}
        number = 0
        while head := self._byte():
            number = number + (head >> 4) if head >> 4 else self._signed()
            kind = head & 15
            fields[number] = Typed(kind, kind == TRUE if kind in (TRUE, FALSE) else self._value(kind))
        return Structure(fields)

    def _value(self, kind: int) -> Any:
        if kind in _INTEGERS:
            return self._signed()
        if kind == BINARY:
            return self._bytes(self._unsigned())
        if kind == STRUCT:
            return self.structure()
        if kind in (LIST, SET):
            head = self._byte()
            count = self._unsigned() if head >> 4 == _LONG else head >> 4
            return Elements(head & 15, [self._value(head & 15) for _ in range(count)])
        if kind in (TRUE, FALSE, BYTE):
            return self._byte()
        if kind == DOUBLE:
            return self._bytes(8)
        raise ValueError(f"a structure of Thrift has a value of type {kind}")


def serialized(structure: Structure) -> bytes:
    """Return a structure as bytes."""
    written = bytearray()
    _write_structure(structure, written)
    return bytes(written)


def _write_structure(structure: Structure, written: bytearray) -> None:
    before = 0
    for number, (kind, value) in structure.fields.items():
        is_bool = kind in (TRUE, FALSE)
        code = (TRUE if value else FALSE) if is_bool else kind
        step = number - before
        before = number
        if 0 < step < _LONG + 1:
            written.append(step << 4 | code)
        else:
            written.append(code)
            _write_unsigned(_zigzag(number), written)
        if not is_bool:
            _write_value(kind, value, written)
    written.append(0)


def _write_value(kind: int, value: Any, written: bytearray) -> None:
    if kind in _INTEGERS:
        _write_unsigned(_zigzag(value), written)
    elif kind == BINARY:
        _write_unsigned(len(value), written)
        written += value
    elif kind == STRUCT:
        _write_structure(value, written)
    elif kind in (LIST, SET):
        count = len(value.values)
        written.append(min(count, _LONG) << 4 | value.kind)
        if count >= _LONG:
            _write_unsigned(count, written)
        for one in value.values:
            _write_value(value.kind, one, written)
    elif kind == DOUBLE:
        written += value
    else:
        written.append(value)


def _zigzag(value: int) -> int:
    return value << 1 ^ value >> 63


def _write_unsigned(value: int, written: bytearray) -> None:
    while value >= 0x80:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
