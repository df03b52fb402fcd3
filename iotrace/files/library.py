"""Descriptions in TOML: the package's library, by name, and the user's, by path."""

import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from iotrace.errors import IotraceError, UsageError, reason

Made = TypeVar("Made")
Make = Callable[[dict[str, Any]], Made]
"""Makes something of what a TOML file holds; raises ValueError or IotraceError for invalid values."""


@dataclass(frozen=True)
class Library:
    """The TOML files in a folder of a package."""

    package: str
    folder: str
    refusal: str
    """The message for an unknown name, with fields for the ``name`` and for those that are ``known``."""

    def names(self) -> tuple[str, ...]:
        """Return the names of the files, without their ending."""
        listed = (entry.name for entry in (files(self.package) / self.folder).iterdir())
        return tuple(sorted(name.removesuffix(".toml") for name in listed if name.endswith(".toml")))

    def read(self, name: str, make: Make[Made]) -> Made:
        """Return what is made of the file of this name; raises UsageError for a name that is none."""
        if name not in self.names():
            raise UsageError(self.refusal.format(name=name, known=", ".join(self.names())))
        return make(tomllib.loads((files(self.package) / self.folder / f"{name}.toml").read_text("utf-8")))

    def find(self, name_or_path: str, make: Make[Made]) -> Made:
        """Return what is made of a file of the library, or of the user's (a name with a dot or a slash).

        Raises UsageError for a name that is neither, and IotraceError as `read_toml` does.
        """
        path = Path(name_or_path)
        is_path = "." in name_or_path or "/" in name_or_path or path.exists()
        is_known = name_or_path in self.names()
        return read_toml(path, make) if is_path and not is_known else self.read(name_or_path, make)


def read_toml(path: Path, make: Make[Made], error: type[IotraceError] = IotraceError) -> Made:
    """Return what is made of a user's TOML file.

    Raises IotraceError for a file that cannot be read, and `error`, both naming the file, for an invalid one.
    """
    try:
        return make(tomllib.loads(path.read_text("utf-8")))
    except UsageError:
        raise
    except OSError as refused:
        raise IotraceError(f"{path}: {reason(refused)}") from None
    except UnicodeDecodeError:
        raise error(f"{path}: is not UTF-8 text") from None
    except (IotraceError, ValueError, RecursionError) as mistake:  # TOMLDecodeError is a ValueError
        raise error(f"{path}: {mistake}") from None
