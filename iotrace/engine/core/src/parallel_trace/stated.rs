//! The numbers of a call as its line states them, of any size.

use super::call::{Call, Operation, UNKNOWN, UNREADABLE};
use super::calls::Reason;

/// None where a line has no number.
#[derive(Clone, Copy, Debug, Default)]
pub struct Stated {
    pub time: Option<i128>,
    /// None within if what the line states is not a duration.
    pub duration: Option<Option<i128>>,
    pub process: Option<i128>,
    pub thread: Option<i128>,
    pub descriptor: Option<i128>,
    pub offset: Option<i128>,
    pub length: Option<i128>,
    pub requested: Option<i128>,
}

impl Stated {
    /// The call of these numbers.
    ///
    /// # Errors
    /// If a number does not fit 64 bits; without a process, a time or an operation.
    #[inline]
    pub fn call<'t>(self, operation: Option<Operation>) -> Result<Call<'t>, Reason> {
        let time = within(self.time, Reason::TimeOutOfRange)?;
        let duration = match self.duration {
            Some(None) => UNREADABLE,
            duration => within(duration.flatten(), Reason::DurationOutOfRange)?,
        };
        let process = within(self.process, Reason::ProcessOutOfRange)?;
        let thread = within(self.thread, Reason::ThreadOutOfRange)?;
        let descriptor = within(self.descriptor, Reason::DescriptorOutOfRange)?;
        let offset = within(self.offset, Reason::OffsetOutOfRange)?;
        let length = within(self.length, Reason::LengthOutOfRange)?;
        let requested = within(self.requested, Reason::RequestedOutOfRange)?;
        if process == UNKNOWN {
            return Err(Reason::NoProcess);
        }
        if time == UNKNOWN {
            return Err(Reason::NoTime);
        }
        let operation = operation.ok_or(Reason::UnknownOperation)?;
        Ok(Call {
            time,
            duration,
            process,
            thread,
            descriptor,
            offset,
            length,
            requested,
            ..Call::of(operation)
        })
    }
}

/// A number of 64 bits, `UNKNOWN` for None.
///
/// # Errors
/// The reason, if it does not fit.
#[inline]
fn within(number: Option<i128>, reason: Reason) -> Result<i64, Reason> {
    let Some(number) = number else {
        return Ok(UNKNOWN);
    };
    // the least ones are out of every range, and have other meanings
    i64::try_from(number).map(|number| number.max(UNREADABLE + 1)).map_err(|_| reason)
}
