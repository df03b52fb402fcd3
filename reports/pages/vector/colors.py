"""The colours of the style sheet by day, in which pages and papers are drawn."""

import re
from functools import cache
from importlib.resources import files
from typing import Any

OTHER = "#7c828b"
"""The colour of what names none."""
_VARIABLE = re.compile(r"--([\w-]+):\s*(#[0-9a-f]{6})\b")


@cache
def _named() -> dict[str, str]:
    text = files("iotrace.reports.pages").joinpath("page.css").read_text("utf-8")
    return dict(reversed(_VARIABLE.findall(text)))


def paint(value: Any) -> str:
    """Return the colour that a drawing names; one of Plotly is taken as it is."""
    if isinstance(value, dict):
        return _named().get(str(value.get("$")), OTHER)
    return value if isinstance(value, str) and value.startswith("#") else OTHER
