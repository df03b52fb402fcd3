//! What was understood and is not a request, or is odd, by kind.

/// Counts by kind, in the order of first sight.
#[derive(Debug, Default)]
pub struct Remarks(Vec<(&'static str, u64)>);

impl Remarks {
    pub fn add(&mut self, kind: &'static str, count: u64) {
        match self.0.iter_mut().find(|(known, _)| *known == kind) {
            Some((_, sum)) => *sum += count,
            None => self.0.push((kind, count)),
        }
    }

    /// The counts since the last time.
    pub fn take(&mut self) -> Vec<(&'static str, u64)> {
        std::mem::take(&mut self.0)
    }
}
