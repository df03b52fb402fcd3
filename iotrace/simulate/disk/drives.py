"""The library of drives, and a user's own."""

from __future__ import annotations

import tomllib
from importlib.resources import files
from pathlib import Path

from iotrace.errors import IotraceError, UsageError, reason
from iotrace.simulate.disk.description import Description, DriveFileError
from iotrace.simulate.disk.disksim import ENDINGS, read_disksim


def names() -> tuple[str, ...]:
    """Return the names of the library's drives."""
    folder = files(__package__) / "drives"
    return tuple(
        sorted(one.name.removesuffix(".toml") for one in folder.iterdir() if one.name.endswith(".toml"))
    )


def drive(name_or_path: str) -> Description:
    """Return a drive of the library, or the one that a file describes (a name with a dot or a slash): TOML, or
    DiskSim's .parv and .diskspecs.

    Raises UsageError for a name that is none, IotraceError for a file that cannot be read, and DriveFileError for one
    that makes no sense.
    """
    if name_or_path.lower() in names():
        text = (files(__package__) / "drives" / f"{name_or_path.lower()}.toml").read_text("utf-8")
        return Description.from_table(tomllib.loads(text))
    path = Path(name_or_path)
    if "." in name_or_path or "/" in name_or_path or path.exists():
        return read(path)
    raise UsageError(
        f"--disk: {name_or_path!r} is not one of {', '.join(names())}, nor a file NAME.toml, .parv or .diskspecs"
    )


def read(path: Path) -> Description:
    """Read a drive's file and check it whole; errors name the file and the key."""
    try:
        if path.suffix.lower() in ENDINGS:
            description = read_disksim(path)
        else:
            description = Description.from_table(tomllib.loads(path.read_text("utf-8")))
        _ = description.native
    except OSError as error:
        raise IotraceError(f"{path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise DriveFileError(f"{path}: is not UTF-8 text") from None
    except tomllib.TOMLDecodeError as error:
        raise DriveFileError(f"{path}: {error}") from None
    except DriveFileError as error:
        named = str(error).startswith(str(path.parent / path.stem))
        raise error if named else DriveFileError(f"{path}: {error}") from None
    return description
