"""The pictures of first screens as SVG, which needs no script: bars, a curve, a strip over time, a map, points."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup, escape

from iotrace import units

Row = dict[str, Any]
WIDTH, HEIGHT = 340, 150
"""Of the curve."""
STRIP_WIDTH, STRIP_HEIGHT = 560, 132
"""Of a picture over time that has the room for itself."""
SPARK_WIDTH, SPARK_HEIGHT = 160, 28
"""Of a row in a list of traces."""
NARROW = 300
"""The width of one beside another."""
LEVELS = 12
"""How many strengths of a colour a map has."""
BAR_HEIGHT = 26
LEAST_PART = 0.4
"""Parts of a bar are at least this wide, in percent."""
PAIR_HEIGHT = 58
"""Of a number before and after."""
_LEFT, _BOTTOM = 40, 18
_LABELS = 56
"""The room for labels at the left of pictures over time."""


@dataclass(frozen=True)
class Pair:
    """A number before and after, as the first says, and the range in which the second is noise, where it is known."""

    name: str
    values: tuple[float, float]
    shown: tuple[str, str]
    noise: tuple[float, float] | None


def bar(parts: Sequence[tuple[str, float]], description: str) -> Markup:
    """Return a bar divided into parts: the colour of each, by its name in the style sheet, and its amount."""
    whole = sum(amount for _, amount in parts) or 1
    shares = [max(100 * amount / whole, LEAST_PART) for _, amount in parts]
    wide, x, drawn = WIDTH / sum(shares), 0.0, []
    for (color, _), share in zip(parts, shares, strict=True):
        drawn.append(
            Markup('<rect x="{:.2f}" y="0" width="{:.2f}" height="{}" style="fill:var(--{})"/>').format(
                x, wide * share, BAR_HEIGHT, color
            )
        )
        x += wide * share
    return Markup(
        '<svg class="split" viewBox="0 0 {} {}" preserveAspectRatio="none" role="img" aria-label="{}">{}</svg>'
    ).format(WIDTH, BAR_HEIGHT, description, Markup("").join(drawn))


def pairs(numbers: Sequence[Pair], description: str) -> Markup:
    """Return numbers before and after as bars, each pair in a measure of its own; a frame is what noise explains."""
    left, right, parts = 52, 84, list[Markup]()
    room = STRIP_WIDTH - left - right
    for place, pair in enumerate(numbers):
        top = place * PAIR_HEIGHT
        most = max(pair.values) or 1
        parts.append(_words(left, top + 12, pair.name, "start", "strong"))
        for number, (kind, word) in enumerate((("read", "before"), ("both", "after"))):
            y, wide = top + 17 + 18 * number, room * pair.values[number] / most
            parts.append(_words(left - 6, y + 11, word, "end"))
            parts.append(_bar(kind, left, y, wide, 14))
            parts.append(_words(left + room + 6, y + 11, pair.shown[number], "start"))
        if pair.noise:
            low, high = (room * min(end / most, 1.0) for end in pair.noise)
            parts.append(
                Markup('<rect class="noise" x="{:.1f}" y="{}" width="{:.1f}" height="18"/>').format(
                    left + low, top + 33, max(high - low, 2)
                )
            )
    return _svg(STRIP_WIDTH, PAIR_HEIGHT * len(numbers) + 4, description, parts)


def points(
    rows: Sequence[tuple[float, float, int]], sides: str, ends: tuple[str, str], description: str
) -> Markup:
    """Return points: each with its place across and up, and the number of its colour.

    `sides` names the upper and the lower end, with a newline between, and `ends` the first and the last.
    """
    xs, ys = ([row[place] for row in rows] for place in (0, 1))
    wide, high = max(max(xs) - min(xs), 1), max(max(ys) - min(ys), 1)
    height = STRIP_HEIGHT - _BOTTOM - 10
    parts = [
        Markup('<circle class="step-{}" cx="{:.1f}" cy="{:.1f}" r="2"/>').format(
            1 + color % 6,
            _LABELS + 4 + (STRIP_WIDTH - _LABELS - 8) * (x - min(xs)) / wide,
            4 + height * (1 - (y - min(ys)) / high),
        )
        for x, y, color in rows
    ]
    upper, lower = sides.split("\n")
    parts += [_words(_LABELS - 5, 14, upper, "end"), _words(_LABELS - 5, height, lower, "end")]
    parts.append(_words(_LABELS, STRIP_HEIGHT - 4, ends[0], "start"))
    parts.append(_words(STRIP_WIDTH, STRIP_HEIGHT - 4, ends[1], "end"))
    return _svg(STRIP_WIDTH, STRIP_HEIGHT, description, parts)


def curve(
    points: Sequence[tuple[int, float]],
    mark: tuple[int, str] | None,
    is_in_bytes: bool,
    description: str,
) -> Markup:
    """Return shares in percent over a size, which doubles to the right; a size may be marked, with its label."""
    written = units.size if is_in_bytes else units.count
    first = math.log2(max(points[0][0], 1))
    last = max(math.log2(max(points[-1][0], 1)), first + 1)
    top = max(100.0, *(share for _, share in points))

    def across(size: float) -> float:
        return _LEFT + (WIDTH - _LEFT - 10) * (math.log2(max(size, 1)) - first) / (last - first)

    def up(share: float) -> float:
        return 8 + (HEIGHT - _BOTTOM - 8) * (1 - share / top)

    path = " ".join(f"{across(size):.1f},{up(share):.1f}" for size, share in points)
    base = up(0)
    parts = [
        _rule(_LEFT, up(share), WIDTH - 10, up(share))
        + _words(_LEFT - 5, up(share) + 4, f"{share:.0f} %", "end")
        for share in (0, 50, 100)
    ]
    parts.append(
        Markup('<polygon class="area" points="{},{} {} {},{}"/>').format(
            f"{across(points[0][0]):.1f}", f"{base:.1f}", path, f"{across(points[-1][0]):.1f}", f"{base:.1f}"
        )
    )
    parts.append(Markup('<polyline class="line" points="{}"/>').format(path))
    if mark is not None:
        marked, label = max(mark[0], points[0][0]), mark[1]
        x, y = across(marked), up(next(share for size, share in reversed(points) if size <= marked))
        is_left = x > WIDTH * 0.6
        parts.append(
            Markup('<line class="knee" x1="{0:.1f}" x2="{0:.1f}" y1="8" y2="{1:.1f}"/>').format(x, base)
        )
        parts.append(Markup('<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="4"/>').format(x, y))
        parts.append(_words(x - 6 if is_left else x + 6, 20, label, "end" if is_left else "start", "strong"))
    parts.append(_words(_LEFT, HEIGHT - 4, written(points[0][0]), "start"))
    parts.append(_words(WIDTH - 10, HEIGHT - 4, written(points[-1][0]), "end"))
    return _svg(WIDTH, HEIGHT, description, parts)


def strip(
    windows: Sequence[Row],
    phases: Sequence[Row],
    count: tuple[str, str],
    description: str,
    room: int = STRIP_WIDTH,
) -> Markup:
    """Return bytes read (up) and written (down), and a count below, over time; with the phases on top.

    Each window has start_ns, end_ns, bytes_read, bytes_written and the column that `count` names, before its label.
    """
    column, label = count
    start, end = windows[0]["start_ns"], windows[-1]["end_ns"]
    across = _over_time(start, end, room)
    most = max(max(row["bytes_read"], row["bytes_written"]) for row in windows) or 1
    busiest = max(row[column] for row in windows) or 1
    middle, half, floor, low = 44.0, 28.0, 112.0, 30.0
    parts = []
    for number, phase in enumerate(phases if len(phases) > 1 else (), 1):
        x = across(phase["start_ns"])
        wide = max(across(phase["end_ns"]) - x, 1)
        parts.append(
            Markup(
                '<rect class="phase" x="{:.1f}" y="1" width="{:.1f}" height="11"><title>{}</title></rect>'
            ).format(x, wide, phase["title"])
        )
        if wide >= 12:
            parts.append(_words(x + wide / 2, 10, str(number), "middle", "phase-number"))
    for row in windows:
        x = across(row["start_ns"])
        width = max(across(row["end_ns"]) - x, 0.5)
        parts.append(
            _bar("read", x, middle - half * row["bytes_read"] / most, width, half * row["bytes_read"] / most)
        )
        parts.append(_bar("write", x, middle, width, half * row["bytes_written"] / most))
        parts.append(_bar("both", x, floor - low * row[column] / busiest, width, low * row[column] / busiest))
    parts.append(_rule(_LABELS, middle, room, middle))
    parts.append(_rule(_LABELS, floor, room, floor))
    parts.append(_words(_LABELS - 5, middle - 8, "read", "end"))
    parts.append(_words(_LABELS - 5, middle + 16, "write", "end"))
    parts.append(_words(_LABELS - 5, floor - 6, label, "end"))
    parts.append(_times(start, end, room, STRIP_HEIGHT))
    return _svg(room, STRIP_HEIGHT, description, parts)


def spark(windows: Sequence[tuple[int, int, int]], words: str) -> Markup:
    """Return amounts over time as bars without axes; each window has its start, its end and the amount."""
    start, end = windows[0][0], max(window[1] for window in windows)
    most = max(window[2] for window in windows) or 1
    step = SPARK_WIDTH / max(end - start, 1)
    parts = [
        _bar("both", step * (first - start), SPARK_HEIGHT - high, max(step * (last - first), 0.5), high)
        for first, last, amount in windows
        for high in [SPARK_HEIGHT * amount / most]
    ]
    return _svg(SPARK_WIDTH, SPARK_HEIGHT, words, parts)


def cells(
    rows: Sequence[Row],
    corner: Callable[[Row], tuple[float, float]],
    strength: Callable[[Row], float],
    sides: str,
    description: str,
    room: int = STRIP_WIDTH,
) -> Markup:
    """Return a map over time: each row's cell lies between two parts of the height, as strong as it says.

    `sides` names the upper and the lower end, with a newline between.
    """
    start, end = min(row["start_ns"] for row in rows), max(row["end_ns"] for row in rows)
    across = _over_time(start, end, room)
    height = STRIP_HEIGHT - _BOTTOM - 4
    paths: dict[int, list[str]] = {}
    for row in rows:
        top, bottom = corner(row)
        x, high = across(row["start_ns"]), max(height * (bottom - top), 1)
        wide = max(across(row["end_ns"]) - x, 0.5)
        level = math.ceil(LEVELS * max(min(strength(row), 1.0), 1 / LEVELS))
        paths.setdefault(level, []).append(
            f"M{x:.1f} {2 + height * top:.1f}h{wide:.1f}v{high:.1f}h-{wide:.1f}z"
        )
    parts = [
        Markup('<path class="cell" opacity="{:.2f}" d="{}"/>').format(level / LEVELS, "".join(drawn))
        for level, drawn in sorted(paths.items())
    ]
    upper, lower = sides.split("\n")
    parts.append(_words(_LABELS - 5, 14, upper, "end"))
    parts.append(_words(_LABELS - 5, height, lower, "end"))
    parts.append(_times(start, end, room, STRIP_HEIGHT))
    return _svg(room, STRIP_HEIGHT, description, parts)


def _over_time(start: int, end: int, width: int) -> Callable[[int], float]:
    return lambda moment: _LABELS + (width - _LABELS) * (moment - start) / max(end - start, 1)


def _times(start: int, end: int, width: int, height: int) -> Markup:
    first = units.duration(start) if start else "0 s"
    return _words(_LABELS, height - 4, first, "start") + _words(width, height - 4, units.duration(end), "end")


def _svg(width: int, height: int, description: str, parts: Sequence[Markup]) -> Markup:
    return Markup('<svg viewBox="0 0 {} {}" role="img" aria-label="{}">{}</svg>').format(
        width, height, description, Markup("").join(parts)
    )


def _bar(kind: str, x: float, y: float, width: float, height: float) -> Markup:
    if height <= 0:
        return Markup("")
    return Markup('<rect class="{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}"/>').format(
        kind, x, y, width, max(height, 0.7)
    )


def _rule(x1: float, y1: float, x2: float, y2: float) -> Markup:
    return Markup('<line class="rule" x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}"/>').format(
        x1, y1, x2, y2
    )


def _words(x: float, y: float, label: str, anchor: str, kind: str = "") -> Markup:
    return Markup('<text{} x="{:.1f}" y="{:.1f}" text-anchor="{}">{}</text>').format(
        Markup(' class="{}"').format(kind) if kind else "", x, y, anchor, escape(label)
    )
