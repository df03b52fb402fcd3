//! Converts time stamps to one continuous time.

use super::prefix::{leading_stamp, Reading, Stamp};

/// The origin of the log's times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TimeBase {
    /// The log has no times.
    #[default]
    None,
    /// Since 1970 (`-ttt`): absolute.
    Epoch,
    /// Since midnight of the trace's first day, in local time (`-t`, `-tt`).
    OfDay,
    /// Since the trace's first line, summed from the differences between lines (`-r`).
    Relative,
}

pub(super) const DAY_NS: i64 = 86_400_000_000_000;

/// A step back by more than this is midnight; a smaller one is a clock adjustment, including daylight saving.
const LARGEST_STEP_BACK_NS: i64 = 2 * 3_600_000_000_000;

/// Follows the stamps of a log from line to line.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Clock {
    base: TimeBase,
    /// The largest number of decimals seen.
    decimals: u8,
    days_ns: i64,
    last_ns: i64,
    first_ns: Option<i64>,
    small_are_absolute: bool,
}

/// Whether stamps that are not filled up, and too small for the present day, are absolute: if they never step back, and
/// do not begin with 0, as the differences of `-r` do.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct SmallStamps {
    first_ns: Option<i64>,
    last_ns: i64,
    steps_back: bool,
}

impl SmallStamps {
    /// Take the next line's stamp.
    pub fn note(&mut self, stamp: Stamp) {
        if let Stamp::Small(Reading { ns, .. }) = stamp {
            self.first_ns.get_or_insert(ns);
            self.steps_back |= ns < self.last_ns;
            self.last_ns = ns;
        }
    }

    /// Those of some lines.
    pub fn of(text: &[u8]) -> SmallStamps {
        let mut small = SmallStamps::default();
        text.split(|&byte| byte == b'\n').for_each(|line| small.note(leading_stamp(line)));
        small
    }

    pub fn are_absolute(&self) -> bool {
        self.first_ns.is_some_and(|first_ns| first_ns > 0) && !self.steps_back
    }
}

impl Clock {
    /// Take small stamps as what they are.
    pub fn set_small(&mut self, small: SmallStamps) {
        self.small_are_absolute = small.are_absolute();
    }

    /// The time of a line; None if it has no stamp, or one of another kind than the log's others.
    pub fn read(&mut self, stamp: Stamp) -> Option<i64> {
        let (base, Reading { ns, decimals }) = match stamp {
            Stamp::None => return None,
            Stamp::Epoch(reading) => (TimeBase::Epoch, reading),
            Stamp::OfDay(reading) => (TimeBase::OfDay, reading),
            Stamp::Small(reading) if self.small_are_absolute => (TimeBase::Epoch, reading),
            Stamp::Relative(reading) | Stamp::Small(reading) => (TimeBase::Relative, reading),
        };
        if self.base == TimeBase::None {
            self.base = base;
        }
        if self.base != base {
            return None;
        }
        self.decimals = self.decimals.max(decimals);
        let time_ns = match base {
            TimeBase::OfDay => self.time_of_day(ns),
            TimeBase::Relative => self.last_ns.saturating_add(ns),
            _ => ns,
        };
        self.last_ns = time_ns;
        self.first_ns.get_or_insert(time_ns);
        Some(time_ns)
    }

    fn time_of_day(&mut self, ns: i64) -> i64 {
        if self.first_ns.is_some() && self.last_ns - (self.days_ns + ns) > LARGEST_STEP_BACK_NS {
            self.days_ns = self.days_ns.saturating_add(DAY_NS);
        }
        self.days_ns.saturating_add(ns)
    }

    /// A clock whose first reading is on day `day`, counted from the trace's first day.
    pub fn starting_on_day(day: i64) -> Clock {
        Clock { days_ns: day.saturating_mul(DAY_NS), ..Clock::default() }
    }

    /// Merge the readings of another clock of the same trace.
    pub fn absorb(&mut self, other: &Clock) {
        if self.base == TimeBase::None {
            self.base = other.base;
        }
        self.decimals = self.decimals.max(other.decimals);
        self.first_ns = match (self.first_ns, other.first_ns) {
            (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
            (ours, theirs) => ours.or(theirs),
        };
    }

    pub fn base(&self) -> TimeBase {
        self.base
    }

    /// The resolution of the stamps; None without stamps.
    pub fn resolution_ns(&self) -> Option<i64> {
        (self.base != TimeBase::None).then(|| 10i64.pow(9 - u32::from(self.decimals.min(9))))
    }

    /// The same; None before the first.
    pub fn last_line_ns(&self) -> Option<i64> {
        self.first_ns.map(|_| self.last_ns)
    }

    /// The time of the last line that had one.
    pub fn last_ns(&self) -> i64 {
        self.last_ns
    }

    pub fn first_ns(&self) -> Option<i64> {
        self.first_ns
    }
}
