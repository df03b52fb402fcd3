"""What a file is that no format can be read from as it is, by its first bytes, and what to do about it."""

from __future__ import annotations

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
    """Say why a file that begins so, decompressed, cannot be read, and what helps; None where it may be readable."""
    if head.startswith(ZIP):
        return "is a zip archive: unpack it first"
    for magic, name in COMPRESSIONS.items():
        if head.startswith(magic):
            return f"is compressed twice, with {name} inside: decompress it once"
    if _is_utf_16(head):
        return "is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8"
    return None


def _is_utf_16(head: bytes) -> bool:
    """Tell text in UTF-16: it begins with a mark, or every second byte is 0 and the others are ASCII text."""
    seen = head[:LOOKED_AT]
    if seen.startswith(UTF_16):
        seen = seen[2:]
    if len(seen) < 4:
        return False
    halves = (seen[0::2], seen[1::2])
    return any(not any(zeros) and _is_ascii_text(letters) for zeros, letters in (halves, halves[::-1]))


def _is_ascii_text(content: bytes) -> bool:
    return all(32 <= byte < 127 or byte in b"\t\r\n" for byte in content)


def is_text(head: bytes) -> bool:
    """Tell whether bytes may be text: no NUL, few other control characters, and mostly UTF-8 or Latin letters."""
    if b"\0" in head:
        return False
    controls = sum(byte < 32 and byte not in b"\t\n\r\f\x1b" for byte in head)
    strange = head.decode("utf-8", "ignore").encode("utf-8")
    return controls * 20 <= len(head) and (len(head) - len(strange)) * 10 <= len(head)
