"""A condition is one expression: what would be a query, a clause or a second statement is refused."""

import json

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples

from iotrace.errors import IotraceError
from iotrace.store.expressions import check_expression


@pytest.mark.parametrize(
    "text",
    [
        "true",
        "a < 3 and b like '%x'",
        "type in ('inode', 'directory')",
        "case when a then 'b' else c end",
        '"offset" // 4096',
        "size::double / 2 between 1 and 3",
        "list_contains([1, 2], a) -- a comment",
        "name = '; drop table x; --'",
        "name = 'select (select 1)'",
    ],
)
def test_an_expression(text: str) -> None:
    check_expression(text, "--where")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "true; copy (select 1) to 'x'",
        "true)) order by seq; copy (select 1) to 'x'; select ((true",
        "1) from read_text('/etc/passwd') where (true",
        "a) or (b",
        "1, 2",
        "1 as x",
        "a order by b",
        "a union select 1",
        "true limit 1",
        "(select content from read_text('/etc/passwd')) is not null",
        "exists (from read_csv('x'))",
        "a in (select 1)",
        "[x for x in (select [1])]",
        "/* not closed",
        "\udcff",
        "not " * 50_000 + "true",
        "(" * 20_000 + "1" + ")" * 20_000,
    ],
)
def test_what_is_no_single_expression(text: str) -> None:
    with pytest.raises(IotraceError) as caught:
        check_expression(text, "--where")
    assert "--where" in str(caught.value) and "\n" not in str(caught.value)


PIECES = [
    "true",
    "a",
    "1",
    "(",
    ")",
    ",",
    ";",
    " or ",
    "select ",
    " from r ",
    "--",
    "\n",
    "/*",
    "*/",
    "'",
    '"',
]


@examples(300)
@given(st.lists(st.sampled_from(PIECES), min_size=1, max_size=7).map("".join))
def test_what_is_accepted_stays_within_its_parentheses(text: str) -> None:
    try:
        check_expression(text, "--where")
    except IotraceError:
        return
    statement = f"select (\n{text}\n) as inside, 'after' as after from r where (\n{text}\n) or true"
    with duckdb.connect() as connection:
        ((tree,),) = connection.execute("select json_serialize_sql($1::varchar)", [statement]).fetchall()
    (parsed,) = json.loads(tree)["statements"]
    assert [column["alias"] for column in parsed["node"]["select_list"]] == ["inside", "after"]
    assert parsed["node"]["from_table"]["table_name"] == "r"
    assert parsed["node"]["where_clause"]["type"] == "CONJUNCTION_OR"
