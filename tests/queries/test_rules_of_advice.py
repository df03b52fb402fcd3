"""Each rule of advice speaks of a small log that shows its habit often enough, and not of one that just does not."""

import re
from pathlib import Path

import advised_tables
import duckdb
import pytest
from advised_logs import CASES, Log
from defective_jobs import DEFECTS
from iotrace.queries.rules import parse, rules
from iotrace.queries.script import StoreViews
from tiny_store import connect

from iotrace import queries
from iotrace.analysis.advice import Card, advise
from iotrace.analysis.advice.ask import card_of
from iotrace.analysis.advice.words import at_stake
from iotrace.analysis.characterize import prepared
from iotrace.ingest import append, ingest

OF_THE_MODEL = {"short_memory"}
"""A recording of a kernel triggers these; tests/truth/test_short_memory.py has their cases."""


def found(name: str, times: int, folder: Path) -> list[Card]:
    log = folder / f"{times}.strace"
    log.write_text(CASES[name][0](times))
    return list(advise(ingest([log], folder / f"{times}.iotrace"), [name]).cards)


@pytest.mark.parametrize("name", CASES)
def test_a_rule_speaks_from_its_threshold_on(name: str, tmp_path: Path) -> None:
    least = CASES[name][1]
    assert found(name, least - 1, tmp_path) == []
    (card,) = found(name, least, tmp_path)
    assert card.at_stake_s is None or card.at_stake_s > 0
    assert card.evidence and "{" not in card.title


@pytest.mark.parametrize("name", ["idle_seeks", "polling", "seek_then_access", "unopened_descriptors"])
def test_what_two_hosts_do_is_not_what_a_process_does(name: str, tmp_path: Path) -> None:
    """Both have a process 100 that works on the same paths, once less than the rule speaks of."""
    text = CASES[name][0](CASES[name][1] - 1)
    for host, start in (("one", "17"), ("other", "18")):
        (tmp_path / f"{host}.strace").write_text(
            re.sub(r"^(\d+ )17", rf"\g<1>{start}", text, flags=re.MULTILINE)
        )
        store = append.append(tmp_path / "hosts.iotrace", [tmp_path / f"{host}.strace"], host)
    assert store.manifest["counts"]["processes"] == 2
    assert advise(store, [name]).cards == ()


@pytest.mark.parametrize("name", advised_tables.CASES)
def test_a_rule_of_disks_and_ranks_speaks_from_its_threshold_on(name: str) -> None:
    made, least = advised_tables.CASES[name]
    assert found_in(name, made(least - 1)) is None
    card = found_in(name, made(least))
    assert card is not None and card.evidence and "{" not in card.title
    assert card.at_stake_s is not None and card.at_stake_s > 0


def test_an_assumed_alignment_is_said_to_be_assumed() -> None:
    card = found_in(
        "misaligned_parallel_requests", advised_tables.CASES["misaligned_parallel_requests"][0](100)
    )
    assert card is not None
    assert card.title == (
        "100 requests are not aligned to 4 KB, all to /scratch/out; the file system's alignment is not in the trace"
    )


def found_in(name: str, tables: advised_tables.Tables) -> Card | None:
    rule = rules()[name]
    with connect(**tables) as connection:
        needs = [need for need in rule.needs if need not in queries.TABLES]
        with prepared(connection, needs, {}):
            return card_of(connection, rule)


def test_long_runs_of_a_program_are_no_short_ones(tmp_path: Path) -> None:
    log = CASES["short_processes"][0](60)
    (tmp_path / "long.strace").write_text(
        log.replace("200 1700000000.003000 +++", "200 1700000009.003000 +++")
    )
    (card,) = advise(ingest([tmp_path / "long.strace"], tmp_path / "long.iotrace"), ["short_processes"]).cards
    assert "59 times" in card.title
    assert card.at_stake_s is not None and card.at_stake_s < 1


def test_every_rule_has_a_trace_that_triggers_it() -> None:
    assert set(CASES) == set(rules("syscall")) - OF_THE_MODEL
    assert {rule for _, rule in DEFECTS.values()} == set(rules("darshan_job"))
    assert set(advised_tables.CASES) == set(rules()) - set(CASES) - set(rules("darshan_job")) - OF_THE_MODEL


@pytest.mark.parametrize("name", rules())
def test_a_rule_gives_evidence(name: str) -> None:
    """The statement runs on a store without rows, by the names that its table promises."""
    connection = duckdb.connect()
    connection.execute(StoreViews(present=()).script())
    statement = f"describe select * from ({rules()[name].sql})"
    columns = {row[0]: row[1] for row in connection.execute(statement).fetchall()}
    result = "evidence_of_counters" if rules()[name].family == "darshan_job" else "evidence"
    assert list(columns) == [column.name for column in queries.results()[result].columns]


def test_what_is_at_stake_is_what_the_log_says(tmp_path: Path) -> None:
    """20 syncs of 0.1 ms by one process; the journal's four calls of 0.1 ms, ten times."""
    (card,) = found("sync_storm", 20, tmp_path)
    assert (card.title, card.evidence[0].number) == ("20 syncs, all of /data/file", 20)
    assert card.at_stake_s == pytest.approx(0.002)
    (card,) = found("journal_cycle", 10, tmp_path)
    assert card.title == "/data/x.db-journal is made and deleted 10 times"
    assert card.at_stake_s == pytest.approx(0.004)


def test_reading_byte_by_byte_is_measured_by_the_calls_that_a_buffer_saves(tmp_path: Path) -> None:
    (card,) = found("small_sequential_reads", 1000, tmp_path)
    assert card.at_stake_s == pytest.approx(0.1 * 999 / 1000)


def test_a_path_is_resolved_once_for_nothing(tmp_path: Path) -> None:
    """The first call for a path is needed; only the 100 that repeat it are at stake."""
    (card,) = found("repeated_readlinks", 100, tmp_path)
    assert card.title == "100 repeated readlink calls, all of /usr/include"
    assert card.at_stake_s == pytest.approx(100 * 0.0001)
    assert not list(
        advise(ingest([tmp_path / "100.strace"], tmp_path / "again"), ["open_churn", "failed_lookups"]).cards
    )


def test_bytes_read_again_are_those_beyond_the_different_ones(tmp_path: Path) -> None:
    (card,) = found("rereads", 5, tmp_path)
    assert card.at_stake_bytes == 4 * (1 << 18)
    assert card.at_stake_s == pytest.approx(5 * 0.0001 * 4 / 5)


def reading(passes: list[tuple[int, int]]) -> str:
    """A file of 1 MB that is read from start to end several times: by the bytes and microseconds of each read."""
    log = Log()
    for length, us in passes:
        log.call("openat", 'AT_FDCWD, "/data/f", O_RDONLY', 3)
        for _ in range((1 << 20) // length):
            log.call("read", f'3, "x"..., {length}', length, us)
        log.call("close", "3", 0)
    return log.text()


def test_the_time_of_first_reads_is_not_that_of_rereads(tmp_path: Path) -> None:
    """16 reads of 10 ms from storage, then 2 x 16 of 0.1 ms from memory, and in pieces of another size."""
    cold, warm = (1 << 16, 10_000), (1 << 16, 100)
    card = card_of_log(reading([cold, warm, warm]), "rereads", tmp_path)
    assert card.at_stake_s == pytest.approx(32 * 0.0001)
    card = card_of_log(reading([cold, (1 << 18, 300), warm]), "rereads", tmp_path)
    assert card.at_stake_s == pytest.approx(4 * 0.0003 + 16 * 0.0001)
    assert card.at_stake_bytes == 2 << 20


def test_a_title_says_most_only_of_more_than_half(tmp_path: Path) -> None:
    """Look-ups in two directories: 60 and 40 %, then half each; what several processes do at a path counts together."""
    for first, said in ((60, "most in /a"), (50, "50 in /a"), (100, "all in /a")):
        log = Log()
        for place in range(100):
            folder, us = ("/a", 200) if place < first else ("/b", 100)
            log.call("access", f'"{folder}/no{place}", F_OK', "-1 ENOENT (No such file or directory)", us)
        assert card_of_log(log.text(), "failed_lookups", tmp_path).title == (
            f"100 look-ups of files that do not exist, {said}"
        )
    log = Log()
    log.call("vfork", "", 200)
    for place in range(100):
        log.call("openat", 'AT_FDCWD, "/data/f", O_RDWR|O_CREAT, 0644', 3, thread=100 + 100 * (place % 2))
        log.call("fsync", "3", 0, thread=100 + 100 * (place % 2))
        log.call("close", "3", 0, thread=100 + 100 * (place % 2))
    card = card_of_log(log.text(), "sync_storm", tmp_path)
    assert (card.title, card.places) == ("100 syncs, all of /data/f", 2)


def card_of_log(log: str, rule: str, folder: Path) -> Card:
    place = folder / "made.strace"
    place.write_text(log)
    (card,) = advise(ingest([place], folder / f"{len(list(folder.iterdir()))}.iotrace"), [rule]).cards
    return card


def test_a_directory_has_one_name_with_a_dot_before_it_and_without(tmp_path: Path) -> None:
    log = Log()
    for place in range(100):
        folder = ("include/", "./include/", "", "./")[place % 4]
        log.call("access", f'"{folder}no{place}", F_OK', "-1 ENOENT (No such file or directory)")
    card = card_of_log(log.text(), "failed_lookups", tmp_path)
    assert {one.path: one.number for one in card.evidence} == {"include": 50, "(working directory)": 50}


def test_what_starts_cost_is_judged_by_the_quickest_run(tmp_path: Path) -> None:
    """60 runs of 3 ms, of which one took 1 ms: 59 of these 1 ms could be saved."""
    log = CASES["short_processes"][0](60)
    assert "200 1700000000.003000 +++" in log
    quick = log.replace("200 1700000000.003000 +++", "200 1700000000.002000 +++")
    slow, fast = (card_of_log(text, "short_processes", tmp_path).at_stake_s for text in (log, quick))
    assert slow is not None and fast is not None
    assert fast == pytest.approx(slow - 59 * 0.001)


def without_lengths(log: str) -> str:
    return re.sub(r" <[0-9.]+>$", "", log, flags=re.MULTILINE)


def test_of_calls_without_a_length_nothing_is_too_small(tmp_path: Path) -> None:
    """A habit with little at stake is left out where its time is known, and kept where the trace does not say."""
    log = CASES["failed_lookups"][0](100).replace("100 1700000000.101000 +++", "100 1700000100.000000 +++")
    assert "1700000100" in log
    (tmp_path / "with.strace").write_text(log + "\n")
    (tmp_path / "without.strace").write_text(without_lengths(log) + "\n")
    timed, bare = (
        advise(ingest([tmp_path / f"{name}.strace"], tmp_path / f"{name}.iotrace"))
        for name in ("with", "without")
    )
    assert (timed.whole.is_bound, timed.cards, timed.small) == (False, (), 1)
    assert (bare.whole.is_bound, [at_stake(card, bare) for card in bare.cards]) == (
        True,
        ["time not recorded"],
    )


GOOD = """-- A title
--
-- A paragraph.
--
-- Source: here.
-- Family: syscall
-- Change: It.
-- Do: this.
-- Check: that.
-- Confidence: low. A guess.
--
-- Thresholds:
--   least  5  Of them.

select 1 where $least > 0
"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("-- Check: that.\n", ""),
        ("Confidence: low", "Confidence: certain"),
        ("Family: syscall", "Family: tape"),
        ("$least", "5"),
        ("$least", "$most"),
        ("least  5  Of them.", "least  five  Of them."),
        ("-- A paragraph.\n--\n", ""),
    ],
)
def test_a_bad_header_is_refused(before: str, after: str) -> None:
    assert parse("good", GOOD).sql == "select 1 where 5 > 0\n"
    with pytest.raises(queries.MalformedQuery):
        parse("bad", GOOD.replace(before, after))


def test_what_to_change_is_a_few_words() -> None:
    for rule in rules().values():
        assert len(rule.change.split()) <= 7, rule.name
        assert rule.change[0].isupper() and rule.change[-1].isalnum(), rule.name
