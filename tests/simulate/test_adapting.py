"""Schemes that adapt: as they are where nothing moves, and as the plain adaptive partition of the same references."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from property_tests import examples
from small_store import Row, small_store
from test_attribute_cache import rows

from iotrace.simulate.adaptive import adaptive_partition, split_quanta
from iotrace.simulate.attribute.adapting import adapted
from iotrace.simulate.attribute.passes import PassMemo
from iotrace.simulate.attribute.schemes import find

KB = 1024
SCHEME = find("512/128 ID, x/256 General")
PARTS = {"ID": 128, "General": 256}


@examples(60)
@given(drawn=rows, total=st.sampled_from([KB, 2 * KB]))
def test_without_moves_it_costs_what_the_scheme_costs(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Row], total: int
) -> None:
    store = small_store(tmp_path_factory.mktemp("stores") / "s", drawn)
    for objective in ("reads", "requests", "time"):
        (row,) = adapted("", PassMemo(store), SCHEME, [total], objective, 10**6).to_pylist()
        rounded = 2 if objective == "time" else 0  # each part's time is rounded to a nanosecond
        assert row["moves"] == 0 and abs(row["cost"] - row["scheme_cost"]) <= rounded
        assert row["best_cost"] <= row["cost"] + rounded
        assert row["first_configuration"] == str(SCHEME.at(total))


@examples(60)
@given(drawn=rows, period=st.integers(1, 5))
def test_it_is_the_adaptive_partition_of_its_classes(
    tmp_path_factory: pytest.TempPathFactory, drawn: list[Row], period: int
) -> None:
    store = small_store(tmp_path_factory.mktemp("stores") / "s", drawn)
    (row,) = adapted("", PassMemo(store), SCHEME, [KB], "reads", period).to_pylist()
    references = store.connect(views=[]).sql(
        "select *, case when type in ('inode', 'directory') then 'ID' else 'General' end as part"
        " from reference order by seq"
    )
    shares = {"ID": 512, "General": 512}
    plain = adaptive_partition(
        references, by="part", block_bytes=PARTS, total_bytes=KB, period_requests=period, first_shares=shares
    ).to_pylist()
    assert row["cost"] == sum(part["read_request_misses"] for part in plain)
    assert row["last_configuration"] == ", ".join(
        f"{part['last_bytes'] if part['last_bytes'] % KB else '1K'}/{PARTS[part['part']]} {part['part']}"
        for part in plain[:-1]
    )


@pytest.mark.parametrize(
    ("quanta", "shares", "expected"),
    [(4, [64, 128, 64], (1, 2, 1)), (3, [1, 0, 100], (1, 1, 1)), (5, [1, 1], (3, 2)), (10, [0, 99], (1, 9))],
)
def test_space_is_split_by_shares(quanta: int, shares: list[int], expected: tuple[int, ...]) -> None:
    assert split_quanta(quanta * 8, [8] * len(shares), shares, 8).quanta == expected


def test_totals_that_cannot_move_are_left_out(tmp_path: Path) -> None:
    store = small_store(tmp_path / "s", [("datafile", "read", 6, 0, 100, 0)])
    assert adapted("", PassMemo(store), find("x/4K General"), [64 * KB]).num_rows == 0
    assert adapted("", PassMemo(store), find("256/128 ID, x/512 General"), [512]).num_rows == 0
