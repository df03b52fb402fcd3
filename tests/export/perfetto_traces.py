"""Traces of Perfetto, read by its own Python package: what each packet means, texts in the place of their numbers."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import pytest


class TrackSlice(NamedTuple):
    """A slice, or a mark, whose end is None."""

    track: str
    name: str
    category: str | None
    start_ns: int
    end_ns: int | None
    arguments: dict[str, int | str]


def packets(path: Path) -> list[Any]:
    module = pytest.importorskip(
        "perfetto.protos.perfetto.trace.perfetto_trace_pb2", reason="perfetto is not installed"
    )
    trace = module.Trace()
    trace.ParseFromString(path.read_bytes())
    assert trace.SerializeToString(deterministic=True) and not trace.FindInitializationErrors()
    return list(trace.packet)


def slices(path: Path) -> list[TrackSlice]:
    """All slices, in the order in which they begin on their tracks."""
    tracks: dict[int, str] = {}
    texts: dict[str, dict[int, str]] = {}
    begun: list[dict[str, Any]] = []
    open_slices: dict[int, list[int]] = {}
    first, *others = packets(path)
    assert first.sequence_flags == 1  # SEQ_INCREMENTAL_STATE_CLEARED
    for packet in others:
        assert packet.trusted_packet_sequence_id == 1
        if packet.HasField("track_descriptor"):
            described = packet.track_descriptor
            assert described.uuid not in tracks
            assert not described.parent_uuid or described.parent_uuid in tracks
            tracks[described.uuid] = _named(described)
            continue
        assert packet.sequence_flags == 2  # SEQ_NEEDS_INCREMENTAL_STATE
        for table, entries in packet.interned_data.ListFields():
            named = texts.setdefault(table.name, {})
            for entry in entries:
                assert entry.iid not in named
                content = entry.name if hasattr(entry, "name") else entry.str.decode()
                named[entry.iid] = content
        event = packet.track_event
        if event.type == event.TYPE_SLICE_END:
            begun[open_slices[event.track_uuid].pop()]["end_ns"] = packet.timestamp
            continue
        begun.append(
            {
                "track": tracks[event.track_uuid],
                "name": texts["event_names"][event.name_iid],
                "category": texts["event_categories"][event.category_iids[0]]
                if event.category_iids
                else None,
                "start_ns": packet.timestamp,
                "end_ns": None,
                "arguments": {
                    texts["debug_annotation_names"][one.name_iid]: one.int_value
                    if one.HasField("int_value")
                    else texts["debug_annotation_string_values"][one.string_value_iid]
                    for one in event.debug_annotations
                },
            }
        )
        if event.type == event.TYPE_SLICE_BEGIN:
            open_slices.setdefault(event.track_uuid, []).append(len(begun) - 1)
    assert not any(open_slices.values())
    return [TrackSlice(**one) for one in begun]


def _named(described: Any) -> str:
    if described.HasField("process"):
        return f"process {described.process.pid} {described.process.process_name}"
    if described.HasField("thread"):
        return f"thread {described.thread.pid} {described.thread.tid}"
    return str(described.name)
