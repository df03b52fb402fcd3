"""From what was found to a name: the patterns of Kotz and Ellis (1991, section 3.2), and strided ones.

The first rule that holds names the pattern:

1. Every process goes by one regular plan (equal portions at equal distances, or one portion; at most a twentieth of
   the accesses, headers and hiccups, is set aside): one portion each is
   ``lw`` where all have the same, ``seg`` where they adjoin without overlap, ``lfp`` where they are equally far apart,
   else ``lrp``; portions
   of several records at one distance are ``lfp``, single records ``strided``, distances of distances
   ``nested-strided``. A single process with one portion is ``lw1``.
2. The file's bytes are accessed once and, within the window, in the order of offsets: the records were self-scheduled,
   ``gw`` where they adjoin, ``gfp`` where they form portions of one length and distance, else ``grp``.
3. At least half of a process's accesses go on where its last one ended: local portions, ``lrp`` where their lengths
   vary, ``lfp`` where they do not.
4. Within the window, accesses go on where another one ended far more often than in random order: shared portions,
   ``grp`` where their lengths vary, ``gfp`` where they do not; ``gw`` where all are the same whole.
5. ``forward`` where each process goes forward by varying distances, else ``rnd``.

Where two patterns would give these same accesses both are named, the likelier first.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from iotrace.patterns.accesses import Accesses, share_of_most_frequent
from iotrace.patterns.local import Local
from iotrace.patterns.local import look as look_locally
from iotrace.patterns.together import Together, lengths_fixed
from iotrace.patterns.together import look as look_together

MOSTLY = 0.9
"""From here on a share counts as all: real programs have headers and hiccups."""
LOCAL = 0.5
LINKED = 0.4
FORWARD = 0.8
"""How far the share of sequential accesses is above the half that they are at random."""
HEADER = 0.05
"""The part of a file before its records that may be a header."""
PORTIONS = 8
"""Portions from which on equal lengths are no coincidence, wherever they lie."""
ENOUGH = 20
"""Accesses of a process from which on its pattern is told without a doubt about chance."""


@dataclass(frozen=True)
class Name:
    """What a pattern is called, and how sure that is."""

    names: tuple[str, ...]
    """The likeliest first; several where they give the same accesses."""
    certainty: float
    """0 to 1: by how much the narrowest of the tests that led to the name was passed, less for processes with fewer
    than 20 accesses."""
    scope: str
    """local, global, none, or local or global where the accesses are those of both."""


@dataclass(frozen=True)
class Found:
    """The pattern of one file's accesses, with the evidence."""

    name: Name
    local: Local
    together: Together


@dataclass
class _Doubts:
    """The margins of the tests on the way to a name."""

    narrowest: float = 1.0

    def at_least(self, value: float, threshold: float) -> bool:
        """Test a share, and note by which part of what was possible it passes or fails."""
        passed = value >= threshold
        room = 1 - threshold if passed else threshold
        self.narrowest = min(self.narrowest, abs(value - threshold) / room if room else 1.0)
        return passed


def default_window(processes: int) -> int:
    """Return how many accesses may separate one from its place: two of each process."""
    return 2 * processes


def find(accesses: Accesses, window: int | None = None) -> Found:
    """Name the pattern of one file's accesses in one phase."""
    local = look_locally(accesses)
    together = look_together(accesses, window or default_window(accesses.processes))
    doubts = _Doubts()
    names, scope = _named(accesses, local, together, doubts)
    few = min(1.0, float(np.median(accesses.per_process)) / ENOUGH)
    return Found(Name(names, doubts.narrowest * few, scope), local, together)


Named = tuple[tuple[str, ...], str]


def _named(accesses: Accesses, local: Local, together: Together, doubts: _Doubts) -> Named:
    alone = accesses.processes == 1
    scheduled = _self_scheduled(local, together) if not alone else None
    if doubts.at_least(local.regular_share, MOSTLY):
        return _regular(accesses, local, scheduled)
    if scheduled and doubts.at_least(together.ordered_share, MOSTLY):
        return scheduled
    if doubts.at_least(local.consecutive_share, LOCAL):
        return _irregular_portions(local, alone)
    if not alone and doubts.at_least(together.linked_beyond_chance, LINKED):
        return _shared_portions(together)
    if doubts.at_least(max(0.0, 2 * local.sequential_share - 1), FORWARD):
        return ("forward",), "local"
    return ("rnd",), "none"


def _regular(accesses: Accesses, local: Local, scheduled: Named | None) -> Named:
    strides = local.strides
    if not strides:
        return _one_portion_each(accesses, local)
    if len(strides) > 1:
        return ("nested-strided",), "local"
    records = float(np.median(local.planned.count[~local.planned.is_last]))
    if records > 1:
        return (("lfp", "gfp") if accesses.processes == 1 else ("lfp",)), "local"
    if scheduled:
        names = ("strided", "lfp"), scheduled[0]
        first, second = names if local.regular_share == 1 else reversed(names)
        return (*first, *second), "local or global"
    return ("strided", "lfp"), "local"


def _one_portion_each(accesses: Accesses, local: Local) -> Named:
    portions = local.planned
    first = portions.begins
    start, length = portions.start[first], portions.length[first]
    if accesses.processes == 1:
        return ("lw1", "lw", "seg", "gw"), "local or global"
    _, same = share_of_most_frequent(np.unique(np.c_[start, length], axis=0, return_inverse=True)[1].ravel())
    if same >= MOSTLY:
        return ("lw",), "local"
    order = np.argsort(start, kind="stable")
    gap = start[order][1:] - (start + length)[order][:-1]
    if (gap == 0).all():
        return ("seg", "lfp"), "local"
    if (gap > 0).all() and len(gap) > 1 and share_of_most_frequent(gap)[1] >= MOSTLY:
        return ("lfp", "seg"), "local"
    if len(gap) == 1 and gap[0] > 0 and length[0] == length[1]:
        # two processes leave one gap: nothing tells whether others would be as long
        return ("lfp", "lrp", "seg"), "local"
    return (("lrp", "seg") if (gap > 0).all() else ("lrp",)), "local"


def _self_scheduled(local: Local, together: Together) -> Named | None:
    """Name the pattern of records taken in order; None where bytes are accessed again or the order is another."""
    if together.ordered_share < MOSTLY or together.once_share < MOSTLY:
        return None
    start, length = together.covered.start, together.covered.end - together.covered.start
    if len(start) == 1:
        if start[0] == 0:
            return ("gw", "gfp", "grp"), "global"
        header = start[0] <= HEADER * together.covered.end[-1]
        return (("gw", "grp") if header else ("grp", "gw")), "global"
    gaps = start[1:] - together.covered.end[:-1]
    regular = lengths_fixed(length, MOSTLY) and share_of_most_frequent(gaps)[1] >= MOSTLY
    if not regular:
        return ("grp",), "global"
    if len(start) > 2 or start[0] == 0:
        return (("gfp",) if len(start) > 2 else ("gfp", "grp")), "global"
    return ("grp", "gfp"), "global"


def _irregular_portions(local: Local, alone: bool) -> Named:
    complete = local.portions.length[~local.portions.is_last]
    if len(complete) and share_of_most_frequent(complete)[1] >= MOSTLY:
        # a few lengths are the same by chance
        return (("lfp", "lrp") if len(complete) >= PORTIONS else ("lrp", "lfp")), "local"
    return (("lrp", "grp") if alone else ("lrp",)), "local"


def _shared_portions(together: Together) -> Named:
    lengths = together.portions
    if lengths_fixed(lengths, MOSTLY) and len(lengths) > 2:
        whole = together.portion_starts.max() == together.portion_starts.min()
        return (("gw",) if whole else ("gfp", "grp")), "global"
    return ("grp",), "global"
