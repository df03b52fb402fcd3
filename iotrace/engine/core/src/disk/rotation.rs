//! Constant rotation, the angle a function of time alone.

/// A minute, in which the angle passes every slot boundary a whole number of times.
const MINUTE_NS: i64 = 60_000_000_000;

/// How fast the platters turn. At time 0 angle 0 is under the heads; at time t it is t · rpm modulo 60·10⁹ of a
/// revolution. A boundary's time is rounded up to the next nanosecond, and nothing is accumulated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    rpm: u32,
}

impl Rotation {
    /// The most slots that may pass in a minute, so that all arithmetic fits 64 bits.
    pub const MOST_SLOTS_A_MINUTE: u64 = 100_000_000;

    /// A rotation of so many revolutions a minute; None where tracks of `most_slots` would pass too fast to reckon.
    pub fn new(rpm: u32, most_slots: u32) -> Option<Self> {
        let slots = u64::from(rpm) * u64::from(most_slots);
        (slots > 0 && slots <= Self::MOST_SLOTS_A_MINUTE).then_some(Rotation { rpm })
    }

    /// Revolutions a minute.
    pub fn rpm(self) -> u32 {
        self.rpm
    }

    /// The time of one revolution, rounded up to the next nanosecond.
    pub fn revolution_ns(self) -> i64 {
        boundary(1, i64::from(self.rpm))
    }

    /// The first instant not before `from_ns` at which slot `slot` of `slots` begins under the head.
    #[inline]
    pub fn slot_starts_ns(self, slot: u32, slots: u32, from_ns: i64) -> i64 {
        let (minute, within) = (from_ns.div_euclid(MINUTE_NS), from_ns.rem_euclid(MINUTE_NS));
        let slots_a_minute = i64::from(self.rpm) * i64::from(slots);
        let next = first_boundary(within, slots_a_minute);
        let wait = (i64::from(slot) - next).rem_euclid(i64::from(slots));
        minute * MINUTE_NS + boundary(next + wait, slots_a_minute)
    }

    /// The instant at which so many slot boundaries have passed after the one at `start_ns` (as returned by
    /// `slot_starts_ns`), of `slots` a revolution.
    #[inline]
    pub fn slots_end_ns(self, start_ns: i64, passed: u32, slots: u32) -> i64 {
        let (minute, within) = (
            start_ns.div_euclid(MINUTE_NS),
            start_ns.rem_euclid(MINUTE_NS),
        );
        let slots_a_minute = i64::from(self.rpm) * i64::from(slots);
        let at = first_boundary(within, slots_a_minute);
        minute * MINUTE_NS + boundary(at + i64::from(passed), slots_a_minute)
    }
}

/// When the numbered boundary passes, of so many a minute, rounded up.
#[inline]
fn boundary(number: i64, slots_a_minute: i64) -> i64 {
    // at most 2 · MOST_SLOTS_A_MINUTE · 6·10¹⁰ would be 1.2·10¹⁹, but a number is at most a revolution past a minute
    (number as u64 * MINUTE_NS as u64).div_ceil(slots_a_minute as u64) as i64
}

/// The number of the first boundary that passes not before this instant.
#[inline]
fn first_boundary(within_ns: i64, slots_a_minute: i64) -> i64 {
    // the first number n with ceil(n · minute / slots) >= within is the first with n · minute / slots > within - 1
    if within_ns == 0 {
        return 0;
    }
    (within_ns - 1) * slots_a_minute / MINUTE_NS + 1
}
