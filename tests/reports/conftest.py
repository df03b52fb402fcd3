"""Reports of small traces, each made once."""

import sys
from pathlib import Path

import pytest
from iotrace.reports.report import page
from iotrace.reports.report.figures import Extra
from traces import HOSTILE, log

from iotrace.ingest.pipeline import ingest
from iotrace.store.store import Store

sys.path += [str(Path(__file__).parents[1] / folder) for folder in ("formats", "queries")]


@pytest.fixture(scope="session")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("reports")


@pytest.fixture(scope="session")
def hostile_store(folder: Path) -> Store:
    """A store whose files, program, trace and skipped lines are named so as to run scripts."""
    raw = folder / HOSTILE[3]
    damage = f"{HOSTILE[2]}\nwhat is {HOSTILE[3]} this\n"
    raw.write_text(log(HOSTILE, program=f"/bin/{HOSTILE[3]}") + damage, "utf-8")
    return ingest([raw], folder / "hostile.iotrace", format="strace")


@pytest.fixture(scope="session")
def hostile_html(hostile_store: Store) -> str:
    return page.report(hostile_store, extras=[Extra.PAPER])


@pytest.fixture(scope="session")
def hostile_page(folder: Path, hostile_html: str) -> Path:
    page = folder / "hostile.html"
    page.write_text(hostile_html, "utf-8")
    return page
