//! Which blocks of each file may be dirty, so that a sync finds them without a look at all blocks.

use rustc_hash::FxHashMap;
use std::ops::Range;

/// The blocks of each file that were written since they were last clean.
#[derive(Debug, Default)]
pub struct DirtyFiles {
    /// By file: its blocks and their numbers; some may be clean again, or there twice.
    blocks: FxHashMap<u32, Vec<(u64, u32)>>,
}

impl DirtyFiles {
    /// Note that a clean block is written.
    pub fn note(&mut self, file: u32, block: u64, number: usize) {
        self.blocks
            .entry(file)
            .or_default()
            .push((block, number as u32));
    }

    /// Take the numbers of a file's blocks in a range.
    pub fn take(&mut self, file: u32, range: Range<u64>) -> Vec<usize> {
        let Some(blocks) = self.blocks.get_mut(&file) else {
            return Vec::new();
        };
        let mut taken = Vec::new();
        blocks.retain(|&(block, number)| {
            let is_in = range.contains(&block);
            if is_in {
                taken.push(number as usize);
            }
            !is_in
        });
        if blocks.is_empty() {
            self.blocks.remove(&file);
        }
        taken
    }

    /// Take the numbers of all blocks, file by file in the order of their numbers.
    pub fn take_all(&mut self) -> Vec<usize> {
        let mut files: Vec<_> = self.blocks.drain().collect();
        files.sort_unstable_by_key(|&(file, _)| file);
        let numbers = files.into_iter().flat_map(|(_, blocks)| blocks);
        numbers.map(|(_, number)| number as usize).collect()
    }
}
