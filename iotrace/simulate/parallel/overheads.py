"""What a parallel file system spends besides its disks: presets, and what files describe.

A preset is a TOML file with `name`, optionally `sources` (a sentence each), `fitted` (the cells of a paper's tables on
which its numbers were fitted) and `copy_piece_bytes`, and a table `mean` with the four means, in milliseconds, that `Overheads` explains.
"""

from __future__ import annotations

import tomllib
from dataclasses import dataclass, fields
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError, UsageError, reason

LONGEST_MS = 3.6e6
"""An hour: longer is a mistake."""
LARGEST_PIECE = 1 << 40


@dataclass(frozen=True)
class Fitted:
    """A cell of a paper's tables on which a mean was fitted."""

    table: str
    pattern: str
    record: str
    cache: bool
    gives: str
    """The mean, by the key of the file."""


@dataclass(frozen=True)
class Overheads:
    """Delays of processes, each drawn within ± 50 % of its mean, in nanoseconds; 0 is none.

    Management is paid at each access to a block of the cache, after the process has left the block that it used
    before and before it looks for the new one: what nobody holds in this time may be taken or written. A disk request
    is paid by whoever waits for its end; writes that nobody waits for cost nobody anything. A copy is between buffer
    and process; those who copy from or to the same buffer take turns after each ``copy_piece_bytes``, as one memory
    board serves them (0: after each copy).
    """

    name: str = "zero"
    read_management_ns: int = 0
    write_management_ns: int = 0
    disk_request_ns: int = 0
    copy_ns_per_kbyte: int = 0
    copy_piece_bytes: int = 256
    sources: tuple[str, ...] = ()
    fitted: tuple[Fitted, ...] = ()


ZERO = Overheads()
_MEANS = {
    "read_management_ms": "read_management_ns",
    "write_management_ms": "write_management_ns",
    "disk_request_ms": "disk_request_ns",
    "copy_ms_per_kbyte": "copy_ns_per_kbyte",
}
_PRESETS = "presets"


@cache
def names() -> tuple[str, ...]:
    """Return what presets are called: zero, then those of the library."""
    place = files(__package__) / _PRESETS
    found = sorted(one.name.removesuffix(".toml") for one in place.iterdir() if one.name.endswith(".toml"))
    return ("zero", *found)


def overheads(name_or_path: str) -> Overheads:
    """Return a preset, or what a file describes (a name with a dot or a slash).

    Raises UsageError for a name that is none, and IotraceError for a file that cannot be read or makes no sense.
    """
    if name_or_path == ZERO.name:
        return ZERO
    if name_or_path in names():
        return _preset(name_or_path)
    if "." in name_or_path or "/" in name_or_path:
        return _read(Path(name_or_path))
    raise UsageError(f"--overheads: {name_or_path!r} is not one of {', '.join(names())}, nor a file NAME.toml")


@cache
def _preset(name: str) -> Overheads:
    text = (files(__package__) / _PRESETS / f"{name}.toml").read_text("utf-8")
    return from_table(tomllib.loads(text))


def _read(path: Path) -> Overheads:
    try:
        return from_table(tomllib.loads(path.read_text("utf-8")))
    except OSError as error:
        raise IotraceError(f"{path}: {reason(error)}") from None
    except UnicodeDecodeError:
        raise IotraceError(f"{path}: is not UTF-8 text") from None
    except (tomllib.TOMLDecodeError, ValueError) as error:
        raise IotraceError(f"{path}: {error}") from None


def from_table(raw: dict[str, Any]) -> Overheads:
    """Return the overheads of a file's contents; raises ValueError that names the key that makes no sense."""
    _only(raw, {"name", "sources", "fitted", "copy_piece_bytes", "mean"}, "")
    means = raw.get("mean")
    if not isinstance(means, dict):
        raise ValueError("mean: is missing; it is a table of milliseconds")
    _only(means, set(_MEANS), "mean: ")
    if not isinstance(raw.get("name"), str):
        raise ValueError("name: is text")
    piece = raw.get("copy_piece_bytes", ZERO.copy_piece_bytes)
    if isinstance(piece, bool) or not isinstance(piece, int) or not 0 <= piece <= LARGEST_PIECE:
        raise ValueError(f"copy_piece_bytes: {piece!r} is not a whole number from 0 to {LARGEST_PIECE:,}")
    return Overheads(
        name=raw["name"],
        copy_piece_bytes=piece,
        sources=tuple(str(one) for one in _list(raw, "sources")),
        fitted=tuple(_fitted(one) for one in _list(raw, "fitted")),
        **{_MEANS[key]: _nanoseconds(key, value) for key, value in means.items()},
    )


def _only(raw: dict[str, Any], known: set[str], place: str) -> None:
    if unknown := sorted(set(raw) - known):
        raise ValueError(f"{place}{unknown[0]}: is not one of {', '.join(sorted(known))}")


def _list(raw: dict[str, Any], key: str) -> list[Any]:
    found = raw.get(key, [])
    if not isinstance(found, list):
        raise ValueError(f"{key}: is a list")
    return found


def _fitted(raw: Any) -> Fitted:
    wanted = {one.name for one in fields(Fitted)}
    if not isinstance(raw, dict) or set(raw) != wanted:
        raise ValueError(f"fitted: each has {', '.join(sorted(wanted))}")
    return Fitted(**raw)


def _nanoseconds(key: str, value: Any) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= LONGEST_MS:
        raise ValueError(f"mean: {key}: {value!r} is not a number from 0 to {LONGEST_MS:,.0f}")
    return round(value * 1e6)
