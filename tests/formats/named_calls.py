"""What slow readers know of the calls of the C library by their names."""

from collections.abc import Mapping

WITH_OFFSET = ("pread", "pwrite", "preadv", "pwritev", "preadv2", "pwritev2")
WHENCE_OF: Mapping[int, str] = {0: "start", 1: "current", 2: "end"}
APPEND, CREATE, TRUNCATE = 0o2000, 0o100, 0o1000
"""Linux's flags of open."""


def open_flags(flags: int | None, mode: str | None = None) -> str | None:
    """Return the flags of an open, or of a fopen by its mode, that decide where it writes; None if none does."""
    if flags is not None and 0 <= flags < 2**31:
        is_set_of = {"append": flags & APPEND, "create": flags & CREATE, "truncate": flags & TRUNCATE}
    else:
        letter = (mode or "r")[0]
        is_set_of = {"append": letter == "a", "create": letter in "aw", "truncate": letter == "w"}
    return "|".join(name for name, is_set in is_set_of.items() if is_set) or None
