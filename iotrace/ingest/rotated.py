"""Record requests to disks without an end, as a store that grows: a partition for each hour, none lost between."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from iotrace import units
from iotrace.errors import IotraceError
from iotrace.files.outputs import failures_named
from iotrace.files.remote import refuse_remote
from iotrace.formats import iorec
from iotrace.ingest import append, caller
from iotrace.ingest.append import Keep
from iotrace.ingest.capture import Captured, Rotation, capture
from iotrace.ingest.contents import Contents
from iotrace.ingest.record import RecordingSettings, how_to_ingest, unfinished_log
from iotrace.ingest.subjects import Running
from iotrace.store.folder import is_store

Say = Callable[[str], None]


@dataclass
class Growing:
    """The store, and the recordings that are not in it yet: one that another command changes gets them later."""

    store: Path
    keep: Keep
    say: Say
    _waiting: list[Path] = field(default_factory=list)

    def take(self, recording: Path, captured: Captured) -> None:
        """Append a recording, after those that wait, and remove it; one without requests is removed."""
        if captured.records:
            self._waiting.append(recording)
        else:
            recording.unlink()
        requests = units.plural(captured.records, "request", "requests")
        lost = units.count(captured.lost_events) if captured.lost_events else "none"
        self.say(f"recorded {requests} in {units.duration(captured.recorded_ns)}, {lost} lost")
        while self._waiting:
            try:
                append.append(self.store, self._waiting[0:1], None, self.keep, format=iorec.BLOCK.name)
            except IotraceError as error:
                self.say(f"{error}; the recording is kept, and tried again with the next one")
                return
            self._waiting.pop(0).unlink()

    def left(self) -> list[Path]:
        """Return the recordings that could not be appended."""
        return list(self._waiting)


def record_rotated(
    subject: Running, output: Path, settings: RecordingSettings, seconds: float, keep: Keep, say: Say
) -> None:
    """Record requests to disks until Ctrl-C, or some seconds, and append a recording to a store after each time.

    A request is in the recording in which it began. Raises IotraceError and UsageError as `record` and `append` do,
    and IotraceError at the end where recordings could not be appended; these stay.
    """
    refuse_remote(output)
    if is_store(output) or output.exists():
        append.opened(output)
    with failures_named(output):
        output.parent.mkdir(parents=True, exist_ok=True)
    growing = Growing(output, keep, say)
    with unfinished_log(output) as partial:
        rotation = Rotation(seconds, growing.take)
        capture(subject, partial, Contents(), settings.limits, settings.besides, rotation=rotation)
        caller.give_up()
    if left := growing.left():
        commands = "; ".join(f"{how_to_ingest(path)} --append {output}" for path in left)
        raise IotraceError(
            f"{output}: {len(left):,} recordings could not be appended and are kept: {commands}"
        )
