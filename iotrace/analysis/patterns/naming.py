"""From what was found to a name: the patterns of Kotz and Ellis (1991, section 3.2), and strided ones.

Metadata is set aside first, and each process's accesses are put in order (:mod:`.cleaning`). The first
rule that holds names the pattern:

1. Every process goes by one regular plan (equal portions at equal distances, or one portion; at most a twentieth of
   the accesses is set aside, and few records are missing): one portion each is ``lw`` where all have the same, ``seg``
   where they adjoin without overlap, ``lfp`` where they are equal and equally far apart (they may overlap: a halo,
   which the file's ends may cut), else ``lrp``; portions of several records at one distance are ``lfp``, single
   records ``strided``, distances of distances ``nested-strided``. A single process with one portion is ``lw1``.
2. The file's bytes are accessed once and, within the window, in the order of offsets: the records were self-scheduled,
   ``gw`` where they adjoin, ``gfp`` where they form portions of one length and distance, else ``grp``.
3. At least half of a process's accesses go on where its last one ended: local portions, ``lrp`` where their lengths
   vary, ``lfp`` where they do not.
4. Within the window, accesses go on where another one ended far more often than in random order: shared portions,
   ``grp`` where their lengths vary, ``gfp`` where they do not; ``gw`` where all are the same whole.
5. ``forward`` where each process goes forward by varying distances, else ``rnd``.

If two patterns would give the same accesses, both are named, the more probable first. How far accesses may differ from
a pattern is in :mod:`iotrace.analysis.patterns.tolerance`. If the certainty is too low, the name is ``unknown``; the
candidates are the name that the rules give, and the one that they would give if the narrowest test had ended otherwise.
"""

from dataclasses import dataclass

import numpy as np

from iotrace.analysis.patterns import scheduled
from iotrace.analysis.patterns.accesses import Accesses, share_of_most_frequent
from iotrace.analysis.patterns.cleaning import Cleaned, clean
from iotrace.analysis.patterns.extents import Extents
from iotrace.analysis.patterns.local import Local
from iotrace.analysis.patterns.local import look as look_locally
from iotrace.analysis.patterns.together import Together, lengths_fixed
from iotrace.analysis.patterns.together import look as look_together
from iotrace.analysis.patterns.tolerance import LEAST_CERTAINTY, MOST_MISSING, MOSTLY

UNKNOWN = "unknown"
LOCAL = 0.5
LINKED = 0.4
FORWARD = 0.8
"""How far the share of sequential accesses is above the half that they are at random."""
PORTIONS = 8
"""Portions from which on equal lengths are no coincidence, wherever they lie."""
ENOUGH = 20
"""Steps from one access of a process to its next (or from one process's portion to another's, where each has one of a
regular pattern) from which on chance does not lower the certainty."""


@dataclass(frozen=True)
class Name:
    """The name of a pattern, and how sure it is."""

    names: tuple[str, ...]
    """The likeliest first; several where they give the same accesses. Only ``unknown`` where the certainty is low."""
    certainty: float
    """0 to 1: by how much the narrowest of the tests was passed on which the name depends, less for fewer than 20
    steps from one access of a process to its next."""
    scope: str
    """local, global, none, local or global where the accesses are those of both, or unknown."""
    candidates: tuple[str, ...] = ()
    """Candidates for an unknown pattern, the likeliest first."""
    reason: str = ""
    """Why the name is unknown."""


@dataclass(frozen=True)
class FoundPattern:
    """The pattern of one file's accesses, with the evidence."""

    name: Name
    local: Local
    """As recorded, or with missing records where only that gives a plan."""
    together: Together
    cleaned: Cleaned
    recorded: Together
    """As together, of all accesses in the order of time."""


@dataclass(frozen=True)
class _Test:
    """A share that was compared on the way to a name."""

    words: str
    value: float
    threshold: float

    @property
    def margin(self) -> float:
        """By which part of what was possible the test was passed or failed."""
        passed = self.value >= self.threshold
        possible = 1 - self.threshold if passed else self.threshold
        return abs(self.value - self.threshold) / possible if possible else 1.0


Named = tuple[tuple[str, ...], str]


def default_window(processes: int) -> int:
    """Return how many accesses may separate one from its place: two of each process."""
    return 2 * processes


def find(accesses: Accesses, window: int | None = None) -> FoundPattern:
    """Name the pattern of one file's accesses in one phase."""
    cleaned = clean(accesses)
    data = cleaned.accesses
    local = look_locally(data, cleaned.own)
    if local.regular_share < 1:
        tolerant = look_locally(data, cleaned.own, tolerant=True)
        if tolerant.missing_share <= MOST_MISSING and tolerant.regular_share > local.regular_share:
            local = tolerant
    together = recorded = look_together(data, window or default_window(data.processes))
    if cleaned.set_aside or cleaned.is_reversed:
        recorded = look_together(accesses, window or default_window(accesses.processes))
    return FoundPattern(_name(_Evidence(data, local, together)), local, together, cleaned, recorded)


def _name(evidence: "_Evidence") -> Name:
    rules = _Rules(evidence)
    names, scope = rules.named()
    doubt, other = _Test("", 1.0, 0.0), names
    for index, test in enumerate(rules.tests):
        alternative = _Rules(evidence, otherwise=index).named()[0]
        if test.margin < doubt.margin and names[0] not in alternative:
            doubt, other = test, alternative
    certainty = doubt.margin * min(1.0, rules.steps / ENOUGH)
    if certainty >= LEAST_CERTAINTY:
        return Name(names, certainty, scope)
    candidates = tuple(dict.fromkeys((*names, *other)))
    reason = f"{doubt.words}: {doubt.value:.1%}, near the bound of {doubt.threshold:.0%}"
    if doubt.margin >= LEAST_CERTAINTY:
        reason = f"too few accesses: {len(evidence.accesses)} by {evidence.accesses.processes} processes"
    return Name((UNKNOWN,), certainty, UNKNOWN, candidates, reason)


@dataclass(frozen=True)
class _Evidence:
    """The evidence for names."""

    accesses: Accesses
    local: Local
    together: Together


class _Rules:
    """The rules, which note each test; one test may be taken to end otherwise than it does."""

    def __init__(self, evidence: _Evidence, otherwise: int | None = None) -> None:
        self.accesses, self.local, self.together = evidence.accesses, evidence.local, evidence.together
        self.otherwise = otherwise
        self.tests: list[_Test] = []
        self.steps = len(evidence.accesses) - evidence.accesses.processes

    def named(self) -> Named:
        """Return the names that the first rule gives that holds, and their scope."""
        local, together = self.local, self.together
        alone = self.accesses.processes == 1
        if self._holds("accesses of processes that follow one plan", local.regular_share, MOSTLY):
            return self._regular()
        if not alone and self._is_self_scheduled():
            return self._self_scheduled(), "global"
        if self._holds(
            "accesses that continue where the process's last one ended", local.consecutive_share, LOCAL
        ):
            return _irregular_portions(local, alone)
        linked = together.linked_beyond_chance
        if not alone and self._holds("accesses that continue another's, beyond chance", linked, LINKED):
            return _shared_portions(together)
        ascending = max(0.0, 2 * local.sequential_share - 1)
        if self._holds("accesses above their process's last one, beyond chance", ascending, FORWARD):
            return ("forward",), "local"
        return ("rnd",), "none"

    def _holds(self, description: str, value: float, threshold: float) -> bool:
        self.tests.append(_Test(description, value, threshold))
        return (value >= threshold) != (self.otherwise == len(self.tests) - 1)

    def _is_self_scheduled(self) -> bool:
        """Test whether bytes are accessed once, in the order of offsets."""
        once = self._holds("bytes that are accessed once", self.together.once_share, MOSTLY)
        return once and self._holds(
            "accesses in the order of offsets within the window", self.together.ordered_share, MOSTLY
        )

    def _self_scheduled(self) -> tuple[str, ...]:
        taken = scheduled.Taken.of(self.accesses, self.together)
        description = "portions, or gaps between them, of one length"
        return taken.names(self._holds(description, taken.regular_share, MOSTLY))

    def _regular(self) -> Named:
        accesses, local, together = self.accesses, self.local, self.together
        strides = local.strides
        if not strides:
            return self._one_portion_each()
        if len(strides) > 1:
            return ("nested-strided",), "local"
        records = float(np.median(local.planned.count[~local.planned.is_last]))
        if records > 1:
            return (("lfp", "gfp") if accesses.processes == 1 else ("lfp",)), "local"
        if not self._is_in_turn or accesses.processes == 1:
            return ("strided", "lfp"), "local"
        names = ("strided", "lfp"), self._self_scheduled()
        exact = scheduled.is_exactly_strided(accesses, local, together)
        first, second = names if exact else reversed(names)
        return (*first, *second), "local or global"

    def _one_portion_each(self) -> Named:
        if self.accesses.processes == 1:
            return ("lw1", "lw", "seg", "gw"), "local or global"
        each = Extents.of(self.local)
        names = self._regular_extents(each)
        if not names:
            return (("lrp", "seg") if each.are_apart else ("lrp",)), "local"
        self.steps = len(self.accesses) - 1
        if len(self.accesses) == self.accesses.processes and self._is_in_turn:
            return tuple(dict.fromkeys((*names, *self._self_scheduled()))), "local or global"
        return names, "local"

    def _regular_extents(self, each: Extents) -> tuple[str, ...]:
        if self._holds("processes that access the same portion", each.same_share, MOSTLY):
            return ("lw",)
        if self._holds("portions that adjoin", each.adjoining_share, MOSTLY):
            return ("seg", "lfp") if each.are_equally_long else ("seg",)
        if each.are_two_with_a_gap:
            return ("lfp", "lrp", "seg")
        if self._holds("portions of one length at one distance", each.equally_apart_share, MOSTLY):
            return ("lfp", "seg") if each.are_apart else ("lfp",)
        return ()

    @property
    def _is_in_turn(self) -> bool:
        return min(self.together.once_share, self.together.ordered_share) >= MOSTLY


def _irregular_portions(local: Local, alone: bool) -> Named:
    complete = local.portions.length[~local.portions.is_last]
    if len(complete) and share_of_most_frequent(complete)[1] >= MOSTLY:
        # a few lengths are the same by chance
        return (("lfp", "lrp") if len(complete) >= PORTIONS else ("lrp", "lfp")), "local"
    return (("lrp", "grp") if alone else ("lrp",)), "local"


def _shared_portions(together: Together) -> Named:
    lengths = together.portions
    whole = together.portion_starts.max() == together.portion_starts.min()
    if lengths_fixed(lengths, MOSTLY) and len(lengths) > (1 if whole else 2):
        return (("gw",) if whole else ("gfp", "grp")), "global"
    return ("grp",), "global"
