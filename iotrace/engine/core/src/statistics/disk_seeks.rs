//! How far apart requests to a disk are: query `disk_seek`.

use super::power_of_two;
use super::tables::Named;
use super::ways::Way;
use crate::columns::table;
use crate::error::Error;
use std::collections::BTreeMap;

/// A disk, what the request does, whether it starts before the place that was reached, and the bin of the distance.
type Seek = (i32, Way, bool, i64);

/// Where the last request to each disk ended, and how far from there the next ones started.
#[derive(Debug, Default)]
pub struct Seeks {
    reached: BTreeMap<i32, i64>,
    /// Before it is counted in `counts`: requests often follow each other in the same way.
    last: Option<(Seek, i64)>,
    counts: BTreeMap<Seek, i64>,
}

impl Seeks {
    pub fn push(&mut self, device: i32, way: Way, lbn: i64, blocks: i64) {
        let Some(reached) = self.reached.insert(device, lbn.saturating_add(blocks)) else {
            return;
        };
        let distance = lbn.saturating_sub(reached).saturating_abs();
        let seek = (device, way, lbn < reached, power_of_two(distance));
        match &mut self.last {
            Some((last, count)) if *last == seek => *count += 1,
            _ => {
                self.note_last();
                self.last = Some((seek, 1));
            }
        }
    }

    /// The table by its query's name.
    ///
    /// # Errors
    /// If Arrow rejects it.
    pub fn finish(mut self) -> Result<Named, Error> {
        self.note_last();
        let seeks = table!(self.counts.iter(), |((device, way, backward, bin), count)| {
            device: i32 = *device,
            operation: &str = way.name(),
            backward: bool = *backward,
            maximum_blocks: i64 = *bin,
            requests: i64 = *count,
        });
        Ok(("disk_seek", seeks.batch()?))
    }

    fn note_last(&mut self) {
        if let Some((seek, count)) = self.last.take() {
            *self.counts.entry(seek).or_default() += count;
        }
    }
}
