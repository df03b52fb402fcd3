"""Features of a file that are known at its first access, to predict its class from (Richardson 1994, 6.2.1)."""

from dataclasses import dataclass, fields
from pathlib import PurePosixPath

from iotrace import units
from iotrace.simulate.attribute.membership import first_requests
from iotrace.store.store import Store

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Features:
    """A file at its first request; of an inode, the names are those of its file.

    ``tree`` is the path's first two names, ``directory`` all but the last, ``suffix`` the ending with its dot, or
    nothing; ``access`` is read or write, ``start`` whether it begins at the file's first byte. A size that is not
    known is None.
    """

    type: str
    suffix: str
    tree: str
    program: str
    access: str
    start: str
    directory: str
    size_bytes: int | None


CATEGORIES = tuple(field.name for field in fields(Features) if field.name != "size_bytes")


@dataclass(frozen=True)
class Condition:
    """A test of one feature: that a category is this one, or that the size is known and at least this, or not."""

    feature: str
    value: str | int
    holds: bool = True

    def accepts(self, features: Features) -> bool:
        """Return whether a file's features fulfil it."""
        value = getattr(features, self.feature)
        if self.feature == "size_bytes":
            return (value is not None and value >= self.value) is self.holds
        return (value == self.value) is self.holds

    def __str__(self) -> str:
        if isinstance(self.value, int):
            return f"size {'>=' if self.holds else '<'} {units.size(self.value)}"
        return f"{self.feature} {'=' if self.holds else '!='} {self.value or 'none'}"


def features_of(store: Store) -> dict[int, Features]:
    """Return the features of each file that a store has requests to."""
    table = first_requests(store, ("type", "offset", "file_size", "process"))
    if table is None:
        return {}
    paths = _paths(store)
    programs = _programs(store)
    return {
        row["file"]: _features(row["type"], paths.get(row["file"]), programs.get(row["process"]), row)
        for row in table.to_pylist()
        if row["file"] is not None
    }


def _features(kind: str, path: str | None, program: str | None, row: dict[str, object]) -> Features:
    pure = PurePosixPath(path or UNKNOWN)
    size, offset = row["file_size"], row["offset"]
    return Features(
        type=kind,
        suffix=pure.suffix.lower(),
        tree=str(PurePosixPath(*pure.parent.parts[:3])),
        program=PurePosixPath(program).name if program else UNKNOWN,
        access="read" if row["operation"] == "read" else "write",
        start=UNKNOWN if offset is None else "0" if offset == 0 else "elsewhere",
        directory=str(pure.parent),
        size_bytes=size if isinstance(size, int) else None,
    )


def _paths(store: Store) -> dict[int, str | None]:
    rows = store.arrow("file", ["file", "path", "of_file"]).to_pylist()
    paths = {row["file"]: row["path"] for row in rows}
    return {row["file"]: paths.get(row["of_file"], row["path"]) for row in rows}


def _programs(store: Store) -> dict[int, str | None]:
    if "process" not in store.tables:
        return {}
    rows = store.arrow("process", ["process", "program"]).to_pylist()
    return {row["process"]: row["program"] for row in rows}
