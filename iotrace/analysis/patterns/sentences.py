"""A pattern in a sentence with its numbers."""

import numpy as np

from iotrace import units
from iotrace.analysis.patterns.cleaning import Direction
from iotrace.analysis.patterns.naming import UNKNOWN, FoundPattern
from iotrace.analysis.patterns.tolerance import MOSTLY

MEANING = {
    "lw": "every process goes over the same {portion} from {ends}",
    "lw1": "one process goes over {covered} from {ends}",
    "seg": "{covered} are divided into {processes} adjoining segments, one for each process",
    "lfp": "each process accesses portions of {portion}, at regular distances",
    "lrp": "each process accesses portions of varying length, {mean} in the mean, in irregular places",
    "strided": "each process accesses records of {portion} at a constant distance of {stride}",
    "nested-strided": "each process accesses {portion} at distances of {stride}, and rows of them at larger ones",
    "gw": "the processes together take the records of {covered} in order, each once: self-scheduled",
    "gfp": "the processes together take the records of portions of one length, {mean}: self-scheduled",
    "grp": "the processes together take the records of portions of varying length, {mean} in the mean: self-scheduled",
    "forward": "each process goes {direction}, by varying distances",
    "rnd": "accesses are at random: {covered} touched, no order",
    UNKNOWN: "{candidates}? Not certain: {reason}",
}
SELF_SCHEDULED = ": self-scheduled"
SHARED = ("lfp", "lrp", "strided", "nested-strided", "forward", "rnd")
"""Patterns whose names do not say whether processes access the same bytes."""
STRIDES = ("strided", "nested-strided")


def sentence(pattern: FoundPattern, processes: int | None) -> str:
    """Return what the pattern's first name means here; without processes the records are for whoever is free."""
    local, together = pattern.local, pattern.together
    name = pattern.name.names[0]
    backward = pattern.cleaned.direction is Direction.BACKWARD
    lengths = together.portions if pattern.name.scope == "global" else local.portions.length
    if name == "gfp":
        lengths = together.covered.end - together.covered.start
    stride = local.strides[0].stride_bytes if local.strides else 0
    meaning = MEANING[name].format(
        portion=units.size(local.portion_bytes),
        covered=units.size(together.covered.bytes),
        mean=units.size(float(np.median(lengths) if name == "gfp" else lengths.mean())),
        stride=units.size(abs(stride)) + (" backwards" if backward or stride < 0 else ""),
        processes=processes,
        ends="end to beginning" if backward else "beginning to end",
        direction="backward" if backward else "forward",
        candidates=" or ".join(pattern.name.candidates),
        reason=pattern.name.reason,
    )
    if processes is None and not meaning.endswith(SELF_SCHEDULED) and name != UNKNOWN:
        meaning += SELF_SCHEDULED
    if local.passes > 1:
        meaning += f", {local.passes} times over"
    if backward and name not in (*STRIDES, "lw", "lw1", "forward", "rnd", UNKNOWN):
        meaning += ", backwards"
    if name in SHARED and together.overlap_share >= MOSTLY:
        meaning += f"; several processes access the same bytes ({together.overlap_share:.0%} of them)"
    if local.missing_share:
        meaning += f"; {local.missing_share:.1%} of the records are missing"
    return meaning
