"""Where places lie on the disk: in runs, on tracks and in cylinders together, or anywhere; no two on one block."""

import numpy as np

from iotrace.generate.vms.load import Load
from iotrace.generate.vms.parameters import Parameters
from iotrace.generate.vms.places import distances
from iotrace.generate.vms.sequence import Sequence
from iotrace.generate.vms.shapes import Integers

TAKEN = b"\1"


def locations(
    blocks: Integers, sequence: Sequence, load: Load, parameters: Parameters, rng: np.random.Generator
) -> Integers:
    """Draw the first block of each place, in the order in which they are first used.

    ``blocks`` are their sizes. Neighbours are places that the same operation used first: on a real disk, files that are
    read lie apart from those that are written. All of a place is on the disk; what is to be on a track or in a cylinder
    is wholly there where it fits. Where other places are in the way, it starts at the next room on its track or in its
    cylinder, or after it; only on a full disk two places share blocks.
    """
    first, requests = sequence.first, load.requests
    # drawn for each request: a place more or less does not change what is drawn for others
    kind, within = rng.random(requests)[first], rng.random(requests)[first]
    back = distances(
        parameters.neighbour_distance_places, parameters.neighbour_distance_spread, requests, rng
    )[first]
    on_track = parameters.sequential_share + parameters.same_track_share
    in_cylinder = on_track + parameters.same_cylinder_share
    disk = _Disk(load, parameters.active_disk_share)
    starts: tuple[list[int], list[int]] = ([], [])
    chosen: list[int] = []
    after = [disk.end, disk.end]
    columns = (kind, within, back, blocks, sequence.writes[first])
    for chance, part, distance, size, writes in zip(*(column.tolist() for column in columns), strict=True):
        begin, extent = disk.active
        if chance < parameters.sequential_share:
            if after[writes] + size <= disk.end:
                begin, extent = after[writes], size
        elif chance < in_cylinder and distance <= len(starts[writes]):
            extent = disk.track if chance < on_track else disk.cylinder
            begin = starts[writes][-distance] // extent * extent
        start = disk.placed(begin, extent, size, part)
        chosen.append(start)
        starts[writes].append(start)
        after[writes] = start + size
    return np.array(chosen, np.int64)


class _Disk:
    """Which blocks of a disk belong to a place."""

    def __init__(self, load: Load, active_share: float) -> None:
        self.track, self.cylinder, self.end = load.sectors_per_track, load.cylinder_blocks, load.disk_blocks
        margin = int(self.end * (1 - active_share) / 2)
        self.active = (margin, self.end - 2 * margin)
        self._taken = bytearray(self.end)

    def placed(self, begin: int, extent: int, size: int, part: float) -> int:
        """Put a place at this part of an extent, or at the next room, and return where it starts."""
        start = min(begin + int(part * (max(extent - size, 0) + 1)), self.end - size)
        if self._taken.find(TAKEN, start, start + size) >= 0:
            room = bytes(size)
            nearest = ((start, begin + extent), (begin, self.end), (self.active[0], self.end), (0, self.end))
            free = (self._taken.find(room, low, high) for low, high in nearest)
            start = next((block for block in free if block >= 0), start)
        self._taken[start : start + size] = TAKEN * size
        return start
