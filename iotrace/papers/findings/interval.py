"""The numbers that bear a claim out: an interval, with how far a number is from its nearest bound."""

from dataclasses import dataclass
from math import inf, isfinite


@dataclass(frozen=True)
class Domain:
    """The numbers that a quantity can have, ends included."""

    least: float = -inf
    most: float = inf

    def holds(self, number: float) -> bool:
        """Whether a quantity can have this number."""
        return self.least <= number <= self.most


DOMAINS = {
    "percent": Domain(0, 100),
    "percent of the baseline": Domain(0),
    "percent of it": Domain(0),
    "percent of requests": Domain(0),
    "percent less": Domain(most=100),
    "percent more": Domain(-100),
    "points": Domain(-100, 100),
    "slope ratio": Domain(),
    "rewrites more": Domain(),
    "ms": Domain(),
    **dict.fromkeys(
        ("ratio", "KB", "blocks", "s", "operations", "disk reads", "disk accesses", "busy disks", "rewrites",
         "rereads", "mistakes", "columns", "traces", "numbers of daemons", "requests per request",
         "bytes per byte"),
        Domain(0),
    ),
}  # fmt: skip
"""The units of claims, each with the numbers that a quantity in it can have. A share is in percent; what is compared
with something else can be more than all of it."""
SHARES = ("percent", "percent of the baseline", "percent of it")


@dataclass(frozen=True)
class Interval:
    """Bounds: `low` and `high` bear the claim out themselves, `above` and `below` do not."""

    low: float | None = None
    high: float | None = None
    above: float | None = None
    below: float | None = None

    def holds(self, number: float) -> bool:
        """Whether a number is within the bounds."""
        return (
            (self.low is None or number >= self.low)
            and (self.high is None or number <= self.high)
            and (self.above is None or number > self.above)
            and (self.below is None or number < self.below)
        )

    def distance(self, number: float) -> float:
        """Return how far a number is from its nearest bound: positive within the bounds, negative beyond one."""
        under = [number - bound for bound in (self.low, self.above) if bound is not None]
        over = [bound - number for bound in (self.high, self.below) if bound is not None]
        return min(under + over)

    @property
    def is_exact(self) -> bool:
        """Whether one number alone is within the bounds."""
        return self.low is not None and self.low == self.high

    @property
    def ends(self) -> tuple[float | None, float | None]:
        """The lower and the upper bound, whether they count or not."""
        return (
            self.above if self.low is None else self.low,
            self.below if self.high is None else self.high,
        )

    def real_bounds(self, domain: Domain) -> bool:
        """Whether each bound excludes some number that the quantity can have, and some number is left."""
        low, high = self.ends
        if low is not None and high is not None and low >= high:
            return low == self.low == self.high and domain.holds(low)
        tests = [
            self.low is None or self.low > domain.least,
            self.high is None or self.high < domain.most,
            self.above is None or domain.least <= self.above < domain.most,
            self.below is None or domain.least < self.below <= domain.most,
        ]
        return all(tests) and (low, high) != (None, None)

    def __str__(self) -> str:
        """Say the bounds in words."""
        if self.is_exact:
            return f"exactly {self.low:,.6g}"
        bounds = {"at least": self.low, "above": self.above, "at most": self.high, "below": self.below}
        return ", ".join(f"{word} {bound:,.6g}" for word, bound in bounds.items() if bound is not None)


def about(number: float, factor: float, unit: str) -> Interval:
    """Return what counts as about a number: within a factor of it, either way.

    A share of more than half is as near as its rest is: about 90 % leaves about 10 %. So no bound passes 100 %.
    """
    if unit in SHARES and 50 < number < 100:
        rest = about(100 - number, factor, unit)
        low, high = rest.ends
        return Interval(low=100 - (high or 0), high=100 - (low or 0))
    return Interval(low=number / factor, high=number * factor)


def example(interval: Interval, domain: Domain, within: bool) -> float:
    """Return a number of the domain within the bounds, or beyond one of them; raises ValueError where there is none."""
    low, high = interval.ends
    ends = [end for end in (low, high, domain.least, domain.most) if end is not None and isfinite(end)]
    steps = [step for end in ends for step in (end - 1, end - 0.001, end, end + 0.001, end + 1)]
    middle = [(low + high) / 2] if low is not None and high is not None else []
    for number in (*middle, *steps):
        if domain.holds(number) and interval.holds(number) == within:
            return number
    raise ValueError(f"no number is {'within' if within else 'beyond'}: {interval}")
