//! Disk mechanics: geometry, seeks, rotation, and the position of the arm (Biswas, Ramakrishnan and Towsley 1993, 3.2;
//! Ruemmler and Wilkes, IEEE Computer 27(3), 1994).
//!
//! - `geometry` says where a block is, zone by zone (`zone`), and which blocks a track or cylinder holds;
//! - `rotation` says when a sector passes under a head: the angle is a function of time alone, in integer
//!   nanoseconds, so nothing drifts;
//! - `seek` is the curve of seek times, by table or by formula;
//! - `drive` is all that is known of a drive, immutable, shared by every simulation of it;
//! - `mechanism` is the arm, and what one contiguous request costs there, without buffer and bus;
//! - `device` is a drive at work: `stream`s of blocks under the head, a `buffer` that reads ahead, a bus;
//! - `closed_loop` gives it requests, each some time after the last one's end.

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
pub use closed_loop::{closed_loop, Request};
pub use device::{Device, Service};
pub use drive::{Description, Drive, Overheads, Parameters, WriteDisconnect};
pub use geometry::{Geometry, Place, Run};
pub use mechanism::{Access, Mechanism};
pub use rotation::{Rotation, Slot};
pub use seek::{SeekCurve, SeekForm};
pub use zone::{Sparing, Zone};
