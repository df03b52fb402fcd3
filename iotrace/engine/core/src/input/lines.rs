//! A stream line by line; the next line can be seen before it is taken.

use super::{Blocks, InputError};

/// The lines of a stream.
pub struct Lines {
    blocks: Blocks,
    /// Where the next line begins in the current block.
    at: usize,
}

impl Lines {
    /// The lines of a stream from its next block on.
    pub fn new(blocks: Blocks) -> Lines {
        let at = blocks.block().len();
        Lines { blocks, at }
    }

    /// The next line, without its newline; None at the end. Repeated calls return the same line.
    ///
    /// # Errors
    /// Those of [`Blocks::next_block`].
    pub fn peek(&mut self) -> Result<Option<&[u8]>, InputError> {
        if self.at >= self.blocks.block().len() {
            if self.blocks.next_block()?.is_none() {
                return Ok(None);
            }
            self.at = 0;
        }
        Ok(Some(self.current()))
    }

    /// Advance to the line after the one last seen.
    pub fn advance(&mut self) {
        self.at += self.current().len() + 1;
    }

    /// The stream.
    pub fn blocks(&self) -> &Blocks {
        &self.blocks
    }

    fn current(&self) -> &[u8] {
        let rest = self.blocks.block().get(self.at..).unwrap_or_default();
        &rest[..memchr::memchr(b'\n', rest).unwrap_or(rest.len())]
    }
}
