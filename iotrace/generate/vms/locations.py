"""Where places lie on the disk: in runs, on tracks and in cylinders together, or anywhere."""

import numpy as np

from iotrace.generate.vms.load import Load
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.places import Flags, Integers, distances


def locations(
    blocks: Integers, written: Flags, load: Load, parameters: Parameters, rng: np.random.Generator
) -> Integers:
    """Draw the first block of each place, in the order in which they are first used.

    ``blocks`` are their sizes and ``written`` the operation that first uses them. All of a place is on the disk;
    what is to be on a track or in a cylinder is wholly there where it fits.
    """
    count = len(blocks)
    kind, within = rng.random(count), rng.random(count)
    back = distances(parameters.neighbour_distance_places, parameters.neighbour_distance_spread, count, rng)
    sequential = parameters.sequential_share
    on_track = sequential + parameters.same_track_share
    in_cylinder = on_track + parameters.same_cylinder_share
    track, cylinder, end = load.sectors_per_track, load.cylinder_blocks, load.disk_blocks
    margin = int(end * (1 - parameters.active_disk_share) / 2)
    starts: list[int] = []
    after = [end, end]
    columns = (kind.tolist(), within.tolist(), back.tolist(), blocks.tolist(), written.tolist())
    for place, (chance, part, distance, size, writes) in enumerate(zip(*columns, strict=True)):
        first, extent = margin, end - 2 * margin
        if chance < sequential:
            if after[writes] + size <= end:
                first, extent = after[writes], size
        elif chance < in_cylinder and distance <= place:
            extent = track if chance < on_track else cylinder
            first = starts[place - distance] // extent * extent
        start = min(first + int(part * (max(extent - size, 0) + 1)), end - size)
        starts.append(start)
        after[writes] = start + size
    return np.array(starts, np.int64)
