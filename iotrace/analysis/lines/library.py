"""The lines of a figure over the size of a cache, described with it or taken from library.toml."""

import tomllib
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from importlib.resources import files
from typing import Any

from iotrace.analysis.lines.line import Line, read_lines


def lines_of(entry: Mapping[str, Any]) -> tuple[Line, ...]:
    """Return the lines that a figure's entry in TOML has.

    Those of `line`, and those of the library that `lines_of` names, of these only the ones labelled as `only` says;
    `names` are what the lines are called instead.
    """
    lines = [line for raw in entry.get("line", ()) for line in read_lines(raw)]
    if "lines_of" in entry:
        known = {line.label: line for raw in _library()[entry["lines_of"]] for line in read_lines(raw)}
        lines += [known[label] for label in entry.get("only", known)]
    if "names" in entry:
        lines = [replace(line, label=name) for line, name in zip(lines, entry["names"], strict=True)]
    return tuple(lines)


@cache
def _library() -> dict[str, list[dict[str, Any]]]:
    return tomllib.loads(files(__package__).joinpath("library.toml").read_text("utf-8"))
