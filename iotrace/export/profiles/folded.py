"""A profile as lines of frames, parted by semicolons, and a number: what flame graphs are made from.

Source: Brendan Gregg's flamegraph.pl, https://github.com/brendangregg/FlameGraph
"""

import re

from iotrace.analysis.grouping import Weight
from iotrace.export.form import left_out, text_file
from iotrace.export.profiles.weights import Weights
from iotrace.files.remote import Place
from iotrace.store.store import Store

_PARTS = re.compile(r"[;\s]")


def _line(frames: tuple[str, ...], weight: int) -> str:
    """Return a line; what would part frames or lines is replaced in names."""
    return ";".join(_PARTS.sub(_replacement, frame) for frame in frames) + f" {weight}\n"


def _replacement(found: re.Match[str]) -> str:
    return ":" if found[0] == ";" else " "


def write(store: Store, output: Place, by: Weight, stacks: bool, force: bool) -> tuple[str, ...]:
    """Write the lines: nanoseconds, bytes or calls (see `iotrace.export.profiles.write`)."""
    weights = Weights(store, by, stacks)
    with text_file(output, force) as file:
        file.writelines(_line(frames, weight) for frames, weight in weights.rows())
    return left_out(weights.left_out)
