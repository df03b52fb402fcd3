//! What the lines of a format hold.

use super::rows::Operation;
use serde::Deserialize;

/// Lines of fields.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Form {
    /// Whether white space stands between fields, and not commas.
    pub is_blank_separated: bool,
    /// Whether white space within fields means nothing.
    pub is_unspaced: bool,
    /// What each field is. Further ones mean nothing.
    pub fields: Vec<Field>,
    /// How many fields a line must have.
    pub at_least: usize,
    /// A device's name, with {} for the machine's, where the format has one, and {} for the disk's.
    pub device: String,
    /// What the words for operations mean, in any case.
    pub operations: Vec<(String, Operation)>,
}

/// What a field is.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub enum Field {
    /// Windows' clock: steps of 100 ns since 1601; as time since 1970.
    Filetime,
    TimeS,
    TimeUs,
    TimeNs,
    DecimalS,
    DecimalMs,
    /// The disk's name.
    Name,
    /// The machine's.
    Host,
    /// A word.
    Operation,
    /// Hexadecimal flags of which bit 0 is set for reads.
    FlagsHex,
    Lbn,
    Blocks,
    OffsetBytes,
    LengthBytes,
    /// May be empty, and so unknown; so is the next.
    #[serde(rename = "latency_100ns")]
    Latency100ns,
    LatencyDecimalS,
}
