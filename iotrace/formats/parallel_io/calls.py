"""The calls of the C library and of MPI-IO by their names, as tracers of libraries record them."""

from collections.abc import Mapping
from typing import Any

OPERATION_OF: Mapping[str, str] = {
    **dict.fromkeys(("open", "openat", "creat", "fopen", "freopen"), "open"),
    **dict.fromkeys(("close", "fclose"), "close"),
    **dict.fromkeys(("read", "pread", "readv", "preadv", "preadv2", "fread"), "read"),
    **dict.fromkeys(("write", "pwrite", "writev", "pwritev", "pwritev2", "fwrite"), "write"),
    **dict.fromkeys(("lseek", "fseek", "fseeko"), "seek"),
    **dict.fromkeys(("fsync", "fdatasync"), "sync"),
    **dict.fromkeys(("truncate", "ftruncate"), "truncate"),
    **dict.fromkeys(("unlink", "unlinkat", "remove"), "delete"),
    "MPI_Barrier": "barrier",
}
"""What a call does, by its name without the 64 that some end with; other calls move no bytes of files."""
METADATA_CALLS = "calls that move no bytes"
"""The remark on other calls of files, such as stat and opendir, which are not rows of table parallel_io."""
STREAM_CALLS = ("fopen", "freopen", "fclose", "fread", "fwrite", "fseek", "fseeko")
WITH_OFFSET = ("pread", "pwrite", "preadv", "pwritev", "preadv2", "pwritev2")
WHENCE_OF = {0: "start", 1: "current", 2: "end"}
APPEND, CREATE, TRUNCATE = 0o2000, 0o100, 0o1000
"""Linux's flags of open."""


def plain(name: str) -> str:
    """Return a call's name without its variant: pread64 is pread."""
    return name.removesuffix("64")


def open_flags(flags: int | None, mode: str | None = None) -> str | None:
    """Return the flags of an open, or of a fopen by its mode, that decide where it writes; None if none does."""
    if flags is not None and 0 <= flags < 2**31:
        is_set_of = {"append": flags & APPEND, "create": flags & CREATE, "truncate": flags & TRUNCATE}
    else:
        letter = (mode or "r")[0]
        is_set_of = {"append": letter == "a", "create": letter in "aw", "truncate": letter == "w"}
    return "|".join(name for name, is_set in is_set_of.items() if is_set) or None


def number(value: Any) -> int | None:
    """Return a number that may be given as text; None for what is none."""
    if isinstance(value, str):
        digits = value[1:] if value[:1] == "-" else value
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) else round(value) if abs(value) < 2.0**63 else None
