"""Advice on the counters of made jobs: each defect is seen if it matters, and a job without one gets no advice."""

import json
import random
from dataclasses import replace
from pathlib import Path

import pytest
from clean_jobs import CLEAN, clean
from counted_jobs import Made, mpiio, posix
from darshan_logs import log, old_log, one_of_each
from defective_jobs import DEFECTS, defective, strongest
from hypothesis import given
from hypothesis import strategies as st
from iotrace.queries.rules import rules
from program import Run, refused
from property_tests import sampled

from iotrace.analysis.advice import Advice, Card, advise
from iotrace.analysis.advice.ask import counted_once
from iotrace.analysis.advice.cards import Seconds
from iotrace.ingest import ingest

BELOW, AT = 0.004, 0.02
"""Shares of the run that are lost: not worth a word, and worth one."""


def advice_on(content: bytes, folder: Path, is_all: bool = False) -> Advice:
    (folder / "t.darshan").write_bytes(content)
    return advise(ingest([folder / "t.darshan"], folder / "t.iotrace"), is_all=is_all)


@pytest.mark.parametrize("name", sampled(list(DEFECTS), 10))
def test_a_strong_defect_is_said_first(name: str, tmp_path: Path) -> None:
    content, rule = defective(name, strongest(name))
    advice = advice_on(content, tmp_path)
    assert advice.leader is not None
    assert advice.leader.rule.name == rule


@pytest.mark.parametrize("name", sampled(list(DEFECTS), 10))
def test_a_defect_that_matters_is_said(name: str, tmp_path: Path) -> None:
    content, rule = defective(name, AT)
    assert rule in [card.rule.name for card in advice_on(content, tmp_path).cards]


@pytest.mark.parametrize("name", sampled(list(DEFECTS), 10))
def test_a_defect_that_costs_less_than_a_hundredth_is_not_said(name: str, tmp_path: Path) -> None:
    assert advice_on(defective(name, BELOW)[0], tmp_path).cards == ()


@pytest.mark.parametrize("name", sampled(list(CLEAN), 10))
def test_a_clean_job_gets_no_advice(name: str, tmp_path: Path) -> None:
    assert [card.rule.name for card in advice_on(clean(name), tmp_path).cards] == []


def test_a_job_whose_calls_are_collective_is_not_told_to_make_them_so(tmp_path: Path) -> None:
    """Sixteen of sixteen writes are collective, and each is a request of POSIX, too."""
    made = Made(ranks=4, hints="cb_nodes=4")
    file = made.file("/scratch/a")
    made.add("MPI-IO", file, **mpiio("write", 16, 4096, 8.0, collective=True, opens=4))
    made.add("POSIX", file, **posix("write", 16, 4096, 7.5, opens=4))
    advice = advice_on(made.log(4), tmp_path, is_all=True)
    assert "independent_calls" not in [card.rule.name for card in advice.cards]
    assert "small_requests" not in [card.rule.name for card in advice.cards]


def test_a_rank_that_prints_is_not_told_to_share_its_data(tmp_path: Path) -> None:
    made = Made()
    made.add("STDIO", made.file("<STDOUT>"), 0, opens=1, writes=9_000, bytes_written=40_000, f_write_time=5)
    advice = advice_on(made.log(60), tmp_path, is_all=True)
    assert advice.cards == ()


@pytest.mark.parametrize("hints", ["cb_nodes=4", "romio_cb_write=enable;cb_nodes=4"])
def test_a_hint_that_is_set_is_not_advised(tmp_path: Path, hints: str) -> None:
    made = DEFECTS["collective writes without buffering"][0]()
    made.hints = hints
    advice = advice_on(made.log(made.loss_s / (made.ranks * 0.5)), tmp_path)
    assert ("collective_calls_without_buffering" in [card.rule.name for card in advice.cards]) == (
        "romio" not in hints
    )


def test_snippets_are_of_libraries_that_the_job_uses(tmp_path: Path) -> None:
    for name, has in (("independent writes", set()), ("independent writes of HDF5", {"HDF5"})):
        (tmp_path / name).mkdir()
        card = advice_on(defective(name, 0.5)[0], tmp_path / name).cards[0]
        assert {library for library, _ in card.snippets} == {"MPI-IO", *has}


def test_evidence_has_the_counters(tmp_path: Path) -> None:
    card = advice_on(defective("collective writes without buffering", 0.5)[0], tmp_path).cards[0]
    assert card.evidence[0].number == 320_000 and card.evidence[0].path == "/scratch/field.nc"
    assert card.evidence[0].detail == (
        "320,000 of 320,000 writes of MPI-IO are collective, requests of POSIX move 32,768 bytes on average;"
        " hints: cb_nodes=4"
    )


def test_seconds_that_several_cards_share_count_once(tmp_path: Path) -> None:
    """A shared file whose pieces are unaligned and on one target: both rules have the same writes at stake."""
    made = Made()
    file = made.file("/lustre/records.dat")
    counters = posix("write", 64_000, 4_200_000, 5_000.0, unaligned=1, alignment=4 << 20, opens=64)
    made.add("POSIX", file, **counters | {"f_slowest_rank_time": 80.0})
    made.stripes[file] = (1 << 20, 1, 96)
    advice = advice_on(made.log(100), tmp_path)
    assert {card.rule.name for card in advice.cards} == {"few_stripes", "unaligned_requests"}
    first, second = advice.cards
    assert (first.shared_s, second.at_stake_s) == (0, pytest.approx(5_000 - (first.at_stake_s or 0)))
    assert second.whole_stake_s == pytest.approx(5_000 * 4194304 / (4194304 + 4_200_000))


def stakes() -> st.SearchStrategy[list[dict[str, float]]]:
    return st.lists(st.dictionaries(st.sampled_from("abc"), st.floats(0, 10), max_size=3), max_size=4)


@given(stakes(), st.dictionaries(st.sampled_from("abc"), st.floats(0, 12)))
def test_no_more_is_at_stake_than_there_is(cards: list[dict[str, float]], whole: dict[str, float]) -> None:
    rule = rules("darshan_job")["small_requests"]
    made = [
        Card(
            rule, "", sum(card.values()), None, (), 0,
            seconds={name: Seconds(min(s, whole.get(name, s)), whole.get(name)) for name, s in card.items()},
        )
        for card in cards
    ]  # fmt: skip
    made = [replace(card, at_stake_s=sum(s.at_stake_s for s in card.seconds.values())) for card in made]
    counted = counted_once(made)
    for before, after in zip(made, counted, strict=True):
        assert after.whole_stake_s == pytest.approx(before.at_stake_s)
    limits = {name: whole.get(name, float("inf")) for card in cards for name in card}
    assert sum(card.at_stake_s or 0 for card in counted) <= sum(limits.values()) + 1e-9


@pytest.mark.parametrize("form", ["3.41", "3.10", "2.06", "1.21"])
def test_any_counters_get_advice_without_an_error(tmp_path: Path, form: str) -> None:
    """Counters by chance: of 2**62 bytes, of -1 where nothing was observed, of ranks that there are not."""
    if form < "3":
        content = old_log(form, ">", 40, random.Random(form))[0]
    else:
        content = log(one_of_each("<", random.Random(form), form), form)
    advice = advice_on(content, tmp_path, is_all=True)
    for card in advice.cards:
        assert card.at_stake_s is None or card.at_stake_s >= 0


def test_of_several_logs_each_piece_of_evidence_names_its_log(tmp_path: Path, run: Run) -> None:
    logs = tmp_path / "logs"
    logs.mkdir()
    for name, run_s in (("small reads of own files", 12), ("small writes of own files", 40)):
        (logs / f"{run_s}.darshan").write_bytes(DEFECTS[name][0]().log(run_s))
    store = tmp_path / "all.iotrace"
    assert run("ingest", logs, "-o", store).returncode == 0
    (card,) = json.loads(run("advice", store, "-f", "json").stdout)
    assert {one["process"].rpartition("/")[2] for one in card["evidence"]} <= {"12.darshan", "40.darshan"}


def test_the_command_shows_snippets_and_the_share_of_the_run(tmp_path: Path, run: Run) -> None:
    (tmp_path / "t.darshan").write_bytes(defective("independent writes of HDF5", 0.25)[0])
    done = run("advice", tmp_path / "t.darshan", "-v")
    said = done.stdout.decode()
    assert "H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE)" in said and "% of ranks times run time)" in said
    assert "count in the first" in said and "PnetCDF" not in said
    assert run("advice", tmp_path / "t.darshan", "--rule", "metadata_time").returncode == 0
    refused(run("advice", tmp_path / "t.darshan", "--rule", "stragglers"), 2)
