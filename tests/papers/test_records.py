"""What papers print is read from TOML as records, and a mistake in it is an error that names it."""

from dataclasses import dataclass

import pytest

from iotrace.papers.data import records


@dataclass(frozen=True)
class Line:
    name: str
    values: tuple[float, ...] = ()


def test_records() -> None:
    assert records([{"name": "a", "values": [1, 2.5]}, {"name": "b"}], Line) == (
        Line("a", (1.0, 2.5)),
        Line("b"),
    )


@pytest.mark.parametrize(
    ("raw", "said"),
    [
        ({"name": "a", "value": [1]}, "Line has no value"),
        ({"values": [1]}, "name"),
        ({"name": 3}, "str"),
    ],
)
def test_mistakes_are_refused(raw: dict[str, object], said: str) -> None:
    with pytest.raises(ValueError, match=said):
        records([raw], Line)
