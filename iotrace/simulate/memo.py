"""Results of simulations by their settings, each simulated once."""

from collections.abc import Callable, Hashable, Iterable, Sequence
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)
Value = TypeVar("Value")


class Memo(Generic[Key, Value]):
    """Simulations made when they are first asked for, or beforehand many together.

    `simulate` makes some of them, at most `at_a_time`, and returns what each came to, in order.
    """

    def __init__(
        self, simulate: Callable[[Sequence[Key]], Iterable[Value]], at_a_time: int = 1 << 30
    ) -> None:
        self._simulate = simulate
        self._at_a_time = at_a_time
        self._made: dict[Key, Value] = {}

    def prepare(
        self,
        keys: Iterable[Key],
        progress: Callable[[str], None] = lambda doing: None,
        doing: str = "simulating",
    ) -> None:
        """Make what is missing; before each part of it `progress` is called with `doing` and the share made."""
        missing = [key for key in dict.fromkeys(keys) if key not in self._made]
        for start in range(0, len(missing), self._at_a_time):
            progress(f"{doing}, {100 * start // len(missing)} %")
            some = missing[start : start + self._at_a_time]
            self._made.update(zip(some, self._simulate(some), strict=True))

    def __getitem__(self, key: Key) -> Value:
        if key not in self._made:
            self.prepare([key])
        return self._made[key]
