"""Every generated pattern by its name, at the sizes at which that is promised; and what only real programs do."""

import math
from collections import Counter
from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from pattern_oracles import accesses

from iotrace.analysis.patterns.accesses import Accesses
from iotrace.analysis.patterns.naming import Name, find
from iotrace.generate.patterns.program import program
from iotrace.generate.patterns.schedule import Schedule, scheduled
from iotrace.generate.patterns.settings import Computation, Pattern, Settings

PROCESSES = (4, 20, 64)
RECORDS = (0.125, 0.25, 0.5, 1, 1.5, 2, 3.7, 4)
LEAST_ACCESSES = 20
LEAST_RECORDS_OF_A_PORTION = 4


def traced(table: pa.Table) -> Accesses:
    process = np.unique(np.asarray(table["process"]), return_inverse=True)[1].astype(np.int64)
    return Accesses(
        process, np.asarray(table["offset"]), np.asarray(table["length"]), np.asarray(table["time_ns"])
    )


def name_of(settings: Settings, jitter: float = 0.5) -> Name:
    schedule = Schedule(settings.processes, jitter=jitter, seed=settings.seed + 1)
    return find(traced(scheduled(program(settings), schedule))).name


def cases(pattern: Pattern) -> Iterator[tuple[Settings, float]]:
    """Settings from the least that is promised upwards, drawn with a seed."""
    for processes in PROCESSES:
        for record in RECORDS:
            for seed in range(4):
                rng = np.random.default_rng((seed, processes, round(8 * record)))
                each = LEAST_ACCESSES if seed % 2 == 0 else int(rng.integers(LEAST_ACCESSES, 120))
                blocks = math.ceil(each * record)
                least = math.ceil(LEAST_RECORDS_OF_A_PORTION * record)
                given: dict[str, Any] = {}
                if pattern.has_random_portions:
                    given = {
                        "least_portion_blocks": least,
                        "portion_blocks": least + int(rng.integers(1, 9)),
                    }
                if pattern.has_fixed_portions:
                    given = {
                        "portion_blocks": least + int(rng.integers(0, 9)),
                        "gap_blocks": int(rng.integers(0, 2) * rng.integers(1, 30)),
                    }
                    if pattern is Pattern.GFP:
                        given["gap_blocks"] += 1
                if rng.random() < 0.5:
                    given |= {"computation": Computation.EXPONENTIAL, "compute_mean_ns": 30_000_000}
                made = Settings(
                    pattern,
                    processes=processes,
                    record_blocks=record,
                    blocks_per_process=blocks,
                    seed=seed,
                    **given,
                )
                yield made, float(rng.choice([0.01, 0.5]))


def ambiguous(settings: Settings, name: Name) -> bool:
    """Return whether both names are right because two patterns give the same accesses: the file is one portion."""
    share = settings.blocks_per_process * settings.sharers
    one_portion = bool(settings.portion_blocks and share <= settings.largest_portion_blocks)
    return one_portion and settings.pattern.value in name.names


def test_the_confusion_matrix(capsys: pytest.CaptureFixture[str]) -> None:
    counts: Counter[tuple[str, str]] = Counter()
    wrong = []
    for pattern in Pattern:
        for settings, jitter in cases(pattern):
            name = name_of(settings, jitter)
            counts[pattern.value, name.names[0]] += 1
            if name.names[0] != pattern.value and not ambiguous(settings, name):
                wrong.append((settings, name))
    columns = sorted({answer for _, answer in counts})
    with capsys.disabled():
        print("\nmade" + "".join(f"{answer:>8}" for answer in columns))
        for pattern in Pattern:
            print(f"{pattern.value:4}" + "".join(f"{counts[pattern.value, answer]:8}" for answer in columns))
    assert not wrong, wrong[:5]


@pytest.mark.parametrize("pattern", list(Pattern))
def test_the_paper_s_base_cases_are_named_with_certainty(pattern: Pattern) -> None:
    for record in (0.25, 1):
        name = name_of(Settings(pattern, record_blocks=record))
        assert name.names[0] == pattern.value
        assert name.certainty > 0.5


def test_one_portion_for_each_process_is_seg_and_lfp() -> None:
    one = {"processes": 8, "blocks_per_process": 40}
    seg, lfp = Settings(Pattern.SEG, **one), Settings(Pattern.LFP, portion_blocks=40, **one)  # type: ignore[arg-type]
    assert program(seg).equals(program(lfp))
    assert set(name_of(seg).names) == {"seg", "lfp"}


def test_one_shared_portion_is_gw_and_gfp_and_grp() -> None:
    gw = Settings(Pattern.GW, processes=8, blocks_per_process=40)
    gfp = Settings(Pattern.GFP, processes=8, blocks_per_process=40, portion_blocks=320)
    grp = Settings(
        Pattern.GRP, processes=8, blocks_per_process=40, portion_blocks=320, least_portion_blocks=320
    )
    assert program(gw).equals(program(gfp)) and program(gw).equals(program(grp))
    assert set(name_of(gw).names) == {"gw", "gfp", "grp"}


@pytest.mark.parametrize("gap", [0, 31])
def test_one_portion_for_each_of_two_processes_may_be_of_fixed_length(gap: int) -> None:
    one = Settings(Pattern.LFP, processes=2, blocks_per_process=40, portion_blocks=60, gap_blocks=gap)
    assert name_of(one).names == ("lfp", "lrp", "seg")


def test_records_taken_in_turn_are_strided_and_could_be_self_scheduled() -> None:
    turns = accesses([(row % 4, 512 * row, 512) for row in range(200)])
    assert set(find(turns).name.names) == {"strided", "lfp", "gw", "gfp", "grp"}


def test_strided_processes_that_drift_apart_are_not_self_scheduled() -> None:
    rows = [(process, 512 * (4 * step + process), 512) for process in range(4) for step in range(50)]
    assert find(accesses(rows)).name.names == ("strided", "lfp")


def test_nested_strides_of_a_matrix_in_tiles() -> None:
    """Two planes of 16 lines of 32 elements of 8 bytes: each process has 4 elements of each half line."""
    rows = [
        (process, 8 * (1024 * plane + 32 * line + 16 * part + 4 * process), 32)
        for plane in range(2)
        for line in range(16)
        for process in range(4)
        for part in range(2)
    ]
    found = find(accesses(rows))
    assert found.name.names == ("nested-strided",)
    assert [(level.stride_bytes, level.count) for level in found.local.strides] == [(128, 32), (8192, 2)]


def test_passes_are_told_apart_from_patterns() -> None:
    segments = [(process, 1000 * process + 10 * step, 10) for step in range(100) for process in range(4)]
    found = find(accesses(segments * 3))
    assert (found.name.names, found.local.passes) == (("seg", "lfp"), 3)


def test_a_header_before_self_scheduled_records_leaves_them_gw() -> None:
    order = np.random.default_rng(1).integers(0, 4, 200)
    rows = [(int(process), 512 + 512 * row, 512) for row, process in enumerate(order)]
    assert find(accesses(rows)).name.names == ("gw", "grp")


def test_forward_by_varying_distances() -> None:
    rng = np.random.default_rng(3)
    rows, places = [], [0, 50_000, 100_000, 150_000]
    for row in range(400):
        places[row % 4] += 16 + int(rng.integers(1, 400))
        rows.append((row % 4, places[row % 4], 16))
    assert find(accesses(rows)).name.names == ("forward",)


def test_a_permutation_is_random() -> None:
    order = np.random.default_rng(2).permutation(400)
    rows = [(row % 4, 64 * int(place), 64) for row, place in enumerate(order)]
    name = find(accesses(rows)).name
    assert (name.names, name.scope) == (("rnd",), "none")
    assert name.certainty > 0.8


def test_few_accesses_are_not_certain() -> None:
    assert find(accesses([(0, 0, 8), (1, 8, 8), (0, 16, 8)])).name.certainty < 0.2
    assert find(accesses([(0, 0, 8)])).name.certainty <= 0.05


@pytest.mark.parametrize("pattern", [Pattern.SEG, Pattern.LW, Pattern.LFP])
def test_a_header_that_every_process_reads_first_is_set_aside(pattern: Pattern) -> None:
    one = Settings(
        pattern, processes=4, blocks_per_process=80, portion_blocks=16 if pattern is Pattern.LFP else None
    )
    given = traced(scheduled(program(one), Schedule(4)))
    rows = [(process, 0, 96) for process in range(4)]
    rows += zip(given.process.tolist(), (4096 + given.offset).tolist(), given.length.tolist(), strict=True)
    found = find(accesses(rows))
    assert found.name.names[0] == pattern.value
    assert (found.cleaned.set_aside, found.local.regular_share) == (4, 1.0)


def test_a_header_before_strides_is_set_aside() -> None:
    rows = [(process, 0, 96) for process in range(4)]
    rows += [(process, 4096 + 512 * (4 * step + process), 512) for process in range(4) for step in range(50)]
    assert find(accesses(rows)).name.names == ("strided", "lfp")
