"""A disk in thirty lines: angles as fractions of a revolution, one block after the other."""

import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from iotrace.simulate.disk import Description


@dataclass
class SlowDisk:
    """Without buffer and bus; blocks dealt out to the slots of zones that have no spares."""

    drive: Description
    cylinder: int = 0
    surface: int = 0

    def __post_init__(self) -> None:
        self.slots = []  # cylinder, surface, angle of the start and of the end, in order of blocks
        for zone in self.drive.zones:
            turned = Fraction(zone.first_sector_offset).limit_denominator(1000) - Fraction(zone.track_skew)
            for cylinder in range(zone.first_cylinder, zone.last_cylinder + 1):
                if cylinder > zone.first_cylinder:
                    turned += Fraction(zone.cylinder_skew) - Fraction(zone.track_skew)
                for surface in range(self.drive.surfaces):
                    turned += Fraction(zone.track_skew)
                    angles = [
                        (turned + sector) / zone.sectors_per_track
                        for sector in range(zone.sectors_per_track + 1)
                    ]
                    pairs = pairwise(angles)
                    self.slots += [(cylinder, surface, begin % 1, end % 1) for begin, end in pairs]

    def passes(self, angle: Fraction, from_ns: int) -> int:
        """The first whole nanosecond, not before this one, at which the angle has come."""
        revolution = Fraction(60 * 10**9, self.drive.rpm)
        turn = math.floor(Fraction(from_ns - 1) / revolution - angle) - 1
        while math.ceil((turn + angle) * revolution) < from_ns:
            turn += 1
        return math.ceil((turn + angle) * revolution)

    def serve(self, at_ns: int, lbn: int, blocks: int, write: bool) -> int:
        """The end of a request."""
        overhead, seeks = self.drive.overhead, self.drive.native.seek_ns()
        now = at_ns + round((overhead.write_ms if write else overhead.read_ms) * 1e6)
        for cylinder, surface, begin, end in self.slots[lbn : lbn + blocks]:
            switch = round(self.drive.head_switch_ms * 1e6) * (surface != self.surface)
            move = max(seeks[abs(cylinder - self.cylinder)], switch)
            if (cylinder, surface) != (self.cylinder, self.surface) and write:
                move = max(0, move + round(self.drive.write_settle_ms * 1e6))
            self.cylinder, self.surface = cylinder, surface
            now = self.passes(end, self.passes(begin, now + move) + 1)
        return now
