"""A profile for speedscope: what each stack of frames weighs, and with times the timeline of each thread.

Source: speedscope's file format, https://github.com/jlfwong/speedscope/blob/main/src/lib/file-format-spec.ts
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, TextIO

from iotrace import __version__
from iotrace.analysis.grouping import Weight
from iotrace.export.form import left_out, text_file
from iotrace.export.profiles.timeline import Event, Step, Timeline, Track
from iotrace.export.profiles.weights import Weights
from iotrace.files.remote import Place
from iotrace.store.folder import SUFFIX
from iotrace.store.store import Store

SCHEMA = "https://www.speedscope.app/file-format-schema.json"
_UNITS = {Weight.TIME: "nanoseconds", Weight.BYTES: "bytes", Weight.CALLS: "none"}


def write(store: Store, output: Place, by: Weight, stacks: bool, force: bool) -> tuple[str, ...]:
    """Write the profiles (see `iotrace.export.profiles.write`); the timeline of threads only by time."""
    weights = Weights(store, by, stacks)
    timeline = Timeline(store)
    has_timeline = by is Weight.TIME and not stacks and not store.family.has_disks and store.has_times
    with text_file(output, force) as file:
        numbers: dict[str, int] = {}
        head = {
            "$schema": SCHEMA,
            "name": store.path.name.removesuffix(SUFFIX),
            "exporter": f"iotrace {__version__}",
        }
        file.write(json.dumps(head)[:-1] + ', "profiles": [\n')
        _write_weights(file, weights, numbers)
        for track, events in timeline.tracks() if has_timeline else ():
            file.write(",\n")
            _write_thread(file, track, events, numbers)
        frames = (json.dumps({"name": name}) for name in numbers)
        file.write('\n], "shared": {"frames": [\n')
        _write_list(file, frames)
        file.write("]}}\n")
    return (*left_out(weights.left_out), *timeline.remarks())


def _write_weights(file: TextIO, weights: Weights, numbers: dict[str, int]) -> None:
    """Write a profile of samples; the weights follow all stacks, so that only they are held."""
    held: list[int] = []

    def samples() -> Iterator[str]:
        for frames, weight in weights.rows():
            held.append(weight)
            yield json.dumps([_number(numbers, name) for name in frames])

    name = f"all by {weights.by}" + (", by stack" if weights.stacks else "")
    head = {"type": "sampled", "name": name, "unit": _UNITS[weights.by]}
    file.write(json.dumps(head)[:-1] + ', "samples": [\n')
    _write_list(file, samples())
    file.write('], "weights": [\n')
    _write_list(file, map(str, held))
    file.write(f'], "startValue": 0, "endValue": {sum(held)}}}')


def _write_thread(file: TextIO, track: Track, events: Iterable[Event], numbers: dict[str, int]) -> None:
    """Write a profile of events: each call within its file."""
    bounds: list[int] = []

    def lines() -> Iterator[str]:
        for step, time_ns, one in events:
            if step is Step.MARK:
                continue
            bounds[:] = (bounds[0] if bounds else time_ns, time_ns)
            file, call = _number(numbers, one.path or "(no file)"), _number(numbers, one.name)
            letter, frames = ("O", (file, call)) if step is Step.BEGIN else ("C", (call, file))
            for frame in frames:
                yield f'{{"type":"{letter}","frame":{frame},"at":{time_ns}}}'

    job = "" if track.job < 0 else f"job {track.job}, "
    name = f"{job}{track.process}, thread {track.number}"
    head: dict[str, Any] = {"type": "evented", "name": name, "unit": _UNITS[Weight.TIME]}
    file.write(json.dumps(head)[:-1] + ', "events": [\n')
    _write_list(file, lines())
    first, last = bounds or (0, 0)
    file.write(f'], "startValue": {first}, "endValue": {last}}}')


def _write_list(file: TextIO, items: Iterable[str]) -> None:
    for place, item in enumerate(items):
        file.write(",\n" + item if place else item)


def _number(numbers: dict[str, int], name: str) -> int:
    return numbers.setdefault(name, len(numbers))
