"""The seek curve of a drive as SVG (Biswas, Ramakrishnan and Towsley 1993, figure 3.1)."""

from collections.abc import Sequence
from html import escape

from iotrace.reports.pages.charts.svg import HEIGHT, WIDTH, mark, rule
from iotrace.reports.pages.escape import printable

_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 28, 56, 56
_MOST_POINTS = 1200
_LINE = "#0072b2"


def seek_plot(title: str, times_ns: Sequence[int], points: Sequence[tuple[int, float]]) -> str:
    """Return a drawing: distance in cylinders to the right, milliseconds upwards, both linear from 0.

    ``times_ns`` are the times of all distances from 0, drawn as a line from 1 on; ``points`` (cylinders, ms) are
    marked: what was measured.
    """
    last = max(1, len(times_ns) - 1)
    step, highest = _scale(max([*times_ns, 1]) / 1e6)
    across_step, _ = _scale(last)

    def across(distance: float) -> float:
        return _LEFT + (WIDTH - _LEFT - _RIGHT) * distance / last

    def up(milliseconds: float) -> float:
        return HEIGHT - _BOTTOM - (HEIGHT - _TOP - _BOTTOM) * milliseconds / highest

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
        ' font-family="ui-sans-serif, system-ui, sans-serif" font-size="13">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
        f'<text x="{_LEFT}" y="30" font-size="16" font-weight="600" fill="#1a1e24">{escape(printable(title))}</text>',
        mark((WIDTH + _LEFT - _RIGHT) / 2, HEIGHT - 12, "Seek distance in cylinders", "middle"),
        f'<text transform="translate(18 {(HEIGHT + _TOP - _BOTTOM) / 2}) rotate(-90)" text-anchor="middle"'
        ' fill="#59626e">Seek time in milliseconds</text>',
    ]
    for number in range(round(highest / step) + 1):
        parts.append(rule(_LEFT, up(number * step), WIDTH - _RIGHT, up(number * step)))
        parts.append(mark(_LEFT - 8, up(number * step) + 4, f"{number * step:g}", "end"))
    for number in range(int(last / across_step) + 1):
        parts.append(
            mark(across(number * across_step), HEIGHT - _BOTTOM + 20, f"{number * across_step:,g}", "middle")
        )
    drawn = sorted({*range(1, last + 1, -(-last // _MOST_POINTS)), *range(1, min(last, 200)), last})
    path = " ".join(f"{across(d):.1f},{up(times_ns[d] / 1e6):.1f}" for d in drawn if d < len(times_ns))
    parts.append(f'<polyline points="{path}" fill="none" stroke="{_LINE}" stroke-width="2"/>')
    parts += [
        f'<circle cx="{across(distance):.1f}" cy="{up(time):.1f}" r="2.6" fill="#ffffff" stroke="{_LINE}"/>'
        for distance, time in points
        if distance <= last
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _scale(most: float) -> tuple[float, float]:
    """Return a round step that gives at most nine marks, and its first multiple that is not less than ``most``."""
    power = 10.0 ** (len(str(int(most))) - 2)
    step = next(step * power for step in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20) if most <= 8 * step * power)
    return step, -(-most // step) * step
