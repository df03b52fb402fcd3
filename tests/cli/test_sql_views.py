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
        ("-- of all\nDESCRIBE totals", None),
        ("from (show tables)", None),
        ("from totals order by calls desc", ["totals"]),
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
    done = run("sql", shared_store, f"{together}; select 1 as one", "-f", "csv")
    assert done.returncode == 0 and done.stdout.endswith(f"# result_{len(VIEWS) + 1}\none\n1\n".encode())


def test_an_unknown_name_is_told_what_is_like_it_among_all_views(run: Run, shared_store: Path) -> None:
    name = max(queries.names(), key=len)
    refused = run("sql", shared_store, f"from {name[:-1]}")
    assert refused.returncode == 1 and f"most like it: {name}".encode() in refused.stderr
