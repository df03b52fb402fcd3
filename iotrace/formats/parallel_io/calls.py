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
"""The operation of a call, by its name without the 64 that some end with; other calls are not of a file's bytes."""
STREAM_CALLS = ("fopen", "freopen", "fclose", "fread", "fwrite", "fseek", "fseeko")


def plain(name: str) -> str:
    """Return a call's name without its variant: pread64 is pread."""
    return name.removesuffix("64")


def number(value: Any) -> int | None:
    """Return a number that may be given as text; None for what is none."""
    if isinstance(value, str):
        digits = value[1:] if value[:1] == "-" else value
        return int(value) if digits.isascii() and digits.isdigit() and len(digits) <= 20 else None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if isinstance(value, int) else round(value) if abs(value) < 2.0**63 else None
