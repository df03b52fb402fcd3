//! The counts of a log's lines: those that were parsed, and those that were not, by reason.

use crate::columns::Named;
use serde::Serialize;

/// The longest excerpt of a line, in bytes.
pub const EXCERPT: usize = 200;

/// The lines that were skipped for one reason.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Skipped {
    /// The number of lines.
    pub lines: u64,
    /// The number of the first, from 1.
    pub first_line: u64,
    /// The beginning of the first, as printable UTF-8.
    pub excerpt: String,
    /// The file of the first, in whose lines its number counts, in a log of several files.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
}

impl Skipped {
    /// Count a line.
    pub(crate) fn note(&mut self, line_number: u64, line: &[u8]) {
        if self.lines == 0 {
            self.first_line = line_number;
            self.excerpt = excerpt(line);
        }
        self.lines += 1;
    }

    /// Add another count to this one.
    pub(crate) fn add(&mut self, other: &Skipped) {
        if other.lines > 0 && (self.lines == 0 || other.first_line < self.first_line) {
            self.first_line = other.first_line;
            self.excerpt.clone_from(&other.excerpt);
            self.file.clone_from(&other.file);
        }
        self.lines += other.lines;
    }
}

/// The count of lines: `lines` is the sum of `parsed`, all that was skipped (for a reason `S`), and all remarks (of a
/// kind `R`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Tally<S, R> {
    /// Lines seen.
    pub lines: u64,
    /// Lines that are calls, halves of calls, or ends of threads.
    pub parsed: u64,
    /// Calls that returned, or were incomplete at the end of the trace.
    pub calls: u64,
    skipped: Vec<(S, Skipped)>,
    remarks: Vec<(R, u64)>,
}

impl<S: Named, R: Named> Default for Tally<S, R> {
    fn default() -> Self {
        Tally {
            lines: 0,
            parsed: 0,
            calls: 0,
            skipped: S::ALL.iter().map(|&reason| (reason, Skipped::default())).collect(),
            remarks: R::ALL.iter().map(|&kind| (kind, 0)).collect(),
        }
    }
}

impl<S: Named, R: Named> Tally<S, R> {
    /// All reasons with their skipped lines, including those without lines.
    pub fn skips(&self) -> &[(S, Skipped)] {
        &self.skipped
    }

    /// The lines skipped for this reason.
    pub fn skipped(&self, reason: S) -> Skipped {
        self.skipped
            .iter()
            .find(|(of, _)| *of == reason)
            .map(|(_, skipped)| skipped.clone())
            .unwrap_or_default()
    }

    /// All lines skipped.
    pub fn skipped_lines(&self) -> u64 {
        self.skipped.iter().map(|(_, skipped)| skipped.lines).sum()
    }

    /// The number of remarks of this kind.
    pub fn remarks(&self, kind: R) -> u64 {
        self.remarks.iter().find(|(of, _)| *of == kind).map_or(0, |(_, count)| *count)
    }

    /// Count a remark.
    pub(crate) fn remark(&mut self, kind: R) {
        self.remarks.iter_mut().filter(|(of, _)| *of == kind).for_each(|(_, count)| *count += 1);
    }

    /// Count a line that was not parsed.
    pub(crate) fn skip(&mut self, reason: S, line_number: u64, line: &[u8]) {
        for (_, skipped) in self.skipped.iter_mut().filter(|(of, _)| *of == reason) {
            skipped.note(line_number, line);
        }
    }
}

/// The first bytes of a line, with what is not printable replaced by `\xHH`.
fn excerpt(line: &[u8]) -> String {
    let cut = &line[..line.len().min(EXCERPT)];
    let mut shown = String::with_capacity(cut.len());
    for chunk in cut.utf8_chunks() {
        for character in chunk.valid().chars() {
            if shown.len() >= EXCERPT {
                return shown;
            }
            if character.is_control() {
                shown.push_str(&format!("\\x{:02x}", u32::from(character)));
            } else {
                shown.push(character);
            }
        }
        for byte in chunk.invalid() {
            shown.push_str(&format!("\\x{byte:02x}"));
        }
    }
    shown
}
