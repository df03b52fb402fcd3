"""A timeline as Perfetto's track events: a track for each thread or disk, a slice for each call or request.

Names and texts are interned: each is written once, with a number by which later packets refer to it.

Source: Perfetto's protos, https://perfetto.dev/docs/reference/trace-packet-proto
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from iotrace.export.form import binary_file
from iotrace.export.profiles.protobuf import message, number, text
from iotrace.export.profiles.timeline import Slice, Step, Timeline, Track
from iotrace.families import CALLS
from iotrace.store.store import Store

# numbers of fields
_PACKET = 1
_TIMESTAMP, _SEQUENCE, _EVENT, _INTERNED, _FLAGS, _DESCRIPTOR = 8, 10, 11, 12, 13, 60
_UUID, _NAME, _PROCESS, _THREAD, _PARENT = 1, 2, 3, 4, 5
_PROCESS_PID, _PROCESS_NAME = 1, 6
_THREAD_PID, _THREAD_TID, _THREAD_NAME = 1, 2, 5
_TYPE, _TRACK, _NAME_IID, _CATEGORY_IID, _ANNOTATION = 9, 11, 10, 3, 4
_ARGUMENT_NAME_IID, _INT_VALUE, _STRING_IID = 1, 4, 17
_CATEGORIES, _NAMES, _ARGUMENT_NAMES, _STRINGS = 1, 2, 3, 29
# values
_ONLY_SEQUENCE = number(_SEQUENCE, 1)
_CLEARED, _NEEDED = 1, 2
_TYPES = {Step.BEGIN: 1, Step.END: 2, Step.MARK: 3}


def write(store: Store, output: Path, force: bool) -> tuple[str, ...]:
    """Write the timeline (see `iotrace.export.profiles.write`)."""
    timeline = Timeline(store)
    with binary_file(output, force) as file:
        file.writelines(message(_PACKET, packet) for packet in _Packets(store.family is CALLS).of(timeline))
    return timeline.remarks()


class _Packets:
    """The packets of a timeline, and what they have interned."""

    def __init__(self, has_kernel_numbers: bool) -> None:
        self.has_kernel_numbers = has_kernel_numbers
        self.processes: dict[tuple[int, int | None, str], int] = {}
        self.tracks: dict[Track, int] = {}
        self.interned: dict[tuple[int, str], int] = {}
        self.added = bytearray()

    def of(self, timeline: Timeline) -> Iterator[bytes]:
        """Give the packets."""
        yield _ONLY_SEQUENCE + number(_FLAGS, _CLEARED)
        for track, events in timeline.tracks():
            if track not in self.tracks:
                yield from self._described(track)
            on_track = number(_TRACK, self.tracks[track])
            for step, time_ns, one in events:
                yield self._event(step, time_ns, one, on_track)

    def _described(self, track: Track) -> Iterator[bytes]:
        """Give the descriptor of a track, after that of its process or disk."""
        key = (track.job, track.pid, track.process)
        is_kernel = self.has_kernel_numbers and bool(track.pid)
        name = track.process if track.job < 0 else f"job {track.job}, {track.process}"
        if key not in self.processes:
            self.processes[key] = self._next_uuid()
            of_process = number(_PROCESS_PID, track.pid or 0) + text(_PROCESS_NAME, name.partition(" ")[2])
            described = message(_PROCESS, of_process) if is_kernel else text(_NAME, name)
            yield self._descriptor(self.processes[key], described)
        self.tracks[track] = self._next_uuid()
        of_thread = number(_THREAD_PID, track.pid or 0) + number(_THREAD_TID, track.number)
        if is_kernel:
            yield self._descriptor(self.tracks[track], message(_THREAD, of_thread))
            return
        parent = number(_PARENT, self.processes[key])
        yield self._descriptor(self.tracks[track], parent + text(_NAME, f"{name} {track.number}"))

    def _next_uuid(self) -> int:
        return len(self.processes) + len(self.tracks) + 1

    @staticmethod
    def _descriptor(uuid: int, described: bytes) -> bytes:
        return _ONLY_SEQUENCE + message(_DESCRIPTOR, number(_UUID, uuid) + described)

    def _event(self, step: Step, time_ns: int, one: Slice, on_track: bytes) -> bytes:
        event = number(_TYPE, _TYPES[step]) + on_track
        if step is not Step.END:
            event += number(_NAME_IID, self._number(_NAMES, one.name))
            if one.kind is not None:
                event += number(_CATEGORY_IID, self._number(_CATEGORIES, one.kind))
            event += b"".join(self._arguments(one.arguments))
        packet = number(_TIMESTAMP, time_ns) + _ONLY_SEQUENCE + number(_FLAGS, _NEEDED) + message(_EVENT, event)
        if self.added:
            packet += message(_INTERNED, bytes(self.added))
            self.added.clear()
        return packet

    def _arguments(self, arguments: Iterable[tuple[str, int | str]]) -> Iterator[bytes]:
        for name, value in arguments:
            named = number(_ARGUMENT_NAME_IID, self._number(_ARGUMENT_NAMES, name))
            valued = (
                number(_INT_VALUE, value)
                if isinstance(value, int)
                else number(_STRING_IID, self._number(_STRINGS, value))
            )
            yield message(_ANNOTATION, named + valued)

    def _number(self, table: int, content: str) -> int:
        """Return the number of a name or text; one that is new goes into the next packet that is made."""
        given = self.interned.get((table, content))
        if given is None:
            given = self.interned[table, content] = len(self.interned) + 1
            self.added += message(table, number(1, given) + text(2, content))
        return given
