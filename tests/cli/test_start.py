"""What the command line sets before it runs a command."""

import os

import pytest

from iotrace import cli

THREADS = "OPENBLAS_NUM_THREADS"


@pytest.mark.parametrize(
    ("words", "before", "after"),
    [
        (["curve", "x.iotrace"], None, "1"),
        ([], None, "1"),
        (["curve", "x.iotrace"], "4", "4"),
        (["record", "--", "python3"], None, None),
    ],
)
def test_openblas_starts_no_threads_but_in_what_is_recorded(
    monkeypatch: pytest.MonkeyPatch, words: list[str], before: str | None, after: str | None
) -> None:
    monkeypatch.delenv(THREADS, raising=False)
    if before is not None:
        monkeypatch.setenv(THREADS, before)
    cli._start_no_idle_threads(words)
    assert os.environ.get(THREADS) == after
    os.environ.pop(THREADS, None)
