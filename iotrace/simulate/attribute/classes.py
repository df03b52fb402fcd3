"""Attribute classes: which files a subcache takes (Richardson 1994, 5.1.1), as SQL.

A class is a condition on a request, over the columns of tables reference, file and process, and over the classes
before it by their names (so ``Rest: temporal and not logs`` does). `cut_off_size_bytes` is the file's size as the
cut-off sees it, null if unknown.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from iotrace.errors import UsageError
from iotrace.store.expressions import check_expression, columns_over_references

PREDEFINED: Mapping[str, str] = {
    "inode": "type = 'inode'",
    "directory": "type = 'directory'",
    "id": "type in ('inode', 'directory')",
    "unix": "type in ('directory', 'executable', 'datafile', 'disk')",
    "general": "type in ('executable', 'datafile', 'disk')",
    "temporal": "general and coalesce(cut_off_size_bytes, 0) < {cut_off}",
    "sequential": "general and coalesce(cut_off_size_bytes, 0) >= {cut_off}",
}
"""A file of unknown size counts as below the cut-off; so does a disk of a block trace, whose size is not known."""
SIZED = ("temporal", "sequential")
"""The classes that the cut-off decides."""
_SHORT = {"temp": "temporal", "seq": "sequential"}
_NAMED = re.compile(r"\s*([A-Za-z_]\w*)\s*:\s*(.*)", re.DOTALL)


@dataclass(frozen=True)
class ClassKey:
    """A class with all that decides it: its name, and for one that the cut-off decides, the cut-off in bytes."""

    name: str
    cut_off_bytes: int | None = None

    @property
    def column(self) -> str:
        """The name of the column that says which requests are in it."""
        return self.name if self.cut_off_bytes is None else f"{self.name}_{self.cut_off_bytes}"


@dataclass(frozen=True)
class Classes:
    """The predefined classes and the user's own; names are the same in any case."""

    own: tuple[tuple[str, str], ...] = ()
    """Names, in small letters, and conditions."""

    @classmethod
    def read(cls, definitions: Sequence[str]) -> "Classes":
        """Read definitions as ``Logs: path like '%.log'``; raises UsageError for other forms and taken names."""
        classes: dict[str, str] = {}
        for definition in definitions:
            match = _NAMED.fullmatch(definition)
            if match is None or not match[2].strip():
                raise UsageError(f"a class is written as in \"Logs: path like '%.log'\", not {definition!r}")
            name = match[1].lower()
            if name in PREDEFINED or name in _SHORT or name in classes:
                raise UsageError(f"there is a class {match[1]} already; give yours another name")
            if name in columns_over_references():
                raise UsageError(f"{match[1]} is a column of the references; give the class another name")
            check_expression(match[2], f"--class {match[1]}")
            classes[name] = match[2].strip()
        return cls(tuple(classes.items()))

    def key(self, category: str, cut_off_bytes: int) -> ClassKey:
        """Return the class of that name; raises UsageError if there is none."""
        name = _SHORT.get(category.lower(), category.lower())
        if name in SIZED:
            return ClassKey(name, cut_off_bytes)
        if name not in PREDEFINED and name not in dict(self.own):
            there = ", ".join(["inode, directory, ID, Unix, General, Temporal, Sequential", *dict(self.own)])
            raise UsageError(
                f"there is no class {category}; there are {there}; define one by --class '{category}: SQL'"
            )
        return ClassKey(name)

    def columns_sql(self, keys: Sequence[ClassKey], cut_off_bytes: int) -> str:
        """Return expressions that say, for each class, whether a request is in it, each under its column's name.

        A class of the user's that names Temporal or Sequential means the ones of `cut_off_bytes`.
        """
        cut_offs = {key.cut_off_bytes for key in keys if key.cut_off_bytes is not None}
        parts = [(name, sql.format(cut_off=cut_off_bytes)) for name, sql in PREDEFINED.items()]
        parts += [
            (ClassKey(name, size).column, PREDEFINED[name].format(cut_off=size))
            for size in sorted(cut_offs)
            for name in SIZED
        ]
        parts += self.own
        return ", ".join(f'coalesce((\n{sql}\n), false) as "{name}"' for name, sql in parts)
