"""The library of drives, and a user's own."""

from pathlib import Path

from iotrace.errors import IotraceError, reason
from iotrace.files.library import Library, read_toml
from iotrace.simulate.disk.description import Description, DriveFileError
from iotrace.simulate.disk.disksim import ENDINGS, read_disksim

LIBRARY = Library(
    "iotrace.simulate.disk",
    "drives",
    "--disk: {name!r} is not one of {known}, nor a file NAME.toml, .parv or .diskspecs",
)
names = LIBRARY.names


def drive(name_or_path: str) -> Description:
    """Return a drive of the library, or the one that a file describes (a name with a dot or a slash): TOML, or
    DiskSim's .parv and .diskspecs.

    Raises UsageError for a name that is none, IotraceError for a file that cannot be read, and DriveFileError for an
    invalid one.
    """
    path, name = Path(name_or_path), name_or_path.lower()
    if name not in names() and ("." in name or "/" in name or path.exists()):
        return read(path)
    return LIBRARY.read(name if name in names() else name_or_path, Description.from_table)


def read(path: Path) -> Description:
    """Read a drive's file and check it whole; errors name the file and the key."""
    if path.suffix.lower() not in ENDINGS:
        return read_toml(path, lambda table: _checked(Description.from_table(table)), DriveFileError)
    try:
        return _checked(read_disksim(path))
    except OSError as error:
        raise IotraceError(f"{path}: {reason(error)}") from None
    except DriveFileError as error:
        named = str(error).startswith(str(path.parent / path.stem))
        raise error if named else DriveFileError(f"{path}: {error}") from None


def _checked(description: Description) -> Description:
    _ = description.native
    return description
