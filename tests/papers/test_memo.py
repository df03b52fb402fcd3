"""A memo of simulations makes each of them once, some at a time, and returns what it came to."""

from hypothesis import given
from hypothesis import strategies as st

from iotrace.simulate.memo import Memo

keys = st.lists(st.integers(0, 9))


@given(st.lists(keys), st.integers(1, 4))
def test_each_is_made_once_and_some_at_a_time(asked: list[list[int]], at_a_time: int) -> None:
    made: list[list[int]] = []

    def simulate(some: list[int]) -> list[int]:
        made.append(list(some))
        return [one * one for one in some]

    memo = Memo(simulate, at_a_time)
    for wanted in asked:
        said: list[str] = []
        memo.prepare(wanted, said.append, "squaring")
        assert all(words.startswith("squaring, ") for words in said)
        assert [memo[one] for one in wanted] == [one * one for one in wanted]
    together = [one for some in made for one in some]
    assert sorted(together) == sorted({one for wanted in asked for one in wanted})
    assert all(len(some) <= at_a_time for some in made)


def test_what_was_not_prepared_is_made_when_it_is_asked_for() -> None:
    memo = Memo(lambda some: [str(one) for one in some], 2)
    assert memo[3] == "3"
