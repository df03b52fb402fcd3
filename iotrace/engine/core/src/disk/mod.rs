//! A disk that turns: geometry, seeks, rotation, and where the arm is (Biswas, Ramakrishnan and Towsley 1993, 3.2;
//! Ruemmler and Wilkes, IEEE Computer 27(3), 1994).
//!
//! - `geometry` says where a block is, zone by zone (`zone`), and which blocks a track or cylinder holds;
//! - `rotation` says when a sector passes under a head: the angle is a function of time alone, in integer
//!   nanoseconds, so nothing drifts;
//! - `seek` is the curve of seek times, by table or by formula;
//! - `drive` is all that is known of a drive, immutable, shared by every simulation of it;
//! - `mechanism` is the arm, and what one contiguous request costs.

mod drive;
mod geometry;
mod mechanism;
mod rotation;
mod seek;
mod zone;

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests;

pub use drive::{Drive, DriveError, Parameters};
pub use geometry::{Geometry, Place, Run};
pub use mechanism::{Access, Mechanism};
pub use rotation::Rotation;
pub use seek::{SeekCurve, SeekForm};
pub use zone::{Sparing, Zone};
