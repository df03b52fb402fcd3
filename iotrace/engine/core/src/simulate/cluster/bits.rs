//! Which levels an operation goes through, segment by segment (section 3.4): two bits each for reads and writes.

use rustc_hash::FxHashMap;

/// The subject of a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Subject {
    /// None means every phase without a separate rule for the segment.
    pub phase: Option<u32>,
    pub is_write: bool,
    pub is_global: bool,
    pub file: u32,
}

/// A half-open range of segments of a file, and whether they go through the level.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    pub from: u64,
    pub to: u64,
    pub through: bool,
}

/// The table that nodes consult.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bits {
    rules: FxHashMap<Subject, Vec<Rule>>,
    /// Whether segments without a rule go through the global level; they always go through the local one.
    through_global: bool,
    has_phases: bool,
}

impl Bits {
    /// Every operation goes through every level.
    pub fn open() -> Self {
        Bits { rules: FxHashMap::default(), through_global: true, has_phases: false }
    }

    /// Rules by subject. The error names a subject two of whose rules overlap.
    pub fn new(rules: Vec<(Subject, Rule)>, through_global: bool) -> Result<Self, Subject> {
        let mut by_subject: FxHashMap<Subject, Vec<Rule>> = FxHashMap::default();
        let has_phases = rules.iter().any(|(subject, _)| subject.phase.is_some());
        for (subject, rule) in rules {
            by_subject.entry(subject).or_default().push(rule);
        }
        for (subject, rules) in &mut by_subject {
            rules.sort_unstable_by_key(|rule| rule.from);
            if rules.windows(2).any(|pair| pair[1].from < pair[0].to) {
                return Err(*subject);
            }
        }
        Ok(Bits { rules: by_subject, through_global, has_phases })
    }

    /// Whether a segment goes through a level; a rule for the phase takes precedence over one for every phase.
    pub fn is_through(&self, subject: Subject, segment: u64) -> bool {
        let default = !subject.is_global || self.through_global;
        if self.rules.is_empty() {
            return default;
        }
        let of_phase = self.has_phases && subject.phase.is_some();
        let own = of_phase.then(|| self.rule(subject, segment)).flatten();
        let any = Subject { phase: None, ..subject };
        own.or_else(|| self.rule(any, segment)).unwrap_or(default)
    }

    fn rule(&self, subject: Subject, segment: u64) -> Option<bool> {
        let rules = self.rules.get(&subject)?;
        let next = rules.partition_point(|rule| rule.from <= segment);
        let rule = rules.get(next.checked_sub(1)?)?;
        (segment < rule.to).then_some(rule.through)
    }
}
