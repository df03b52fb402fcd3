"""Raw traces on object storage: copies here, which are read in their place and called by their addresses."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from iotrace.errors import IotraceError
from iotrace.files.remote import Address, Place, paths_of
from iotrace.files.temporary import temporary_folder
from iotrace.files.transfers import download
from iotrace.formats.reading.unpacked import Space


@dataclass(frozen=True)
class Fetched:
    """The files of a trace that are here, and what each is called."""

    paths: list[Path]
    addresses: dict[str, str]

    def named(self, value: Any) -> Any:
        """Return a text, or texts in lists and mappings, with addresses in place of the names of copies."""
        if isinstance(value, str):
            for copy, address in self.addresses.items():
                value = value.replace(copy, address)
            return value
        if isinstance(value, dict):
            return {self.named(name): self.named(item) for name, item in value.items()}
        return [self.named(item) for item in value] if isinstance(value, list) else value


@contextlib.contextmanager
def fetched(paths: Sequence[Place]) -> Iterator[Fetched]:
    """Give the files of a trace for a block, with copies of those on object storage, in as many folders as prefixes.

    Errors in the block name the addresses. Raises IotraceError for an object that cannot be read, or where the copies
    take more temporary space than they may.
    """
    here = paths_of(paths)
    if len(here) == len(paths):
        yield Fetched(here, {})
        return
    with temporary_folder() as folder:
        space = Space()
        files = Fetched([], {})
        prefixes: dict[Address, Path] = {}
        for path in paths:
            if isinstance(path, Address):
                copy = prefixes.setdefault(path.parent, folder / str(len(prefixes))) / path.name
                copy.parent.mkdir(exist_ok=True)
                _fetch(path, copy, space)
                files.addresses[str(copy)] = str(path)
                files.paths.append(copy)
            else:
                files.paths.append(path)
        try:
            yield files
        except IotraceError as error:
            error.args = tuple(files.named(part) for part in error.args)
            raise


def _fetch(path: Address, copy: Path, space: Space) -> None:
    """Copy an object, or what is directly beneath a prefix."""
    if not path.is_dir():
        download(path, copy, lambda size_bytes: space.reserve(size_bytes, str(path)))
        return
    copy.mkdir()
    for member in path.below():
        if member.is_file():
            download(member, copy / member.name, lambda size_bytes: space.reserve(size_bytes, str(path)))
