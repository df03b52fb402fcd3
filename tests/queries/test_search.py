"""Tables found by words: a stranger's questions lead to the tables that answer them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.queries.search import MOST, search

from iotrace import queries

KNOWN = queries.described()


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("latency peak", "latency_over_time"),
        ("slow fsync", "slowest_calls"),
        ("wall clock time of a call", "call_wide"),
        ("bytes per rank", "access_wide"),
        ("hottest blocks", "block_skew"),
        ("cache hit ratio by tenant", "requests_by_tenant"),
        ("which program used most time", "time_by_program"),
        ("queue depth", "latency_by_depth"),
        ("size of requests", "requests_by_size"),
        ("errors by system call", "call_wide"),
        ("sequential or random", "access_patterns"),
        ("which files were read and written", "files_read_and_written"),
    ],
)
def test_a_question_leads_to_its_table(question: str, name: str) -> None:
    assert name in [match.name for match in search(question, KNOWN)][:3]


@pytest.mark.parametrize("name", [*queries.views(), *queries.names()])
def test_a_name_finds_itself_first(name: str) -> None:
    assert search(name, KNOWN)[0].name == name


@given(st.text())
def test_any_text_is_searched(text: str) -> None:
    matches = search(text, KNOWN)
    assert len(matches) <= MOST and len({match.name for match in matches}) == len(matches)


def test_columns_that_words_name_are_shown() -> None:
    (match,) = (one for one in search("pid program", KNOWN) if one.name == "call_wide")
    assert {"program", "pid"} <= set(match.columns)
