"""Damage to the bytes of a trace: each function takes a generator of random numbers and bytes, and returns others."""

import random
import re
import struct
from collections.abc import Callable, Sequence

EDGES = [
    sign * (2**bits + by) for bits in (31, 32, 53, 54, 62, 63, 64) for by in (-1, 0, 1) for sign in (1, -1)
]
NUMBERS = (
    *b"0 1 -1 511 4096 65536 0.5 1e308 1e999 nan inf -0 00017 0x7fffffffffffffff".split(),
    *(str(edge).encode() for edge in EDGES),
    b"9" * 25,
    b"9" * 400,
    "\N{ARABIC-INDIC DIGIT THREE}".encode(),
)
"""Numbers at the edges of what types hold, and words that some parsers take for numbers."""
WORDS = (
    0,
    1,
    2,
    7,
    0x7F,
    0xFF,
    2**15,
    2**16 - 1,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**62,
    2**63 - 1,
    2**63,
    2**64 - 1,
)
"""Integers that binary fields are overwritten with."""
ESCAPES = (
    b"\x1b]0;title\x07",
    b"\x1b[31m",
    b"\r",
    b"\x08",
    b"\x7f",
    "\N{RIGHT-TO-LEFT OVERRIDE}".encode(),
    b"\xc2\x9b2J",
)
LONGEST_BYTES = 1 << 20

Mutation = Callable[[random.Random, bytes], bytes]


def flip_bits(draw: random.Random, content: bytes) -> bytes:
    """Flip some bits."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 8, 64))):
        if changed:
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
    return bytes(changed)


def overwrite(draw: random.Random, content: bytes) -> bytes:
    """Overwrite a piece with noise, zeros or ones."""
    start, end = _piece(draw, content)
    filling = draw.choice((draw.randbytes(end - start), bytes(end - start), b"\xff" * (end - start)))
    return content[:start] + filling + content[end:]


def truncate(draw: random.Random, content: bytes) -> bytes:
    """Keep the beginning, or the end."""
    place = draw.randrange(len(content) + 1)
    return content[:place] if draw.random() < 0.7 else content[place:]


def cut_out(draw: random.Random, content: bytes) -> bytes:
    """Take a piece out."""
    start, end = _piece(draw, content)
    return content[:start] + content[end:]


def move_a_piece(draw: random.Random, content: bytes) -> bytes:
    """Insert a piece of the same content at another place."""
    start, end = _piece(draw, content)
    place = draw.randrange(len(content) + 1)
    return content[:place] + content[start:end] + content[place:]


def double_lines(draw: random.Random, content: bytes) -> bytes:
    """Write a line many times."""
    lines = content.splitlines(keepends=True) or [content]
    place = draw.randrange(len(lines))
    return b"".join([*lines[:place], lines[place] * draw.choice((2, 3, 50)), *lines[place:]])[:LONGEST_BYTES]


def shuffle_lines(draw: random.Random, content: bytes) -> bytes:
    """Write the lines in another order."""
    lines = content.splitlines(keepends=True)
    draw.shuffle(lines)
    return b"".join(lines)


def join_lines(draw: random.Random, content: bytes) -> bytes:
    """Take out some ends of lines."""
    lines = content.split(b"\n")
    return b"".join(line + (b"\n" if draw.random() < 0.8 else b"") for line in lines)


def change_numbers(draw: random.Random, content: bytes) -> bytes:
    """Write other numbers where the text has some."""
    places = list(re.finditer(rb"-?\d+(?:\.\d+)?", content))
    for found in sorted(
        draw.sample(places, min(len(places), draw.choice((1, 1, 2, 6)))), key=lambda one: -one.start()
    ):
        content = content[: found.start()] + draw.choice(NUMBERS) + content[found.end() :]
    return content


def change_fields(draw: random.Random, content: bytes) -> bytes:
    """Overwrite aligned integers, those of the header most often."""
    changed = bytearray(content)
    for _ in range(draw.choice((1, 1, 2, 4))):
        code, width = draw.choice((("H", 2), ("I", 4), ("Q", 8)))
        reach = len(changed) - width if draw.random() < 0.5 else min(len(changed) - width, 64)
        if reach >= 0:
            place = draw.randrange(reach // width + 1) * width
            value = draw.choice(WORDS) & ((1 << 8 * width) - 1)
            struct.pack_into(draw.choice("<>") + code, changed, place, value)
    return bytes(changed)


def lie_in_the_header(draw: random.Random, content: bytes) -> bytes:
    """Change numbers in the first lines, or fields in the first bytes."""
    end = min(len(content), draw.choice((16, 64, 256)))
    change = change_numbers if content[:end].isascii() else change_fields
    return change(draw, content[:end]) + content[end:]


def insert_nul(draw: random.Random, content: bytes) -> bytes:
    """Insert NUL bytes, as holes in files have."""
    place = draw.randrange(len(content) + 1)
    return content[:place] + bytes(draw.choice((1, 3, 512, 4096))) + content[place:]


def insert_escapes(draw: random.Random, content: bytes) -> bytes:
    """Insert control characters where letters are."""
    places = [found.start() for found in re.finditer(rb"[A-Za-z]", content)] or [0]
    for place in sorted(draw.sample(places, min(len(places), 3)), reverse=True):
        content = content[:place] + draw.choice(ESCAPES) + content[place:]
    return content


def insert_a_long_line(draw: random.Random, content: bytes) -> bytes:
    """Insert a very long line."""
    lines = content.splitlines(keepends=True)
    place = draw.randrange(len(lines) + 1)
    long = draw.choice((b"a", b"0,", b"(", b'"', b"\xff", b"9")) * draw.choice((1_000, 30_000, 200_000))
    return b"".join([*lines[:place], long + b"\n", *lines[place:]])


def dos_lines(draw: random.Random, content: bytes) -> bytes:
    """End lines as DOS does."""
    return content.replace(b"\n", b"\r\n")


def utf_16(draw: random.Random, content: bytes) -> bytes:
    """Write the text as PowerShell's redirection does."""
    return content.decode("latin-1").encode(draw.choice(("utf-16", "utf-16-le", "utf-16-be")))


def latin_1(draw: random.Random, content: bytes) -> bytes:
    """Put letters into it that are no UTF-8."""
    places = [found.start() for found in re.finditer(rb"[a-z]", content)]
    changed = bytearray(content)
    for place in draw.sample(places, min(len(places), 5)):
        changed[place] = draw.choice(b"\xe4\xf6\xfc\xdf\xe9\xa0\xff")
    return bytes(changed)


def byte_order_mark(draw: random.Random, content: bytes) -> bytes:
    """Begin with UTF-8's mark."""
    return b"\xef\xbb\xbf" + content


def comment_first(draw: random.Random, content: bytes) -> bytes:
    """Begin with a comment, or make one of the first line."""
    return draw.choice((b"# ", b"#", b"# a comment\n", b"\n\n")) + content


def repeat(draw: random.Random, content: bytes) -> bytes:
    """Write all of it several times."""
    return (content * draw.choice((2, 10, 60)))[:LONGEST_BYTES]


MUTATIONS: Sequence[Mutation] = (
    flip_bits,
    overwrite,
    truncate,
    cut_out,
    move_a_piece,
    double_lines,
    shuffle_lines,
    join_lines,
    change_numbers,
    change_numbers,
    change_fields,
    lie_in_the_header,
    insert_nul,
    insert_escapes,
    insert_a_long_line,
    dos_lines,
    utf_16,
    latin_1,
    byte_order_mark,
    comment_first,
    repeat,
)
"""All of them; numbers twice, since most fields are some."""


def splice(draw: random.Random, content: bytes, other: bytes) -> bytes:
    """Return the beginning of one trace with a piece of another, and perhaps its own end after that."""
    place = draw.randrange(len(content) + 1)
    start, end = _piece(draw, other)
    return content[:place] + other[start:end] + (content[place:] if draw.random() < 0.5 else b"")


def mutated(draw: random.Random, content: bytes, others: Sequence[bytes]) -> tuple[bytes, list[str]]:
    """Return some bytes damaged in one to four ways, and what the ways are called."""
    ways: list[str] = []
    for _ in range(draw.choice((0, 1, 1, 1, 2, 2, 3, 4))):
        if draw.random() < 0.12:
            content = splice(draw, content, draw.choice(others))
            ways.append("splice")
        else:
            mutation = draw.choice(MUTATIONS)
            content = mutation(draw, content)
            ways.append(mutation.__name__)
    return content[: 4 * LONGEST_BYTES], ways


def _piece(draw: random.Random, content: bytes) -> tuple[int, int]:
    start = draw.randrange(len(content) + 1)
    return start, min(len(content), start + draw.choice((1, 4, 16, 100, 1000)))
