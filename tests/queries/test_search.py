"""Tables found by words: a stranger's questions lead to the tables that answer them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.queries.search import MOST, kind, search

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


MENDED = {
    "how long do writes take on average": "call_wide answer_times time_by_call calls_by_name",
    "which files does a program open": "call_wide used_file named_call by_program storage_by_place top_files",
    "what is the largest file": "file top_files static_object datafiles_by_size",
    "which disk has the deepest queue": "queue_by_disk",
    "when is the disk busiest": "disk_load_over_time load_by_scale requests_over_time block_wide",
    "which calls return an error": "errors_by_call call_wide calls_by_name",
    "how many cache hits can I expect for my keys": "object_curve reuse_distances "
    "tenant_curve key_curve object_policies",
    "are requests aligned to 4k": "alignment",
    "which rank is the straggler": "shared_file_ranks time_by_job_rank rank_time rank_time_over_time",
    "time spent in fsync": "time_by_call call_wide slowest_calls",
    "which directory gets most of the io": "by_directory storage_by_place call_wide",
}
"""Questions by which the search was mended, and the tables and views that answer each."""
JUDGED = {
    "p99 read latency": "answer_times latency_by_size answers_by_time latency_by_depth calls_by_name",
    "which process waits longest for the disk": "wall_time_by_process storage_time storage_time_by_cause "
    "time_by_program by_process thread_interval storage_by_place",
    "how random is the io": "access_patterns sequentiality runs_by_length seek_distances",
    "read write ratio": "reads_and_writes_by_bytes reads_and_writes_by_requests "
    "operations references_by_type",
    "how much memory does the workload need": "working_set_over_time working_set_by_window "
    "page_cache_memory curve",
    "which files are written but never read": "files_read_and_written used_file files_by_category",
    "how soon is data overwritten": "written_data_lifetimes block_fate reaccess_intervals",
    "which keys are requested most": "key_wide key_io key_skew popularity_by_rank",
    "iops over time": "requests_over_time calls_over_time disk_load_over_time block_wide load_by_scale",
    "size of writes by mpi ranks": "access_wide sizes_by_layer parallel_io",
    "which container does the io": "by_cgroup process_cgroup",
    "what was a thread blocked on": "waits_by_stack off_cpu thread_event "
    "stack_frame thread_interval storage_time_by_cause",
    "list of processes and their command lines": "process process_name call_wide",
    "time between two requests": "interarrival_times request_interval",
    "how many files are opened and how often": "used_file file use used_file_by_size top_files static_object",
    "which job used the file system most": "io_by_job job_io jobs time_by_job_user time_by_job_file",
    "burstiness of requests": "load_by_scale interarrival_times load_bin",
    "memory mapped files": "mapping mapped_io unseen_mappings unseen_io",
    "how long does a block sit idle before it is used again": "reaccess_intervals popularity_decay "
    "block_reaccess block_age",
    "start time of the trace": "trace_start totals",
}
"""Questions that were written down before, and by which nothing was chosen."""


@pytest.mark.parametrize(("questions", "at_least"), [(MENDED, 9), (JUDGED, 18)])
def test_most_questions_lead_to_a_table_that_answers_them(questions: dict[str, str], at_least: int) -> None:
    answered = [
        question
        for question, names in questions.items()
        if {match.name for match in search(question, KNOWN)[:3]}.intersection(names.split())
    ]
    assert len(answered) >= at_least, sorted(set(questions) - set(answered))


def test_words_that_every_question_has_do_not_count() -> None:
    short = [match.name for match in search("slowest calls", KNOWN)]
    long = [match.name for match in search("Which are the slowest of my calls, please?", KNOWN)]
    assert short[:3] == long[:3]


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


def test_what_sql_cannot_name_is_marked() -> None:
    kinds = {name: kind(KNOWN[name]) for name in ("syscall", "call_wide", "time_by_call", "comparison")}
    assert kinds == {
        "syscall": "table",
        "call_wide": "view",
        "time_by_call": "statistic",
        "comparison": "result of a command",
    }
