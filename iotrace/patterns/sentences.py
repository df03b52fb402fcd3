"""What a found pattern says, in a sentence with its numbers."""

from __future__ import annotations

import numpy as np

from iotrace import units
from iotrace.patterns.naming import Found

MEANING = {
    "lw": "every process goes over the same {portion} from beginning to end",
    "lw1": "one process goes over {covered} from beginning to end",
    "seg": "{covered} are divided into {processes} adjoining segments, one for each process",
    "lfp": "each process accesses portions of {portion}, at regular distances",
    "lrp": "each process accesses portions of varying length, {mean} in the mean, in irregular places",
    "strided": "each process accesses records of {portion} at a constant distance of {stride}",
    "nested-strided": "each process accesses {portion} at distances of {stride}, and rows of them at larger ones",
    "gw": "the processes together take the records of {covered} in order, each once: self-scheduled",
    "gfp": "the processes together take the records of portions of one length, {mean}: self-scheduled",
    "grp": "the processes together take the records of portions of varying length, {mean} in the mean: self-scheduled",
    "forward": "each process goes forward, by varying distances",
    "rnd": "accesses are at random: {covered} touched, no order",
}
SELF_SCHEDULED = ": self-scheduled"


def sentence(found: Found, processes: int | None) -> str:
    """Return what the pattern's first name means here; without processes the records are for whoever is free."""
    local, together = found.local, found.together
    name = found.name.names[0]
    lengths = together.portions if found.name.scope == "global" else local.portions.length
    if name == "gfp":
        lengths = together.covered.end - together.covered.start
    stride = local.strides[0].stride_bytes if local.strides else 0
    said = MEANING[name].format(
        portion=units.size(local.portion_bytes),
        covered=units.size(together.covered.bytes),
        mean=units.size(float(np.median(lengths) if name == "gfp" else lengths.mean())),
        stride=units.size(abs(stride)) + (" backwards" if stride < 0 else ""),
        processes=processes,
    )
    if processes is None and not said.endswith(SELF_SCHEDULED):
        said += SELF_SCHEDULED
    return said + (f", {local.passes} times over" if local.passes > 1 else "")
