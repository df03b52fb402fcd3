"""What the file system's own work costs its processes: presets by name, a TOML file each, or a file of the user's."""

from __future__ import annotations

import tomllib
from dataclasses import asdict, dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path

from iotrace.errors import IotraceError, UsageError, reason

LONGEST_NS = 10**12


@dataclass(frozen=True)
class Overheads:
    """Means of delays; each is drawn uniformly, ± 50 %, whenever it occurs, and 0 is none.

    ``read_management_ns`` and ``write_management_ns`` pass at each access to a block of a cache, after the process has
    left its last block and before the block is looked up. ``disk_request_ns`` passes before each disk request that a
    process waits for itself. ``copy_ns_per_kbyte`` passes for each 1,024 bytes copied between a record and a block;
    only one process at a time copies from or to a buffer, ``copy_piece_bytes`` of them (0: all), and then those that
    wait have their turns: they share one memory board.
    """

    read_management_ns: int = 0
    write_management_ns: int = 0
    disk_request_ns: int = 0
    copy_ns_per_kbyte: int = 0
    copy_piece_bytes: int = 256

    def __post_init__(self) -> None:
        for name, value in asdict(self).items():
            if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= LONGEST_NS:
                raise UsageError(
                    f"overheads: {name} is {value!r}, not a whole number from 0 to {LONGEST_NS:,}"
                )


ZERO = "zero"


def names() -> list[str]:
    """Return the names of the presets."""
    found = [
        one.name.removesuffix(".toml") for one in files(__name__).iterdir() if one.name.endswith(".toml")
    ]
    return [ZERO, *sorted(found)]


@cache
def preset(name: str) -> Overheads:
    """Return overheads by the name of a preset or of a file NAME.toml; raises UsageError for one that is neither."""
    if name == ZERO:
        return Overheads()
    if name in names():
        return _read(files(__name__).joinpath(f"{name}.toml").read_text("utf-8"), name)
    if not name.endswith(".toml"):
        raise UsageError(f"overheads are {', '.join(names())}, or a file NAME.toml, not {name!r}")
    try:
        text = Path(name).read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise IotraceError(
            f"{name}: cannot be read: {reason(error) if isinstance(error, OSError) else error}"
        ) from None
    return _read(text, name)


def _read(text: str, name: str) -> Overheads:
    try:
        given = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise IotraceError(f"{name}: is no TOML: {error}") from None
    known = [one.name for one in fields(Overheads)]
    told = {key: value for key, value in given.items() if key != "sources"}
    if unknown := sorted(told.keys() - set(known)):
        raise IotraceError(f"{name}: {unknown[0]} is none of {', '.join(known)}")
    return Overheads(**told)
