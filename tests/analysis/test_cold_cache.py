"""``iotrace compare`` names a cold page cache where both recordings show it."""

from dataclasses import replace

import pytest
from iotrace.queries.metrics import metrics

from iotrace.analysis.compare import words
from iotrace.analysis.compare.compare import Comparison, compared
from iotrace.analysis.compare.measure import Measures
from iotrace.families import CALLS, DISKS
from iotrace.families.base import Family

MEGABYTE = 1 << 20


def measures(warm_bytes: float | None, read_bytes: float, family: Family = CALLS) -> Measures:
    values = dict.fromkeys(metrics(family.name).by_name)
    known = {"warm_bytes": warm_bytes, "bytes_read": read_bytes}
    return Measures(family, values | {name: value for name, value in known.items() if name in values})


def sides(before: float | None, after: float | None, read: float = 100 * MEGABYTE) -> Comparison:
    return compared([measures(before, read)], [measures(after, read)])


def cold(comparison: Comparison) -> list[str]:
    return [sentence for sentence in words.sentences(comparison) if "page cache was colder" in sentence]


def test_the_colder_side_is_named() -> None:
    assert cold(sides(80 * MEGABYTE, 0)) == [
        "The page cache was colder after: 0 bytes of the pages read were in memory before the recording, 80 MB before;"
        " times differ by that, too."
    ]
    assert cold(sides(0, 80 * MEGABYTE))[0].startswith("The page cache was colder before: ")


@pytest.mark.parametrize(("before", "after"), [(None, 0), (0, None), (None, None), (5 * MEGABYTE, 0), (0, 0)])
def test_what_is_unknown_or_little_is_not_named(before: float | None, after: float | None) -> None:
    assert cold(sides(before, after)) == []


def test_families_without_a_page_cache_are_not_asked() -> None:
    one = measures(None, 1, DISKS)
    assert cold(replace(compared([one], [one]))) == []
