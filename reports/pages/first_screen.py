"""The first screen of pages that compare, or show one subject: a sentence, the changes, and one picture."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pyarrow as pa
from iotrace.reports.pages.tables import csv_text
from iotrace.reports.pages.templates import template
from markupsafe import Markup


@dataclass(frozen=True)
class Picture:
    """A picture without a script, with its heading and its numbers; `id` names it in files."""

    id: str
    title: str
    drawing: Markup
    numbers: pa.Table
    legend: Sequence[tuple[str, str]] = ()
    """The colours of its parts, by their names in the style sheet, and what each stands for."""

    @property
    def csv(self) -> str:
        """Its numbers as CSV."""
        return csv_text(self.numbers)


def first_screen(
    headline: str, picture: Picture | None, changes: Sequence[tuple[str, str, str]] = (), heading: str = ""
) -> Markup:
    """Return the first screen; a change has its name, how much it is, and what noise explains."""
    return Markup(
        template("first_screen.html").render(
            headline=headline, picture=picture, changes=changes, heading=heading
        )
    )
