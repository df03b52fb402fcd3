"""The first screen on a terminal: at most 25 lines of 100 columns, plain in pipes."""

from __future__ import annotations

import re
import sys
import textwrap
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from typing import TYPE_CHECKING

from iotrace import units
from iotrace.cli.terminal import is_unicode, visible

if TYPE_CHECKING:
    from rich.text import Text

    from iotrace.analysis.answers.screen import Answer, Cache, FirstScreen, Time

WIDTH, LABEL, BAR = 100, 8, 60
"""Columns of the screen, of the labels at its left, and of the bar of time."""
PARTS = 5
"""Parts of time that the legend names; the others are added up."""
FILLS = "█▓▒░·"
PLAIN_FILLS = "#=+-."
COLORS = ("blue", "cyan", "magenta", "yellow", "bright_black")
LEVELS = "▁▂▃▄▅▆▇█"
UNITS = re.compile(r"(?<=\d) (?=(?:%|[nµm]?s|min|h|bytes?|[KMGT]B)(?:\W|$))")
"""The spaces between numbers and units, at which no line is broken."""
ACROSS = 2
"""Key figures on a line."""
POINTS = 40
"""At most this number of sizes of a curve are drawn."""


def print_screen(screen: FirstScreen, has_next: bool = True) -> None:
    """Print the screen on standard output, in colour where that is a terminal; without `has_next` no commands."""
    from rich.console import Console

    console = Console(highlight=False, soft_wrap=True)
    width = min(WIDTH, console.width) if sys.stdout.isatty() else WIDTH
    for line in lines(screen, max(width, 40), is_unicode(sys.stdout), has_next):
        console.print(line)


def lines(screen: FirstScreen, width: int, has_blocks: bool, has_next: bool = True) -> Iterator[Text]:
    """Yield the lines; `has_blocks` is whether block characters can be written, `has_next` whether commands follow."""
    about = " · ".join(screen.about)
    if _cells(PurePath(screen.name).name) + 2 + _cells(about) > width:
        about = re.sub(r" \([^()]*\)$", "", about)
    name = _fit(PurePath(screen.name).name, max(width - _cells(about) - 2, 24))
    yield _line(f"{name}  {about}", width)
    yield from _sentence(screen.headline.sentence, "", width, "bold")
    for caution in screen.cautions[:1]:
        yield from _sentence(caution, "", width, "yellow")
    if screen.time is not None:
        yield _line("", width)
        yield from _time(screen.time, width, has_blocks)
    if screen.change is not None:
        yield _line("", width)
        yield from _change(screen.change, width)
    if screen.cache is not None:
        yield _line("", width)
        yield from _cache(screen.cache, width, has_blocks, screen.cache.sentence == screen.headline.sentence)
    yield _line("", width)
    yield from _figures(screen, width)
    if not has_next:
        return
    yield _line("", width)
    for label, command in zip(("Next", ""), screen.commands, strict=True):
        yield _line(f"{label:<{LABEL}}{command}", width)


def _time(time: Time, width: int, has_blocks: bool) -> Iterator[Text]:
    from rich.text import Text

    if not time.amounts:
        yield from _sentence(time.sentence, "Time", width)
        return
    fills = FILLS if has_blocks else PLAIN_FILLS
    shown = list(time.amounts[: PARTS if len(time.amounts) <= PARTS else PARTS - 1])
    whole = sum(amount.value or 0 for amount in time.amounts)
    rest = whole - sum(amount.value or 0 for amount in shown)
    values = [amount.value or 0 for amount in shown] + ([rest] if len(shown) < len(time.amounts) else [])
    legend = [f"{amount.name} {amount.shown}" for amount in shown]
    legend += [f"other {units.duration(1e9 * rest)}"] if len(values) > len(shown) else []
    room = min(BAR, width - LABEL)
    bar = Text(f"{'Time':<{LABEL}}")
    for index, columns in enumerate(_columns(values, room)):
        bar.append(fills[index] * columns, COLORS[index])
    yield bar
    yield from _listed([(fills[index], COLORS[index], label) for index, label in enumerate(legend)], width)
    if time.unrecorded:
        yield from _sentence(time.unrecorded, " ", width)
    if time.leaders:
        is_slowest = time.leaders[0].kind == "slowest"
        lead = f"{time.bounds or ('longest' if is_slowest else 'most')}: "
        fixed = sum(_cells(f"{leader.kind}  {leader.shown}") for leader in time.leaders) + 3 * len(
            time.leaders
        )
        rooms = _shared(
            [_cells(visible(leader.name)) for leader in time.leaders], width - LABEL - len(lead) - fixed
        )
        kinds = ["" if leader.kind == "slowest" else f"{leader.kind} " for leader in time.leaders]
        named = [
            f"{kind}{_fit(leader.name, room)} {leader.shown}"
            for kind, leader, room in zip(kinds, time.leaders, rooms, strict=True)
        ]
        yield _line(f"{'':<{LABEL}}{lead}{' · '.join(named)}", width)
    below = time.note if time.is_of_jobs else time.causes
    if below:
        yield from _sentence(below, " ", width)


def _shared(wanted: Sequence[int], room: int) -> list[int]:
    """Return how many columns each text gets of a room: those that want little all of it, the others the same."""
    given = [0] * len(wanted)
    for left, place in zip(
        range(len(wanted), 0, -1), sorted(range(len(wanted)), key=wanted.__getitem__), strict=True
    ):
        given[place] = min(wanted[place], room // left)
        room -= given[place]
    return given


def _columns(values: Sequence[float], room: int) -> list[int]:
    """Return how many columns of a bar each value has; what is there has one at least, and all have the room."""
    whole = sum(values) or 1
    columns = [max(1, round(room * value / whole)) if value else 0 for value in values]
    largest = max(range(len(columns)), key=lambda index: columns[index])
    columns[largest] += room - sum(columns)
    return columns


def _listed(parts: Sequence[tuple[str, str, str]], width: int) -> Iterator[Text]:
    """Yield a legend: each part with the character and the colour of its piece of the bar."""
    from rich.text import Text

    line = Text(" " * LABEL)
    for fill, color, label in parts:
        if len(line.plain) > LABEL and line.cell_len + len(label) + 3 > width:
            yield line
            line = Text(" " * LABEL)
        line.append(fill, color)
        line.append(f" {label}  ")
    line.rstrip()
    yield line


def _change(change: Answer, width: int) -> Iterator[Text]:
    if not change.amounts:
        yield from _sentence(change.sentence, "Change", width)
        return
    longest = max(len(amount.shown) for amount in change.amounts)
    for number, amount in enumerate(change.amounts, 1):
        label = f"{'Change' if number == 1 else '':<{LABEL}}"
        room = width - LABEL - 3 - longest - 2
        title = f"{amount.name}: {_found(visible(amount.found), room - _cells(amount.name) - 2)}"
        yield _line(
            f"{label}{number}. {title}{' ' * (room - _cells(title))}  {amount.shown:>{longest}}", width
        )


def _found(found: str, room: int) -> str:
    """Return what was found in a room, without what else there is, or the place with most, where that is too long."""
    forms = [found, re.sub(r" \([^()]*\)$", "", found), found.rpartition(", ")[0] or found]
    return next((form for form in forms if _cells(form) <= room), _fit(min(forms, key=len), room))


def _cache(cache: Cache, width: int, has_blocks: bool, is_said: bool) -> Iterator[Text]:
    if cache.is_of_objects and cache.amounts:
        listed = [f"{amount.name} {amount.shown}" for amount in cache.amounts]
        yield from _sentence(f"misses of {', '.join(listed)}", "Cache", width)
    elif not is_said or not cache.amounts or len(cache.points) < 2:
        yield from _sentence(cache.sentence, "Memory" if cache.is_of_memory else "Cache", width)
    if cache.why_not_memory:
        yield from _sentence(f"Linux's page cache cannot be predicted: {cache.why_not_memory}.", " ", width)
    if has_blocks and len(cache.points) > 1:
        step = -(-len(cache.points) // POINTS)
        points = [*cache.points[:-1:step], cache.points[-1]]
        drawn = "".join(LEVELS[min(7, int(8 * share / 100))] for _, share in points)
        size = units.size if cache.is_in_bytes else lambda number: f"{units.count(number)} objects"
        knee = f"; 90 % of its hits from {size(cache.knee)}" if cache.knee is not None else ""
        knee = f"; the program had {units.size(cache.today)}" if cache.today is not None else knee
        counted = "reads" if cache.is_of_memory else "misses"
        span = f"{counted} from {size(points[0][0])} {drawn} to {size(points[-1][0])}"
        yield _line(f"{'':<{LABEL}}{span}{knee}", width)


def _figures(screen: FirstScreen, width: int) -> Iterator[Text]:
    each = (width - LABEL) // ACROSS
    cells = [f"{figure.shown} {figure.label}" for figure in screen.figures]
    for start in range(0, len(cells), ACROSS):
        row = "".join(_padded(_fit(cell, each - 2), each) for cell in cells[start : start + ACROSS])
        yield _line(f"{'' if start else 'Figures':<{LABEL}}{row.rstrip()}", width)


def _sentence(sentence: str, label: str, width: int, style: str = "") -> Iterator[Text]:
    from rich.text import Text

    indent = LABEL if label else 0
    joined = UNITS.sub("\u00a0", visible(sentence))
    wrapped = textwrap.wrap(joined, width - indent, break_on_hyphens=False, max_lines=2, placeholder=" …")
    for number, line in enumerate(wrapped):
        yield Text(f"{'' if number else label:<{indent}}{line}".replace("\u00a0", " "), style)


def _line(text: str, width: int) -> Text:
    from rich.text import Text

    return Text(_fit(visible(text), width))


def _cells(text: str) -> int:
    from rich.cells import cell_len

    return cell_len(text)


def _fit(text: str, room: int) -> str:
    """Return a text of at most `room` columns, cut in the middle where it has more."""
    text, room = visible(text), max(room, 8)
    while _cells(text) > room:
        text = units.shortened(text, min(len(text) - 1, room))
        room -= 0 if _cells(text) <= room else 1
    return text


def _padded(text: str, width: int) -> str:
    return text + " " * (width - _cells(text))
