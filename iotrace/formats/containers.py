"""Containers from which no format can be read, by their first bytes, and what to do about it."""

COMPRESSIONS = {
    b"\x1f\x8b\x08": "gzip",
    b"\x28\xb5\x2f\xfd": "zstd",
    b"\xfd7zXZ\x00": "xz",
    **{b"BZh%d1AY&SY" % level: "bzip2" for level in range(1, 10)},
}
"""How compressed data begin."""
ZIP = b"PK\x03\x04"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")
"""Byte order marks."""
LOOKED_AT = 256
"""How many bytes show whether a text without a mark is UTF-16."""


def unreadable(head: bytes) -> str | None:
    """Say why a file that begins so, decompressed, cannot be read, and what helps; None if it may be readable."""
    if head.startswith(ZIP):
        return "is a zip archive: unpack it first"
    for magic, name in COMPRESSIONS.items():
        if head.startswith(magic):
            return f"is compressed twice, with {name} inside: decompress it once"
    if _is_utf_16(head):
        return "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    return None


def _is_utf_16(head: bytes) -> bool:
    """Return whether text is UTF-16: every second byte is 0 and the others are ASCII; after a mark, most of them."""
    has_mark = head.startswith(UTF_16)
    seen = head[2:LOOKED_AT] if has_mark else head[:LOOKED_AT]
    pairs = len(seen) // 2
    needed = pairs / 2 if has_mark else pairs
    letters = [_ascii_pairs(seen, order) for order in (0, 1)]
    return pairs > 1 and max(letters) >= needed


def _ascii_pairs(content: bytes, order: int) -> int:
    """Return how many pairs of bytes are a letter and 0, the letter first or second."""
    letters, zeros = content[order::2], content[1 - order :: 2]
    return sum(
        not zero and (32 <= letter < 127 or letter in b"\t\r\n")
        for letter, zero in zip(letters, zeros, strict=False)
    )


def is_text(head: bytes) -> bool:
    """Return whether bytes may be text: no NUL, few other control characters, and mostly UTF-8 or Latin letters."""
    if b"\0" in head:
        return False
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    strange = head.decode("utf-8", "ignore").encode("utf-8")
    return controls * 20 <= len(head) and (len(head) - len(strange)) * 10 <= len(head)
