//! Disk mechanics: geometry, seeks, rotation, and the position of the arm (Biswas, Ramakrishnan and Towsley 1993, 3.2;
//! Ruemmler and Wilkes, IEEE Computer 27(3), 1994).
//!
//! - `geometry` maps blocks to locations, zone by zone (`zone`), and has the blocks of each track and cylinder;
//! - `rotation` has the times at which a sector passes under a head: the angle is a function of time alone, in integer
//!   nanoseconds, so nothing drifts;
//! - `seek` is the curve of seek times, by table or by formula;
//! - `drive` is the description of a drive, immutable, shared by every simulation of it;
//! - `mechanism` is the arm, and the time of one contiguous request, without buffer and bus;
//! - `device` is the state of a drive: `stream`s of blocks under the head, a `buffer` that reads ahead, a bus;
//! - `closed_loop` sends it requests, each a given time after the end of the previous one.

mod buffer;
mod closed_loop;
mod device;
mod drive;
mod geometry;
mod mechanism;
mod rotation;
mod seek;
mod stream;
mod zone;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use buffer::{OnBoardBuffer, ReadAhead, Reporting};
pub use closed_loop::{closed_loop, Request, LONGEST_PAUSE_NS, MOST_BLOCKS};
pub use device::{Device, Service};
pub use drive::{Description, Drive, Overheads, Parameters, WriteDisconnect};
pub use geometry::{Geometry, Run, SectorAddress};
pub use mechanism::{Access, Mechanism};
pub use rotation::{Rotation, Slot};
pub use seek::{SeekCurve, SeekForm};
pub use zone::{Sparing, Zone};
