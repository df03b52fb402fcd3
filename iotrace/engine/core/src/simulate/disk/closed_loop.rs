//! Requests in sequence, each a given time after the end of the previous one.

use super::device::{Device, Service};
use super::drive::Drive;
use std::sync::Arc;

/// A request of a closed loop.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Request {
    pub lbn: u64,
    pub blocks: u64,
    pub write: bool,
    /// Time in ns from the end of the previous request, or the start, to this one's arrival.
    pub after_ns: i64,
}

/// Serve the requests in sequence, each with its arrival. The error is the number of a request that is not on the
/// drive, has no blocks or more than 512 MB, or arrives before the last one's end.
pub fn closed_loop(
    drive: Arc<Drive>,
    requests: impl IntoIterator<Item = Request>,
) -> Result<Vec<(i64, Service)>, usize> {
    let blocks = drive.geometry.blocks();
    let (mut device, mut now_ns, mut served) = (Device::new(drive), 0i64, Vec::new());
    for (number, request) in requests.into_iter().enumerate() {
        let on_drive = request.lbn.checked_add(request.blocks);
        let fits = (1..=MOST_BLOCKS).contains(&request.blocks) && on_drive.is_some_and(|end| end <= blocks);
        let arrival = now_ns.checked_add(request.after_ns);
        let arrival = arrival.filter(|_| fits && (0..=LONGEST_PAUSE_NS).contains(&request.after_ns));
        let arrival_ns = arrival.filter(|&time| time < i64::MAX / 4).ok_or(number)?;
        let service = device.serve(arrival_ns, request.lbn, request.blocks, request.write);
        now_ns = service.end_ns;
        served.push((arrival_ns, service));
    }
    Ok(served)
}

/// The most blocks of a request: 512 MB.
pub const MOST_BLOCKS: u64 = 1 << 20;

/// The longest pause between requests: a hundred days.
pub const LONGEST_PAUSE_NS: i64 = 100 * 86_400 * 1_000_000_000;
