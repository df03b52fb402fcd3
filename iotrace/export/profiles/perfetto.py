"""A timeline as Perfetto's track events: a track for each thread or disk, a slice for each call or request.

Names and texts are interned: each is written once, with a number by which later packets refer to it.

Source: Perfetto's protos, https://perfetto.dev/docs/reference/trace-packet-proto
"""

from __future__ import annotations

from collections.abc import Iterator

from iotrace.export.form import binary_file
from iotrace.export.profiles.protobuf import message, message_tag, number, number_tag, text, varint
from iotrace.export.profiles.timeline import Slice, Step, Timeline, Track
from iotrace.files.remote import Place
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
_TYPES = {Step.BEGIN: number(_TYPE, 1), Step.END: number(_TYPE, 2), Step.MARK: number(_TYPE, 3)}
# what each packet of an event has
_PACKET_TAG, _TIMESTAMP_TAG = message_tag(_PACKET), number_tag(_TIMESTAMP)
_EVENT_HEAD = _ONLY_SEQUENCE + number(_FLAGS, _NEEDED) + message_tag(_EVENT)
_ANNOTATION_TAG, _INT_TAG = message_tag(_ANNOTATION), number_tag(_INT_VALUE)


def write(store: Store, output: Place, force: bool) -> tuple[str, ...]:
    """Write the timeline (see `iotrace.export.profiles.write`)."""
    timeline = Timeline(store)
    with binary_file(output, force) as file:
        for packet in _Packets(timeline, store.family.has_model).all():
            file.write(_PACKET_TAG + varint(len(packet)) + packet)
    return timeline.remarks()


class _Packets:
    """The packets of a timeline, and what they have interned."""

    def __init__(self, timeline: Timeline, has_kernel_numbers: bool) -> None:
        self.timeline = timeline
        self.has_kernel_numbers = has_kernel_numbers
        self.processes: dict[tuple[int, int | None, str], int] = {}
        self.tracks: dict[Track, int] = {}
        self.interned: dict[tuple[int, str], bytes] = {}
        """The field that refers to a name or text, by the field of its table and itself."""
        self.added = bytearray()
        """Names and texts that are interned and not yet written."""

    def all(self) -> Iterator[bytes]:
        """Give the packets."""
        yield _ONLY_SEQUENCE + number(_FLAGS, _CLEARED)
        for track, events in self.timeline.tracks():
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
        event = _TYPES[step] + on_track
        if step is not Step.END:
            event += self._reference(_NAME_IID, _NAMES, one.name)
            if one.kind is not None:
                event += self._reference(_CATEGORY_IID, _CATEGORIES, one.kind)
            if one.path is not None:
                event += self._argument("path", one.path)
            for name, value in zip(self.timeline.names, one.arguments, strict=True):
                if value is not None:
                    event += self._argument(name, value)
        packet = _TIMESTAMP_TAG + varint(time_ns) + _EVENT_HEAD + varint(len(event)) + event
        if self.added:
            packet += message(_INTERNED, bytes(self.added))
            self.added.clear()
        return packet

    def _argument(self, name: str, value: int | str) -> bytes:
        named = self._reference(_ARGUMENT_NAME_IID, _ARGUMENT_NAMES, name)
        if isinstance(value, int):
            argument = named + _INT_TAG + varint(value)
        else:
            argument = named + self._reference(_STRING_IID, _STRINGS, value)
        return _ANNOTATION_TAG + varint(len(argument)) + argument

    def _reference(self, field: int, table: int, content: str) -> bytes:
        """Return the field that refers to a name or text; one that is new goes into the packet that is made."""
        reference = self.interned.get((table, content))
        if reference is None:
            given = len(self.interned) + 1
            reference = self.interned[table, content] = number(field, given)
            self.added += message(table, number(1, given) + text(2, content))
        return reference
