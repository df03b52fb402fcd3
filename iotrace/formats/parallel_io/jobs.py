"""Which jobs the files of a parallel trace are of, and which of them are the same file twice."""

import hashlib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import IotraceError
from iotrace.formats.parallel_io.members import Members
from iotrace.formats.reading.files import first_bytes, listed

READ_BYTES = 1 << 20
MOST_LISTED = 10


@dataclass(frozen=True)
class Job:
    """Files that one job wrote."""

    name: str
    """Its unique name: the scheduler's number, or a folder."""
    description: str
    files: tuple[Path, ...]
    has_accesses: bool = True
    """Whether its files hold accesses of ranks, which are one stream, and not counters alone."""


JobsOf = Callable[[Members, Sequence[Path]], list[Job]]


def grouped(
    files: Sequence[Path],
    names: Sequence[str],
    descriptions: Mapping[str, str],
    with_accesses: Collection[str] | None = None,
) -> list[Job]:
    """Return jobs in the order of their first files, of the name of each file's job.

    ``with_accesses`` are the names of those whose files hold accesses, all if None.
    """
    files_of_job: dict[str, list[Path]] = {}
    for path, name in zip(files, names, strict=True):
        files_of_job.setdefault(name, []).append(path)
    return [
        Job(name, descriptions.get(name, name), tuple(of_job), with_accesses is None or name in with_accesses)
        for name, of_job in files_of_job.items()
    ]


def by_folder(members: Members, files: Sequence[Path]) -> list[Job]:
    """Return a job for each folder, for formats that write one for each run."""
    names = [str(Path(members.name_of(path)).parent) for path in files]
    return grouped(files, names, {})


def refuse_several(where: str, jobs: Sequence[Job]) -> None:
    """Raise IotraceError, which lists them, where there are several jobs, and one has accesses."""
    if len(jobs) < 2 or not any(job.has_accesses for job in jobs):
        return
    listing = "; ".join(f"{job.description} ({listed(job.files)})" for job in jobs[:MOST_LISTED])
    more = f"; and {len(jobs) - MOST_LISTED:,} more" if len(jobs) > MOST_LISTED else ""
    raise IotraceError(
        f"{where}: holds logs of {len(jobs):,} jobs, whose ranks are not the same processes: {listing}{more}; ingest"
        " each alone, or give iotrace ingest --split-jobs, which writes a store for each"
    )


def without_repeated(files: Sequence[Path], compares_content: bool) -> tuple[list[Path], list[str]]:
    """Return files without those listed twice, and a warning if there were any.

    A file is listed twice by its path, and with ``compares_content`` also by its decompressed bytes.
    """
    first_of: dict[Path, Path] = {}
    repeated: list[Path] = []
    for path in files:
        if first_of.setdefault(path.absolute(), path) is not path:
            repeated.append(path)
    unique = list(first_of.values())
    if compares_content and len(unique) > 1:
        unique, copies = _without_copies(unique)
        repeated += copies
    if not repeated:
        return unique, []
    logs = "file is" if len(repeated) == 1 else "files are"
    return unique, [
        f"{len(repeated):,} {logs} there twice, with the same content, and counted once: {listed(repeated)}"
    ]


def _without_copies(files: Sequence[Path]) -> tuple[list[Path], list[Path]]:
    heads: dict[bytes, list[Path]] = {}
    for path in files:
        heads.setdefault(hashlib.sha256(first_bytes(path)).digest(), []).append(path)
    copies: set[Path] = set()
    for alike in heads.values():
        whole: set[bytes] = set()
        for path in alike if len(alike) > 1 else ():
            digest = _digest(path)
            if digest in whole:
                copies.add(path)
            whole.add(digest)
    return [path for path in files if path not in copies], [path for path in files if path in copies]


def _digest(path: Path) -> bytes:
    from iotrace.engine import native

    content, digest = native.TraceBytes(path), hashlib.sha256()
    while part := content.read(READ_BYTES):
        digest.update(part)
    return digest.digest()
