//! The lines that a reader could not understand.

/// How many bytes of a line are shown.
const EXCERPT_BYTES: usize = 120;

/// Lines that were skipped for one reason.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkippedLines {
    /// Why, in words.
    pub reason: &'static str,
    /// How many lines.
    pub count: u64,
    /// The number of the first of them, from 1.
    pub first_line: u64,
    /// How the first of them starts; bytes that are not UTF-8 are replaced, control characters escaped.
    pub excerpt: String,
}

/// Skipped lines by reason, in the order in which the reasons first came up.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Skipped(Vec<SkippedLines>);

impl Skipped {
    /// Count a line that was skipped.
    pub fn note(&mut self, reason: &'static str, line_number: u64, line: &[u8]) {
        if let Some(same) = self.0.iter_mut().find(|of| of.reason == reason) {
            same.count += 1;
            return;
        }
        self.0.push(SkippedLines {
            reason,
            count: 1,
            first_line: line_number,
            excerpt: excerpt(line),
        });
    }

    /// The number of lines skipped for any reason.
    pub fn lines(&self) -> u64 {
        self.0.iter().map(|of| of.count).sum()
    }

    /// All reasons with their lines.
    pub fn reasons(&self) -> &[SkippedLines] {
        &self.0
    }
}

fn excerpt(line: &[u8]) -> String {
    let start = String::from_utf8_lossy(&line[..line.len().min(EXCERPT_BYTES)]);
    let mut shown = String::with_capacity(start.len());
    for character in start.chars() {
        if character.is_control() {
            shown.extend(character.escape_default());
        } else {
            shown.push(character);
        }
    }
    shown
}
