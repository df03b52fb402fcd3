"""The few forms of protobuf that a trace of Perfetto needs: fields of numbers and of bytes.

Source: https://protobuf.dev/programming-guides/encoding
"""

_NUMBER = 0
_BYTES = 2
_BITS = (1 << 64) - 1


def varint(number: int) -> bytes:
    """Return a number of 64 bits, a negative one as its two's complement."""
    if 0 <= number < 128:
        return bytes((number,))
    number &= _BITS
    encoded = bytearray()
    while number > 127:
        encoded.append(number & 127 | 128)
        number >>= 7
    encoded.append(number)
    return bytes(encoded)


def number_tag(field: int) -> bytes:
    """Return the beginning of a field that is a number, a truth or an enumeration; its `varint` follows."""
    return varint(field << 3 | _NUMBER)


def message_tag(field: int) -> bytes:
    """Return the beginning of a field that is a message, or bytes; the `varint` of its length and it follow."""
    return varint(field << 3 | _BYTES)


def number(field: int, value: int) -> bytes:
    """Return a field that is a number, a truth or an enumeration."""
    return number_tag(field) + varint(value)


def message(field: int, content: bytes) -> bytes:
    """Return a field that is a message, or bytes."""
    return message_tag(field) + varint(len(content)) + content


def text(field: int, content: str) -> bytes:
    """Return a field that is a text."""
    return message(field, content.encode("utf-8"))
