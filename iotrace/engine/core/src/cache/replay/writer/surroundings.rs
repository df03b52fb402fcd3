//! The blocks around those that requests touch: what a fetch brings in with them, and which of them are neighbours.

use super::{too_many_blocks, FetchBlocks, Writer};
use crate::cache::replay::{Step, Tape};
use crate::cache::stack_distance::{Span, StackPosition};
use std::ops::Range;

impl Writer {
    /// Write the blocks that a read does not touch of its first and its last fetch block, up to the known end of the
    /// file.
    pub(super) fn write_surroundings(
        &mut self,
        span: Span,
        fetch: FetchBlocks,
        tape: &mut Tape,
    ) -> Result<(), String> {
        let fetch_blocks = u64::from(fetch.blocks);
        let end = span.first + u64::from(span.blocks);
        let size = self.blocks.size(span.file).map(|size| size as u64);
        let file_end = size.map_or(u64::MAX, |size| self.spans.blocks_in(size));
        let after = end..end.next_multiple_of(fetch_blocks).min(file_end).max(end);
        let reaches_end = !after.is_empty() && after.end == file_end;
        let shortfall = |size| file_end * u64::from(self.options.block_bytes) - size;
        let end_shortfall = size.filter(|_| reaches_end).map_or(0, shortfall) as u32;
        let before =
            self.write_unreferenced(span.file, span.first - span.first % fetch_blocks..span.first, tape)?;
        let after = self.write_unreferenced(span.file, after, tape)?;
        if self.unreferenced.len() as u64 > fetch.budget_blocks {
            return Err(format!(
                "the fetch blocks have more than {} blocks that no request has touched: choose smaller ones, or a larger \
                 budget",
                fetch.budget_blocks
            ));
        }
        tape.steps.push(Step::Surroundings { before, after, end_shortfall });
        Ok(())
    }

    /// Write blocks that are not referenced here; return their number.
    fn write_unreferenced(&mut self, file: u32, blocks: Range<u64>, tape: &mut Tape) -> Result<u32, String> {
        let first = tape.touches.len();
        for block in blocks {
            let number = self.blocks.number(file, block).ok_or_else(too_many_blocks)?;
            let known = self.distinct;
            let rank = self.dense(number);
            if self.distinct != known {
                self.unreferenced.insert(rank);
            }
            if self.notes.neighbours {
                self.join(file, block, rank);
            }
            tape.touches.push(rank);
        }
        Ok((tape.touches.len() - first) as u32)
    }

    /// Note the neighbours of a block, if it is new.
    #[inline(always)]
    pub(super) fn join(&mut self, file: u32, block: u64, rank: u32) {
        if !self.neighbours.knows(rank) {
            let before = block.checked_sub(1).and_then(|block| self.rank(file, block));
            let after = self.rank(file, block + 1);
            self.neighbours.add(before, after);
        }
    }

    fn rank(&self, file: u32, block: u64) -> Option<u32> {
        match self.blocks.states[self.blocks.find(file, block)?].position() {
            StackPosition::Slot(rank) => Some(rank - 1),
            StackPosition::Never | StackPosition::Dropped => None,
        }
    }
}
