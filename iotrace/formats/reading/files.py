"""How the files of a trace begin, and which of them are taken."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

HEAD_BYTES = 65536
"""How much of a file is read to recognise its format."""
COMPRESSED = (".gz", ".zst", ".xz", ".bz2")
"""How names of compressed files end."""
MOST_LISTED = 10


def first_bytes(path: Path) -> bytes:
    """Return a file's first bytes, decompressed; raises OSError if it cannot be read."""
    from iotrace.engine import native

    return native.first_bytes(path, HEAD_BYTES)


@dataclass(frozen=True)
class Choice:
    """Which of a trace's files are taken, and why the others are not."""

    taken: list[Path]
    others: list[Path]
    """Files in a folder that the format does not recognise."""
    twins: list[Path]
    """Files in a folder that are another one of it compressed, which would count every request twice."""

    def warnings(self, name: str) -> list[str]:
        """Say which files were left out, and then which were taken; nothing if all were taken."""
        left_out = []
        if self.others:
            left_out.append(f"files that are not in format {name} were left out: {listed(self.others)}")
        if self.twins:
            left_out.append(f"files that are others compressed were left out: {listed(self.twins)}")
        return [f"{sentence}; taken: {listed(self.taken)}" for sentence in left_out]


def choose(files: Sequence[Path], named: Collection[Path], recognises: Callable[[bytes], bool]) -> Choice:
    """Choose among a trace's files: those that the user named are taken, of a folder's those that are recognised.

    Where none is recognised all are taken, so that the reader says what is wrong with them.
    """
    given = set(named)
    ours = [path for path in files if path in given or recognises(first_bytes(path))]
    of_folders = {path for path in ours if path not in given}
    twins = [path for path in ours if path in of_folders and _is_twin(path, of_folders)]
    left_out = set(twins)
    taken = [path for path in ours if path not in left_out]
    recognised = set(ours)
    others = [path for path in files if path not in recognised and path.stat().st_size]
    return Choice(taken, others, twins) if ours else Choice(list(files), [], [])


def _is_twin(path: Path, of_folders: Collection[Path]) -> bool:
    """Return whether a file is compressed by its name, and begins as the one of which it would be the compressed form.

    That may be compressed as well, in another way, whose name then comes first in `COMPRESSED`.
    """
    if path.suffix not in COMPRESSED:
        return False
    plain = path.with_suffix("")
    before = COMPRESSED[: COMPRESSED.index(path.suffix)]
    twins = [twin for twin in (plain, *(Path(f"{plain}{end}") for end in before)) if twin in of_folders]
    return any(first_bytes(twin) == first_bytes(path) for twin in twins)


def listed(paths: Sequence[Path]) -> str:
    """Return the names of some files, the first of many."""
    names = [path.name for path in paths]
    more = f" and {len(names) - MOST_LISTED:,} more" if len(names) > MOST_LISTED else ""
    return ", ".join(names[:MOST_LISTED]) + more
