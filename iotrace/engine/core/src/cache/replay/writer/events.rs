//! The stream as the page cache of Linux sees it: in bytes, by files and open files.

use super::Writer;
use crate::cache::file_events::{Event, Range, PAGE_BYTES};
use crate::cache::replay::Tape;
use crate::cache::stack_distance::{file_key, Operation, Reference, Span};

impl Writer {
    /// Write a request, and the time and file size before it.
    pub(super) fn write_events(&mut self, span: Span, reference: Reference, tape: &mut Tape) {
        let (file, open) = (self.intake.file(span.file), self.intake.open(self.opened.number, span.file));
        let (offset, length) = self.bytes(span, reference);
        let file_size = reference.file_size.map(|size| size as u64);
        let range = Range { file, offset, length, file_size };
        if reference.operation == Operation::Write {
            self.intake.write(range, reference.synchronous, &mut tape.events);
        } else {
            self.intake.before_read(range, &mut tape.events);
            let requested = self.opened.requested.unwrap_or(0).max(length);
            tape.events.push(Event::Read { file, open, offset, length, requested, spliced: false });
        }
    }

    /// The bytes of a request; where they are not known, or its block is one that it shares, those of its blocks.
    fn bytes(&self, span: Span, reference: Reference) -> (u64, u64) {
        match (reference.offset, reference.length) {
            (Some(offset), Some(length)) if !self.spans.is_placed(reference) => {
                (offset as u64, length as u64)
            }
            _ => {
                let shortfall = u64::from(span.last_shortfall);
                (span.first * PAGE_BYTES, (u64::from(span.blocks) * PAGE_BYTES).saturating_sub(shortfall))
            }
        }
    }

    /// Write that a file is cut or deleted.
    pub(super) fn write_removal_event(&mut self, reference: Reference, tape: &mut Tape) {
        let Some(file) = reference.file else { return };
        let file = self.intake.file(file_key(file));
        match (reference.operation, reference.offset) {
            (Operation::Truncate, Some(bytes)) => {
                self.intake.truncate(file, bytes as u64, &mut tape.events);
            }
            (Operation::Truncate, None) => {}
            _ => self.intake.delete(file, &mut tape.events),
        }
    }

    /// Write a sync of a file, or of all files.
    pub(super) fn write_sync_event(&mut self, reference: Reference, tape: &mut Tape) {
        let file = reference.file.map(|file| self.intake.file(file_key(file)));
        tape.events.push(Event::Sync(file));
    }
}
