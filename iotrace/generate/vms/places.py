"""Which place each request goes to: a new one, or one that was read or written before, at distances that are met.

A distance is counted from the last request to a place, so that a place which has been used since is none to choose. To
meet the distribution f of distances all the same, an earlier request is drawn with the weight f(d) / S(d), where S(d)
is the share of requests d ago whose place has not been used since, and drawn again where it has been. Some repeats
keep the order in which places were used the last time, as the blocks of a file do that is written again. Places that
were once written are read back, but neither re-read nor updated: on a real disk few are.
"""

from bisect import bisect_left
from dataclasses import dataclass
from typing import Any

import numpy as np

from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.shapes import READBACK, REREAD, REWRITE, UPDATE, Integers, Reals, Shape

Flags = np.ndarray[Any, np.dtype[np.bool_]]
TRIES = 100
"""Where none of as many earlier requests is the last one to its place, the last one drawn is taken."""
AGAIN = 10_007
"""Random numbers for a place that is drawn again, the same ones for each in turn: a prime number of them."""


@dataclass(frozen=True)
class Repeat:
    """Requests to a place that was used before: their share, and the median and spread of the distance."""

    shape: Shape
    share: float
    median: float
    spread: float

    def distances(self, count: int, rng: np.random.Generator) -> Integers:
        """Draw distances, whole numbers from 1."""
        return self.shape.distances(self.median, self.spread, count, rng)

    def left(self, most: int, rate: float = 1.0) -> Reals:
        """Return the share of requests, 1 to `most` ago, that none of these has followed since.

        `rate` is how many requests there are for each of the earlier ones.
        """
        return 1 - min(1.0, self.share * rate) * (1 - self._beyond(most)[:-1])

    def weights(self, left: Reals) -> list[float]:
        """Return the sums of the weights of distances up to each one, from 0."""
        beyond = self._beyond(len(left))
        shares = np.divide(beyond[:-1] - beyond[1:], left, out=np.zeros(len(left)), where=left > 0)
        return [0.0, *np.cumsum(shares).tolist()]

    def _beyond(self, most: int) -> Reals:
        """Return the probabilities of distances above 0 to `most`."""
        deviations = (np.log(np.arange(1, most + 1) + 0.5) - np.log(self.median)) / max(self.spread, 1e-9)
        return np.concatenate([[1.0], self.shape.beyond(deviations)])


def distances(median: float, spread: float, count: int, rng: np.random.Generator) -> Integers:
    """Draw log-normal distances, whole numbers from 1."""
    drawn = median * np.exp(spread * rng.standard_normal(count))
    rounded: Integers = np.rint(drawn.clip(1, 1e12)).astype(np.int64)
    return rounded


def places(is_write: Flags, parameters: Parameters, rng: np.random.Generator) -> Integers:
    """Return the requests' places, dense from 0 in the order of their first use."""
    p = parameters
    reads, writes = int((~is_write).sum()), int(is_write.sum())
    rewrite = Repeat(REWRITE, p.rewrite_share, p.rewrite_distance_writes, p.rewrite_distance_spread)
    update = Repeat(
        UPDATE,
        p.write_after_read_share,
        p.write_after_read_distance_reads,
        p.write_after_read_distance_spread,
    )
    reread = Repeat(REREAD, p.reread_share, p.reread_distance_reads, p.reread_distance_spread)
    readback = Repeat(
        READBACK,
        p.read_after_write_share,
        p.read_after_write_distance_writes,
        p.read_after_write_distance_spread,
    )
    written_last = rewrite.left(writes)
    read_last = reread.left(reads) * update.left(reads, writes / max(1, reads))
    left = written_last * readback.left(writes, reads / max(1, writes))
    of_writes = _Draws(
        is_write,
        (rewrite, update),
        (rewrite.weights(written_last), update.weights(read_last)),
        p.rewrite_order_share,
        p.write_kind_kept_share,
        rng,
    )
    of_reads = _Draws(
        ~is_write,
        (reread, readback),
        (reread.weights(read_last), readback.weights(left)),
        p.reread_order_share,
        p.read_kind_kept_share,
        rng,
    )
    history = _History()
    for writes_now in is_write.tolist():
        history.add(writes_now, of_writes if writes_now else of_reads)
    return np.array(history.place, np.int64)


class _Draws:
    """Random draws for the requests of one operation: whether they repeat, and which earlier request."""

    def __init__(
        self,
        flags: Flags,
        repeats: tuple[Repeat, Repeat],
        weights: tuple[list[float], list[float]],
        order_share: float,
        kept_share: float,
        rng: np.random.Generator,
    ) -> None:
        count = int(flags.sum())
        same, other = repeats
        is_anew = rng.random(count) >= kept_share
        choice = rng.random(count)[np.maximum.accumulate(np.where(is_anew, np.arange(count), 0))]
        is_same = choice < same.share
        is_other = ~is_same & (choice < same.share + other.share)
        is_same &= same.distances(count, rng) <= np.arange(count)
        is_other &= other.distances(count, rng) <= np.cumsum(~flags)[flags]
        self.is_same: list[bool] = is_same.tolist()
        self.is_other: list[bool] = is_other.tolist()
        self.in_order: list[bool] = (rng.random(count) < order_share).tolist()
        self._weights = weights
        self._uniform: list[float] = rng.random(count).tolist()
        self._again: list[float] = rng.random(AGAIN).tolist()

    def distance(self, number: int, to_other: bool, most: int, tried: int) -> int:
        """Draw a distance from 1 to `most` for a request, again for each time it was `tried`."""
        weights = self._weights[to_other]
        # by the number of the request, so that a small change of a parameter changes few of them
        uniform = self._again[(number * TRIES + tried) % AGAIN] if tried else self._uniform[number]
        return max(1, bisect_left(weights, uniform * weights[most], 0, most))


class _History:
    """The requests so far, by their number among those of their operation; reads first, then writes."""

    def __init__(self) -> None:
        self.place: list[int] = []
        self._of: tuple[list[int], list[int]] = ([], [])
        """The place of each."""
        self._is_last: tuple[list[bool], list[bool]] = ([], [])
        """Whether it is the last to its place: of writes, the last write; of reads, of a place never written."""
        self._last: list[list[int]] = []
        """Of each place, its last read if it was never written, and its last write; -1 for none."""
        self._unread: list[bool] = []
        """Whether a place was last written."""
        self._repeated = [-1, -1]
        """The place that the previous request repeated, -1 for none."""

    def add(self, writes: bool, draws: _Draws) -> None:
        """Find the place of the next request."""
        number = len(self._of[writes])
        repeated = -1
        if draws.is_same[number]:
            repeated = self._in_order(writes) if draws.in_order[number] else -1
            if repeated < 0:
                repeated = self._drawn(writes, writes, draws)
            place = self._of[writes][repeated]
        elif draws.is_other[number]:
            place = self._of[not writes][self._drawn(not writes, writes, draws)]
        else:
            place = len(self._last)
            self._last.append([-1, -1])
            self._unread.append(False)
        self._use(place, writes, number)
        self._repeated[writes] = repeated

    def _use(self, place: int, writes: bool, number: int) -> None:
        last = self._last[place]
        counts = writes or last[True] < 0
        for kind in (False, True) if writes else (False,):
            if last[kind] >= 0:
                self._is_last[kind][last[kind]] = False
                last[kind] = -1
        if counts:
            last[writes] = number
        self._unread[place] = writes
        self._is_last[writes].append(counts)
        self._of[writes].append(place)
        self.place.append(place)

    def _drawn(self, of_writes: bool, writes: bool, draws: _Draws) -> int:
        """Draw an earlier request that is the last one to its place; for a write, the last write."""
        of, is_last, count = self._of[of_writes], self._is_last[of_writes], len(self._of[writes])
        for tried in range(TRIES):
            number = len(of) - draws.distance(count, of_writes != writes, len(of), tried)
            if is_last[number] and (writes or not of_writes or self._unread[of[number]]):
                break
        return number

    def _in_order(self, writes: bool) -> int:
        """Return what follows the request that the one before repeated, -1 where nothing does."""
        before, is_last = self._repeated[writes], self._is_last[writes]
        if before < 0:
            return -1
        for number in range(before + 1, len(is_last)):
            if is_last[number]:
                return number
        return -1
