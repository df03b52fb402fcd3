"""What the command line sets before it runs a command."""

import os

import pytest

from iotrace import cli

VARIABLES = ("OPENBLAS_NUM_THREADS", "MIMALLOC_ABANDONED_RECLAIM_ON_FREE")


@pytest.mark.parametrize("variable", VARIABLES)
@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (["curve", "x.iotrace"], None, "1"),
        ([], None, "1"),
        (["curve", "x.iotrace"], "4", "4"),
        (["record", "--", "python3"], None, None),
    ],
)
def test_libraries_are_set_up_but_in_what_is_recorded(
    monkeypatch: pytest.MonkeyPatch, variable: str, words: list[str], before: str | None, after: str | None
) -> None:
    for name in VARIABLES:
        monkeypatch.setenv(name, "0")
        monkeypatch.delenv(name)
    if before is not None:
        monkeypatch.setenv(variable, before)
    cli._set_up_libraries(words)
    assert os.environ.get(variable) == after
