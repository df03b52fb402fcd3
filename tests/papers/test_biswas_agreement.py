"""How near a trace comes to the paper on write caches: fitted and held-out cells, and the volume that is conserved."""

from collections import Counter

import pytest
from block_traces import as_store

from iotrace.generate.vms.presets import preset
from iotrace.generate.vms.requests import generate
from iotrace.papers.biswas.agreement import ALL, FITTED, HELD_OUT, agreement, errors
from iotrace.papers.biswas.conservation import UNITS, conservation, printed
from iotrace.papers.biswas.memo import PaperMemo
from iotrace.papers.biswas.printed import fitted, is_doubtful, is_fitted, tables
from iotrace.papers.biswas.subject import Subject, like
from iotrace.store import store


@pytest.fixture(scope="module")
def memo(tmp_path_factory: pytest.TempPathFactory) -> PaperMemo:
    made = preset("sci-off")
    table = generate(made.load.with_requests(6000), made.parameters)
    place = as_store(table, tmp_path_factory.mktemp("made") / "made.iotrace")
    return PaperMemo(Subject.of("made", store.read(place), like("sci-off")))


def test_only_declared_rows_are_fitted() -> None:
    rows = [(table.id, row.policy) for table in tables() for row in table.rows if is_fitted(table, row)]
    assert Counter(rows) == {
        ("4.1", "one_threshold"): 12,
        ("4.4", "no_write_cache"): 3,
        ("4.4", "asap_125kb"): 3,
        ("A3", "no_write_cache"): 3,
    }
    by_key = {(table.id, row.policy, row.disk): row for table in tables() for row in table.rows}
    for one in fitted():
        for (table, policy, disk), row in by_key.items():
            if one.printed_in and (table, policy) == (one.table, one.policies[0]):
                assert row.printed == by_key[one.printed_in, policy, disk].printed


def test_errors_are_of_the_disk_that_a_trace_is_like(memo: PaperMemo) -> None:
    found = list(errors(memo))
    assert {error.cell[0] for error in found} == {"Sci-Off"}
    (one,) = (
        one
        for one in found
        if one.table == "4.2" and one.metric == "w_wc" and one.cell[1][0].high_percent == 80
    )
    assert one.percent == pytest.approx(100 * abs(memo.metrics(one.cell[1][0])["w_wc"] / 22.54 - 1))
    assert not one.is_fitted
    assert not list(errors(PaperMemo(Subject.of("stranger", memo.subject.store))))


def test_doubtful_cells_zeros_and_identities_are_left_out() -> None:
    doubtful = [
        (table.id, row.disk, row.policy, metric)
        for table in tables()
        for row in table.rows
        for metric in table.metrics
        if is_doubtful(table, row, metric)
    ]
    assert ("4.4", "Off-Day", "asap_125kb", "read_service_ms") in doubtful
    assert ("4.4", "Sci-Off", "asap_125kb", "read_service_ms") not in doubtful


def test_a_cell_of_two_tables_counts_once(memo: PaperMemo) -> None:
    rows = agreement([memo]).to_pylist()
    count = {(row["table"], row["metric"], row["cells"]): row["count"] for row in rows}
    # 95/40 is in tables 4.2 and A3 and in figure 4.5
    assert count["4.2", "w_wc", HELD_OUT] == 5
    assert count[ALL, "w_wc", HELD_OUT] < sum(
        number
        for (table, metric, cells), number in count.items()
        if (metric, cells) == ("w_wc", HELD_OUT) and table != ALL
    )
    assert count[ALL, "w_wc", FITTED] == 5  # four of table 4.1, and asap
    for row in rows:
        assert 0 <= row["median_error"] <= row["largest_error"]


def test_the_printed_volumes_agree_with_each_other() -> None:
    by_hand = {"Off-Day": 14.34 * 4.38 / 2.40, "Air-Rsv": 13.62 * 6.58 / 3.40, "Sci-Off": 16.67 * 2.58 / 1.70}
    for disk, purged in by_hand.items():
        track, cylinder = (printed(disk, unit) for unit in UNITS)
        assert track.purged == pytest.approx(purged)
        assert max(track.least, cylinder.least) < min(track.most, cylinder.most)


def test_what_is_written_is_conserved(memo: PaperMemo) -> None:
    rows = conservation([memo]).to_pylist()
    assert [(row["disk"], row["unit"], row["trace"] is None) for row in rows] == [
        (disk, unit, disk != "Sci-Off") for disk in ("Off-Day", "Air-Rsv", "Sci-Off") for unit in UNITS
    ]
    for row in rows[-2:]:
        assert 0 <= row["purged"] <= row["reaches_disk"] <= 100
    run = memo.metrics(
        next(
            row for table in tables() for row in table.rows if table.id == "4.3" and row.disk == "Sci-Off"
        ).experiment.settings[0]
    )
    assert rows[-2]["reaches_disk"] == pytest.approx(
        100 * (run["purged_blocks"] + run["piggybacked_blocks"]) / run["written_blocks"]
    )


def test_a_fitted_cell_far_off_is_not_met(memo: PaperMemo) -> None:
    """A part of a trace is far from rows that the whole one is near to."""
    fitted_errors = [error for error in errors(memo) if error.is_fitted]
    assert {error.is_met for error in fitted_errors} == {True, False}
    assert all(error.is_met == (error.percent <= 25) for error in fitted_errors)
    assert not any(error.is_met for error in errors(memo) if not error.is_fitted)
    rows = agreement([memo]).to_pylist()
    assert all((row["met"] is None) == (row["cells"] == HELD_OUT) for row in rows)
    met = sum(row["met"] for row in rows if (row["table"], row["cells"]) == ("4.1", FITTED))
    assert met == sum(error.is_met for error in fitted_errors if error.table == "4.1")
    (missed,) = (
        error for error in fitted_errors if error.table == "A3" and error.metric == "write_service_ms"
    )
    assert missed.percent == pytest.approx(
        next(error.percent for error in fitted_errors if error.cell == missed.cell and error.table == "4.4")
    )
