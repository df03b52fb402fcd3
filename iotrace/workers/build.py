"""Whether workers run the same iotrace: a version number stands for many builds."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from hashlib import sha256
from importlib.resources import files
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError

APART = ("queries", "schemas", "reports")
"""Packages within iotrace that are folders beside it where it is installed in place."""
ENDINGS = (".py", ".sql", ".toml", ".so")
NOT_INSTALLED = ("target", "core", "native", "fuzz", "__pycache__")
"""Folders that are in the sources only, or change by themselves."""
WHAT_HELPS = "install the same wheel there, and start the workers again"


@cache
def package_hash() -> str:
    """Return a hash of the package's code, queries and schemas, as they are installed here."""
    digest = sha256()
    for package in ("iotrace", *(f"iotrace.{name}" for name in APART)):
        root = Path(str(files(package)))
        for path in sorted(_code(root)):
            digest.update(f"{package}/{path.relative_to(root)}\n".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()


def _code(root: Path) -> Iterator[Path]:
    for folder, inner, names in os.walk(root):
        inner[:] = [name for name in inner if name not in NOT_INSTALLED + APART]
        yield from (Path(folder, name) for name in names if name.endswith(ENDINGS))


@dataclass(frozen=True)
class SameBuild:
    """A function that workers run only if their iotrace is the one of this hash, whenever they joined."""

    function: Callable[..., Any]
    build: str

    def __call__(self, *arguments: Any) -> Any:
        """Call the function; raises IotraceError on a worker with another build."""
        if package_hash() != self.build:
            raise IotraceError(f"worker {socket.gethostname()} has another build of iotrace: {WHAT_HELPS}")
        return self.function(*arguments)
