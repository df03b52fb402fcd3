"""Which paths are addresses on object storage."""

import re
from pathlib import Path

SCHEME = "s3"
"""How the addresses that can be read and written begin."""


def is_address(word: str) -> bool:
    """Return whether a word that a user gives is an address."""
    return word.startswith(f"{SCHEME}://") and not re.search(r"\s", word)


def has_scheme(path: Path) -> bool:
    """Return whether a path begins as an address does: ``s3://``."""
    return path.parts[:1] == (f"{SCHEME}:",)
