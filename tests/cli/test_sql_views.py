"""``iotrace sql`` makes only the views that a query may need; a query cannot tell."""

from pathlib import Path

import pytest
from program import Run

from iotrace import queries

VIEWS = [*queries.views(), *queries.names()]


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("select 1", []),
        ('from "Entry" limit 1', ["entry"]),
        ("with entry as (select 1) from entry", ["entry"]),
        ("show all tables", None),
        ("select view_name from duckdb_views()", None),
        ("from information_schema.tables", None),
        ("from query_table('ent' || 'ry')", None),
    ],
)
def test_the_views_of_a_query(text: str, made: list[str] | None) -> None:
    assert queries.views_for(text) == made


def test_all_views_are_listed_and_every_one_can_be_asked_for(run: Run, shared_store: Path) -> None:
    listed = run("sql", shared_store, "select view_name from duckdb_views() where not internal", "-f", "csv")
    assert set(VIEWS) <= set(listed.stdout.decode().split())
    together = "; ".join(f"from {name} limit 0" for name in VIEWS)
    assert run("sql", shared_store, f"{together}; select 1 as one", "-f", "csv").stdout == b"one\n1\n"


def test_an_unknown_name_is_told_what_is_like_it_among_all_views(run: Run, shared_store: Path) -> None:
    name = max(queries.names(), key=len)
    refused = run("sql", shared_store, f"from {name[:-1]}")
    assert refused.returncode == 1 and f'"{name}"'.encode() in refused.stderr
