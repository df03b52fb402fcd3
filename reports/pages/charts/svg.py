"""A figure of lines over the cache's size as SVG, for a document that cannot run scripts."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from iotrace import units

WIDTH, HEIGHT = 860, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 70, 20, 74, 56
_COLORS = ("#9aa1ab", "#1a1e24", "#e0704b", "#0072b2", "#009e73", "#cc79a7", "#56388f", "#e69f00")


@dataclass(frozen=True)
class SvgLine:
    """A line: its name, and points of a size in bytes and a value in percent; it holds up to the next point or not."""

    name: str
    points: Sequence[tuple[float, float]]


def svg(title: str, lines: Sequence[SvgLine], upright: str) -> str:
    """Return a drawing: sizes to the right in powers of two, percentages upwards, both logarithmic.

    What is 0 is drawn at the bottom.
    """
    drawn = [line for line in lines if line.points]
    values = [value for line in drawn for _, value in line.points if value > 0] or [1.0]
    sizes = [size for line in drawn for size, _ in line.points] or [1.0]
    low, high = math.log10(max(min(values), max(values) / 1e4)) - 0.05, math.log10(max(values)) + 0.05
    first, last = math.log2(min(sizes)), max(math.log2(max(sizes)), math.log2(min(sizes)) + 1)

    def across(size: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * (math.log2(size) - first) / (last - first)

    def up(value: float) -> float:
        part = (math.log10(max(value, 10**low)) - low) / (high - low)
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * part

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="26" font-size="16" font-weight="600" fill="#1a1e24">{escape(title)}</text>',
        mark((WIDTH + _LEFT) / 2, HEIGHT - 12, "Size of the cache", "middle"),
        f'<text transform="translate(18 {(HEIGHT + _TOP - _BOTTOM) / 2}) rotate(-90)" text-anchor="middle"'
        f' fill="#59626e">{escape(upright)}</text>',
    ]
    for value in _marks(low, high):
        parts.append(rule(_LEFT, up(value), WIDTH - _RIGHT, up(value)))
        parts.append(mark(_LEFT - 8, up(value) + 4, f"{value:,.10g} %", "end"))
    for power in range(math.ceil(first), math.floor(last) + 1):
        if power % 4 == 0:
            parts.append(rule(across(2**power), _TOP, across(2**power), HEIGHT - _BOTTOM))
            parts.append(mark(across(2**power), HEIGHT - _BOTTOM + 20, units.size(2**power), "middle"))
    x = float(_LEFT)
    for number, line in enumerate(drawn):
        color = _COLORS[number % len(_COLORS)]
        path = " ".join(f"{across(size):.1f},{up(value):.1f}" for size, value in line.points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{color}" stroke-width="2.5"/>')
        parts.append(f'<line x1="{x}" x2="{x + 22}" y1="50" y2="50" stroke="{color}" stroke-width="3"/>')
        parts.append(mark(x + 28, 54, line.name, "start"))
        x += 48 + 7.2 * len(line.name)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _marks(low: float, high: float) -> list[float]:
    """Return round percentages in a range of logarithms: 1, 2, 5 where it is short."""
    steps = (1, 2, 5) if high - low < 2 else (1,)
    levels = [step * 10.0**power for power in range(math.floor(low), math.ceil(high) + 1) for step in steps]
    return [value for value in levels if 10**low <= value <= 10**high]


def rule(x1: float, y1: float, x2: float, y2: float) -> str:
    """Return a thin line of the grid."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="#e2e5ea"/>'


def mark(x: float, y: float, label: str, anchor: str) -> str:
    """Return words in the colour of axes."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="#59626e">{escape(label)}</text>'
