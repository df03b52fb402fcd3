"""The disks whose requests are recorded: block devices of this machine, and partitions of them."""

import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from iotrace.errors import UsageError

BLOCK = "--block"
"""The option of iotrace-capture that records requests to disks."""
SYSFS = Path("/sys")


@dataclass(frozen=True)
class Device:
    """A disk, or a partition."""

    name: str
    """The name in /sys/class/block."""
    number: str
    """The disk's number, MAJOR:MINOR."""
    first: int | None = None
    """Of a partition: its first block of 512 bytes on the disk."""
    blocks: int | None = None
    """Of a partition: how many these are."""

    @property
    def word(self) -> str:
        """How iotrace-capture takes it."""
        return self.number if self.first is None else f"{self.number}:{self.first}:{self.blocks}"


def words(devices: Sequence[Device]) -> tuple[str, ...]:
    """Return the options of iotrace-capture that record requests to devices, or to all disks if there are none."""
    return (BLOCK, *(word for device in devices for word in ("--device", device.word)))


def device(given: str) -> Device:
    """Return a block device, by its path or its name in /sys/class/block.

    Raises UsageError where there is none, where it is not a block device, and where it has no queue of requests.
    """
    folder = (_folder_of_path if "/" in given else _folder_of_name)(given)
    try:
        is_partition = (folder / "partition").exists()
        disk = folder.parent if is_partition else folder
        number = (disk / "dev").read_text().strip()
        extent = (
            [int((folder / name).read_text()) for name in ("start", "size")] if is_partition else [None, None]
        )
        has_queue = (disk / "mq").is_dir()
        below = sorted(path.name for path in (disk / "slaves").glob("*"))
    except (OSError, ValueError) as error:
        raise UsageError(f"--device {given}: cannot be looked up in {folder}: {error}") from None
    if not has_queue:
        instead = f": record {', '.join(below)}, on which it lies" if below else ""
        raise UsageError(
            f"--device {given}: {disk.name} has no queue of requests that could be recorded{instead}"
        )
    return Device(folder.name, number, *extent)


def _folder_of_path(given: str) -> Path:
    try:
        status = Path(given).stat()
    except OSError as error:
        raise UsageError(f"--device {given}: {error.strerror}") from None
    if not stat.S_ISBLK(status.st_mode):
        raise UsageError(f"--device {given}: is not a block device")
    number = f"{os.major(status.st_rdev)}:{os.minor(status.st_rdev)}"
    return _resolved(given, SYSFS / "dev" / "block" / number)


def _folder_of_name(given: str) -> Path:
    if given in ("", ".", ".."):
        raise UsageError(f"--device {given!r}: is not the name of a block device")
    return _resolved(given, SYSFS / "class" / "block" / given)


def _resolved(given: str, link: Path) -> Path:
    try:
        return link.resolve(strict=True)
    except OSError:
        raise UsageError(f"--device {given}: there is no such block device ({link} does not exist)") from None
