"""Which disk of the paper a generated trace was made after: its store or its text says so."""

import re
from collections.abc import Iterable
from pathlib import Path

from iotrace.engine.native import first_bytes
from iotrace.formats.vms_io import MAGIC
from iotrace.papers.biswas.printed import Disk, disks
from iotrace.store.store import Store

_HEADER_BYTES = 4096
_MADE_BY = re.compile(r"^# generated, not traced: iotrace generate vms --like (\S+)", re.MULTILINE)


def likeness(store: Store, source: Path | None = None) -> Disk | None:
    """Return the disk whose load a trace was generated to have; None for a trace that was not generated.

    `source` is the file from which the store was made, if not the one that its manifest names.
    """
    preset = store.manifest.get("generated")
    name = preset.get("like") if isinstance(preset, dict) else None
    if name is None:
        named = [Path(source) for source in store.manifest["sources"] if isinstance(source, str)]
        name = _told_by([*([source] if source else []), *named])
    return next((disk for disk in disks() if disk.like == name), None)


def is_generated(store: Store) -> bool:
    """Whether a trace was generated to have the load of a disk of the paper."""
    return likeness(store) is not None


def _told_by(files: Iterable[Path]) -> str | None:
    """Return what the header of the first file that is there says, if it is generated text."""
    for file in files:
        if not file.is_file():
            continue
        try:
            header = first_bytes(file, _HEADER_BYTES).decode("utf-8", "replace")
        except OSError:
            continue
        match = _MADE_BY.search(header) if header.startswith(MAGIC) else None
        return match[1] if match else None
    return None
