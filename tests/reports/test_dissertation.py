"""Traces compared with the dissertation, in a browser: every figure is drawn, and nothing from a trace runs."""

import re
from pathlib import Path

import pytest
from browser import browse, needs_chromium
from traces import HOSTILE

from iotrace.papers.options import Options
from iotrace.papers.richardson.chapters import ModelPair
from iotrace.papers.richardson.page import write
from iotrace.papers.richardson.reproduction import all_tables
from iotrace.store.store import Store


@pytest.fixture(scope="module")
def names() -> list[str]:
    return [HOSTILE[0], HOSTILE[3]]


@pytest.fixture(scope="module")
def html(hostile_store: Store, names: list[str]) -> str:
    pair = ModelPair(hostile_store, hostile_store)
    return write(all_tables(dict.fromkeys(names, pair)), names)


def test_all_chapters_are_there(html: str) -> None:
    for id_ in ("chapter-3", "chapter-4", "chapter-5", "findings"):
        assert f'<section id="{id_}">' in html
    assert "Figure 4.15" in html and "Figure 5.20" in html


def test_chapter_5_alone_is_a_page_too(hostile_store: Store) -> None:
    options = Options(regions="bounds")
    html = write(all_tables({"one": ModelPair(hostile_store)}, options, chapters=["5"]), ["one"])
    assert "Figure 5.10" in html and "Figure 5.11" in html and "chapter-4" not in html


def test_a_figure_alone_is_a_page_too(hostile_store: Store) -> None:
    tables = all_tables({"one": ModelPair(hostile_store)}, chapters=["5"], figures=["5.10"])
    html = write(tables, ["one"])
    assert "Figure 5.10" in html and "Figure 5.11" not in html and "Table 5.1:" not in html


@needs_chromium
@pytest.mark.parametrize("width", [1280, 400])
def test_in_a_browser(html: str, tmp_path: Path, width: int) -> None:
    place = tmp_path / "index.html"
    place.write_text(html, "utf-8")
    seen = browse(place, tmp_path / "profile", width)
    assert seen.console == ()
    assert not re.search(r"<html[^>]*data-ran=", seen.document)
    plots = html.count('<div class="plot"')
    assert plots >= 20 and f'data-drawn="{plots}"' in seen.document
