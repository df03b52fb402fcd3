"""Record without an end, none lost between two hours: disks as a store that grows, calls as a folder of stores."""

from __future__ import annotations

import itertools
import platform
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from iotrace import units
from iotrace.errors import IotraceError, UsageError
from iotrace.files.outputs import failures_named
from iotrace.formats import iorec
from iotrace.ingest import append, caller
from iotrace.ingest.append import Keep
from iotrace.ingest.capture import Captured, Rotation, capture
from iotrace.ingest.contents import Contents
from iotrace.ingest.record import (
    RecordingSettings,
    described_recording,
    how_to_ingest,
    ingested,
    unfinished_log,
)
from iotrace.ingest.subjects import Running
from iotrace.store import manifest as manifests
from iotrace.store.folder import SUFFIX, is_store
from iotrace.store.skipped import ATTACHED
from iotrace.store.store import Store

Say = Callable[[str], None]
LOG = "calls"
"""The name of the recordings in a folder of stores, before they become stores."""


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


def record_disks(
    subject: Running, output: Path, settings: RecordingSettings, seconds: float, keep: Keep, say: Say
) -> None:
    """Record requests to disks until Ctrl-C, or some seconds, and append a recording to a store after each time.

    A request is in the recording in which it began. Raises IotraceError and UsageError as `record` and `append` do,
    and IotraceError at the end where recordings could not be appended; these stay.
    """
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


@dataclass
class Hourly:
    """A folder of stores, one for each recording of calls, named by when it began; and recordings that have none."""

    folder: Path
    subject: Running
    settings: RecordingSettings
    say: Say
    left: list[Path] = field(default_factory=list)

    def take(self, recording: Path, captured: Captured) -> None:
        """Ingest a recording, and remove it; one without calls is removed, one that cannot be ingested is kept."""
        if not captured.calls:
            recording.unlink()
            self.say(f"recorded 0 calls{_lost(captured)}")
            return
        try:
            store = self._ingested(recording, captured)
        except IotraceError as error:
            self.left.append(recording)
            self.say(f"{error}; the recording is kept: {how_to_ingest(recording)}")
            return
        recording.unlink()
        calls = units.plural(store.manifest["counts"]["calls"], "call", "calls")
        self.say(f"recorded {calls}{_lost(captured)}: {store.path}")

    def _ingested(self, recording: Path, captured: Captured) -> Store:
        began_ns = time.time_ns() - captured.recorded_ns
        described = {
            "sources": [str(recording)],
            "host": platform.node(),
            "command": [],
            manifests.BACKEND: self.settings.recorder.backend.value,
            "attached_to": self.subject.attached_to(),
            ATTACHED: captured.recorded_ns,
            **described_recording(captured, (), measures=False),
        }
        with failures_named(self.folder):
            return ingested(
                self.settings.format,
                recording,
                self._place(began_ns),
                None,
                ([], []),
                self.settings.kept,
                began_ns,
                False,
                None,
                described,
            )

    def _place(self, began_ns: int) -> Path:
        """Return the first store of this second that is not there."""
        moment = time.strftime("%Y-%m-%dT%H-%M-%SZ", time.gmtime(began_ns // 10**9))
        names = (moment if number == 1 else f"{moment}-{number}" for number in itertools.count(1))
        return next(path for name in names if not (path := self.folder / f"{name}{SUFFIX}").exists())


def _lost(captured: Captured) -> str:
    lost = sum((captured.lost_calls, captured.lost_lives, captured.lost_processes))
    return f" in {units.duration(captured.recorded_ns)}, {units.count(lost) if lost else 'none'} lost"


def record_calls(
    subject: Running, output: Path, settings: RecordingSettings, seconds: float, say: Say
) -> None:
    """Record calls until Ctrl-C, or some seconds, and add a store to a folder after each time.

    A call is in the recording in which it returns; one that is under way at a change is in both, in the first without a
    result, in the next with its result and the time that it took since. Raises UsageError where the output is a
    store or a file, else as `record` does, and IotraceError at the end where recordings could not be ingested;
    these stay.
    """
    if is_store(output) or (output.exists() and not output.is_dir()):
        raise UsageError(f"{output}: is not a folder of stores: calls are not appended; choose another -o")
    with failures_named(output):
        output.mkdir(parents=True, exist_ok=True)
    hourly = Hourly(output, subject, settings, say)
    with unfinished_log(output / LOG) as partial:
        rotation = Rotation(seconds, hourly.take)
        capture(subject, partial, settings.kept, settings.limits, settings.besides, rotation=rotation)
        caller.give_up()
    if hourly.left:
        recordings = units.plural(len(hourly.left), "recording", "recordings")
        raise IotraceError(f"{output}: {recordings} could not be ingested and stay there")
