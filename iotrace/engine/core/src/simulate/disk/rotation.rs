//! Constant rotation; the angle is a function of time alone.

/// A minute: every slot boundary passes a whole number of times in it.
const MINUTE_NS: i64 = 60_000_000_000;

/// The speed of rotation. At time 0 angle 0 is under the heads; at time t it is t · rpm modulo 60·10⁹ of a revolution.
/// A boundary's time is rounded up to the next nanosecond, and nothing is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    rpm: u32,
}

impl Rotation {
    /// The most slots per minute, so that all arithmetic fits 64 bits.
    pub const MOST_SLOTS_A_MINUTE: u64 = 100_000_000;

    /// A rotation of `rpm` revolutions per minute; None if tracks of `most_slots` slots exceed `MOST_SLOTS_A_MINUTE`.
    pub fn new(rpm: u32, most_slots: u32) -> Option<Self> {
        let slots = u64::from(rpm) * u64::from(most_slots);
        (slots > 0 && slots <= Self::MOST_SLOTS_A_MINUTE).then_some(Rotation { rpm })
    }

    /// Revolutions per minute.
    pub fn rpm(self) -> u32 {
        self.rpm
    }

    /// The time of one revolution, rounded up to the next nanosecond.
    pub fn revolution_ns(self) -> i64 {
        (MINUTE_NS as u64).div_ceil(u64::from(self.rpm)) as i64
    }

    /// The first time not before `from_ns` at which a slot begins under the head.
    #[inline]
    pub fn slot_starts_ns(self, slot: Slot, from_ns: i64) -> i64 {
        let (minute, within) = (from_ns.div_euclid(MINUTE_NS), from_ns.rem_euclid(MINUTE_NS));
        let passing = self.passing(slot);
        let next = passing.first_boundary(within);
        let wait = (i64::from(slot.number) - next).rem_euclid(i64::from(slot.of));
        minute * MINUTE_NS + passing.boundary(next + wait)
    }

    /// The time in ns at which `passed` boundaries of slots like this one have passed since the boundary at `start_ns`
    /// (as returned by `slot_starts_ns`).
    #[inline]
    pub fn slots_end_ns(self, start_ns: i64, passed: u32, slot: Slot) -> i64 {
        let (minute, within) = (start_ns.div_euclid(MINUTE_NS), start_ns.rem_euclid(MINUTE_NS));
        let passing = self.passing(slot);
        let at = passing.first_boundary(within);
        minute * MINUTE_NS + passing.boundary(at + i64::from(passed))
    }

    /// The first position not passed before `from_ns`. Positions are counted from time 0, `parts` per slot and `of`
    /// slots per revolution; a slot begins at `parts` times its number plus its thousandths, modulo a revolution.
    #[inline]
    pub fn position_from(self, from_ns: i64, of: u32, parts: i64) -> i64 {
        let (minute, within) = (from_ns.div_euclid(MINUTE_NS), from_ns.rem_euclid(MINUTE_NS));
        let a_minute = i64::from(self.rpm) * i64::from(of) * parts;
        let next = match (within, parts) {
            (0, _) => 0,
            (_, 1) => (within - 1) * a_minute / MINUTE_NS + 1,
            _ => (i128::from(within - 1) * i128::from(a_minute) / i128::from(MINUTE_NS)) as i64 + 1,
        };
        minute * a_minute + next
    }

    /// The time at which a position of `position_from` passes, rounded up to the next nanosecond.
    #[inline]
    pub fn position_ns(self, position: i64, of: u32, parts: i64) -> i64 {
        let a_minute = i64::from(self.rpm) * i64::from(of) * parts;
        let (minute, within) = (position.div_euclid(a_minute), position.rem_euclid(a_minute));
        let passed = match parts {
            1 => (within as u64 * MINUTE_NS as u64).div_ceil(a_minute as u64) as i64,
            _ => (within as u128 * MINUTE_NS as u128).div_ceil(a_minute as u128) as i64,
        };
        minute * MINUTE_NS + passed
    }

    #[inline]
    fn passing(self, slot: Slot) -> Passing {
        Passing {
            a_minute: i64::from(self.rpm) * i64::from(slot.of),
            thousandths: i64::from(slot.thousandths),
        }
    }
}

/// A slot of a track: its number, counted from angle 0, the number of slots per revolution, and the offset of all
/// slots of the track from angle 0 in thousandths of a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    pub number: u32,
    pub of: u32,
    pub thousandths: u32,
}

/// The times of a track's slot boundaries.
#[derive(Clone, Copy)]
struct Passing {
    a_minute: i64,
    thousandths: i64,
}

impl Passing {
    /// The time of the numbered boundary, rounded up.
    #[inline]
    fn boundary(self, number: i64) -> i64 {
        // a number is at most a revolution past a minute, so that all this is less than 1.2 · 10¹⁹
        if self.thousandths == 0 && number >= 0 {
            return (number as u64 * MINUTE_NS as u64).div_ceil(self.a_minute as u64) as i64;
        }
        let angle = i128::from(number) * 1000 + i128::from(self.thousandths);
        let time = angle * i128::from(MINUTE_NS) + i128::from(self.a_minute) * 1000 - 1;
        time.div_euclid(i128::from(self.a_minute) * 1000) as i64
    }

    /// The number of the first boundary not before this time within a minute.
    #[inline]
    fn first_boundary(self, within_ns: i64) -> i64 {
        if self.thousandths == 0 {
            // the first n with ceil(n · minute / slots) >= within is the first with n · minute / slots > within - 1
            return match within_ns {
                0 => 0,
                _ => (within_ns - 1) * self.a_minute / MINUTE_NS + 1,
            };
        }
        let before = i128::from(within_ns - 1) * i128::from(self.a_minute) * 1000;
        let angle = before - i128::from(self.thousandths) * i128::from(MINUTE_NS);
        angle.div_euclid(1000 * i128::from(MINUTE_NS)) as i64 + 1
    }
}
