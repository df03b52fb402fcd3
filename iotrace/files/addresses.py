"""Which paths are addresses on object storage."""

import re
from pathlib import Path

SCHEMES = ("s3", "gs", "gcs", "abfs", "abfss", "hdfs", "viewfs")
"""Of addresses that pyarrow has filesystems for."""


def is_address(word: str) -> bool:
    """Return whether a word that a user gives is an address."""
    return word.partition("://")[0] in SCHEMES and not re.search(r"\s", word)


def has_scheme(path: Path) -> bool:
    """Return whether a path begins as an address does: ``s3://``."""
    first = path.parts[0] if path.parts else ""
    return first.endswith(":") and first.removesuffix(":") in SCHEMES
