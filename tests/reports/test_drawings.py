"""Drawings of anything that a statistic can return: they are JSON, and name colours that the style sheets have."""

import json
import re
from importlib.resources import files
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.reports.pages.charts import registry as drawings
from iotrace.reports.pages.charts.plot import text
from iotrace.reports.pages.compose import _json, _rounded
from iotrace.reports.report import figures
from iotrace.schemas.reference_types import TYPES
from property_tests import examples

from iotrace import queries

FIGURES = {figure.id: figure for family in ("syscall", "disk_io") for figure in figures.figures((family,))}
DRAWN = [figure for figure in FIGURES.values() if figure.query and figure.draw in drawings.DRAWINGS]
WORDS = {
    "type": TYPES,
    "class": ("read", "write", "read_write"),
    "access": ("read", "write", "read_write"),
    "pattern": ("whole_file", "sequential", "random"),
    "operation": ("all", "read", "write", "flush", "unknown"),
    "direction": ("backward", "none", "forward"),
    "pair": ("RAR", "RAW", "WAR", "WAW", "again"),
    "state": ("busy", "idle"),
    "fate": ("overwritten", "truncated", "deleted", "survived"),
}
NUMBERS = {
    "percent": st.floats(0, 100),
    "position": st.integers(0, 199),
}


def colors(sheet: str) -> set[str]:
    return set(re.findall(r"--([\w-]+):", (files("iotrace.reports.pages") / sheet).read_text("utf-8")))


def value(field: pa.Field) -> st.SearchStrategy[Any]:
    unit = field.metadata[b"unit"].decode()
    if pa.types.is_string(field.type):
        some = st.sampled_from(WORDS[field.name]) if field.name in WORDS else st.text()
    elif field.name.startswith("maximum_"):
        some = st.sampled_from([0, *(2**power for power in range(63)), 2**63 - 1])
    elif pa.types.is_floating(field.type):
        some = NUMBERS.get(unit, st.floats(0, 1e18))
    else:
        some = NUMBERS.get(unit, st.integers(0, 2**60))
    return st.none() | some if field.nullable else some


def named_colors(drawn: Any) -> set[str]:
    if isinstance(drawn, dict):
        own = {drawn["$"]} if set(drawn) == {"$"} else set()
        return own.union(*map(named_colors, drawn.values()))
    return set().union(*map(named_colors, drawn)) if isinstance(drawn, list) else set()


@pytest.mark.parametrize("figure", DRAWN, ids=lambda figure: figure.id)
@given(data=st.data())
@examples(30)
def test_whatever_a_statistic_returns_is_drawn(figure: figures.Figure, data: st.DataObject) -> None:
    schema = queries.query(figure.query or "").schema
    rows = data.draw(
        st.lists(st.fixed_dictionaries({field.name: value(field) for field in schema}), max_size=12)
    )
    for row in rows:
        if "start_ns" in row:
            row |= {"start_ns": row["window"] * 1000, "end_ns": (row["window"] + 1) * 1000}
    drawn = drawings.draw(figure.draw, pa.Table.from_pylist(rows, schema=schema), figure.arguments)
    if drawn is None:
        return
    shown = json.loads(_json(_rounded({"traces": drawn.traces, "layout": drawn.layout})))
    assert shown["traces"] and drawn.height > 100
    assert named_colors(shown) <= colors("page.css")


def test_both_style_sheets_have_the_same_colours() -> None:
    assert colors("dark.css") == colors("page.css") - {"share"}


@given(st.text())
def test_text_of_a_name_holds_no_mark_of_html(name: str) -> None:
    written = text(name)
    assert "<" not in written and ">" not in written
    assert written.isprintable()
