"""The questions of the cookbook: each is answered by one statement, from everywhere the same, on real traces."""

import csv
import json
import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb
import pytest
from iotrace.queries import cookbook

import iotrace
from iotrace.ingest import ingest
from iotrace.store.database import views_script
from iotrace.store.query import answered
from iotrace.store.store import Store

TRACES = os.environ.get("IOTRACE_TRACES")
FILES = {
    "kb": "strace/kernel-build.strace.zst",
    "mail": "strace/mail-server-r.strace.zst",
    "sqlite": "strace/sqlite-transactions.strace.zst",
    "msr": "block/msr-cambridge1-sample.csv",
    "tw": "keys/twitter-cluster52.csv.zst",
    "vpic": "parallel/darshan/dxt-explorer-vpic-192.darshan",
}
COLUMNS = {"tw": "csv:time=1:s,key=2,size=3"}
NIGHTLY = ("kb",)
ANSWERS = json.loads(Path(__file__).with_name("answers.json").read_text("utf-8"))
"""The trace of each question, and the rows of the answer."""
Opened = Callable[[str], Store]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """Give a trace's store, which is made once."""
    stores: dict[str, Store] = {}

    def store(name: str) -> Store:
        log = Path(str(TRACES)) / FILES[name]
        if not log.exists():
            pytest.skip(f"{log} is not there")
        if name not in stores:
            place = tmp_path_factory.mktemp("stores") / f"{name}.iotrace"
            stores[name] = ingest([log], place, format=COLUMNS.get(name))
        return stores[name]

    return store


def plain(rows: list[tuple[Any, ...]]) -> list[list[Any]]:
    return [[str(value) if hasattr(value, "year") else value for value in row] for row in rows]


CASES = [
    pytest.param(name, marks=pytest.mark.nightly if answer["trace"] in NIGHTLY else ())
    for name, answer in ANSWERS.items()
]


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of the larger traces")
@pytest.mark.parametrize("name", CASES)
def test_a_question_is_answered_everywhere_the_same(name: str, opened: Opened) -> None:
    trace, expected = ANSWERS[name]["trace"], ANSWERS[name]["rows"]
    (question,) = (one for one in cookbook.questions() if one.name == name)
    store = opened(trace)
    assert store.family.name == question.family
    with answered(store, question.sql, allow_files=False) as (answer,):
        assert (
            plain([tuple(row.values()) for batch in answer.batches() for row in batch.to_pylist()])
            == expected
        )
    assert plain(store.sql(question.sql).fetchall()) == expected
    assert plain(store.sql(question.sql).pl().rows()) == expected
    connection = duckdb.connect()
    connection.execute(views_script({"x": store.path}))
    assert plain(connection.execute(question.sql).fetchall()) == expected


def test_every_question_has_an_answer_and_at_most_two_joins() -> None:
    assert [one.name for one in cookbook.questions()] == list(ANSWERS)
    assert min(Counter(question.family for question in cookbook.questions()).values()) >= 10
    assert all(one.sql.count(" join ") <= 2 for one in cookbook.questions())


@pytest.mark.parametrize("question", cookbook.questions(), ids=lambda one: one.name)
def test_every_question_is_a_query_of_any_store(question: cookbook.Question, tmp_path: Path) -> None:
    log = tmp_path / "one.strace"
    log.write_text('7 100.000001 openat(AT_FDCWD, "/data/f.c", O_RDONLY) = 3 <0.000001>\n')
    store = iotrace.open(log)
    store.sql(question.sql).fetchall()
    kinds = store.connect().sql(question.sql).types
    assert "HUGEINT" not in map(str, kinds), "DuckDB's shell writes it otherwise than other whole numbers"


@pytest.mark.skipif(not TRACES, reason="IOTRACE_TRACES does not name the folder of the larger traces")
def test_requests_of_a_disk_are_those_of_the_raw_log(opened: Opened) -> None:
    store = opened("msr")
    moved: Counter[str] = Counter()
    asked: Counter[str] = Counter()
    for row in csv.reader((Path(str(TRACES)) / FILES["msr"]).open()):
        moved[row[3].lower()] += int(row[5])
        asked[row[3].lower()] += 1
    rows = store.sql("select operation, count(*), sum(bytes) from block_wide group by operation").fetchall()
    assert {name: (requests, moved) for name, requests, moved in rows} == {
        name: (asked[name], moved[name]) for name in asked
    }
