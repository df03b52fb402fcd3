//! The report at the end of an intake: counts, skipped lines, agreement, warnings.

use serde::Serialize;

use super::impossible::ImpossibleValues;
use super::source::SourceReport;
use super::tables::Tables;
use crate::reconstruct::file_table;
use crate::syscalls::tally::Skipped;

/// How much of everything.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
#[allow(missing_docs)]
pub struct Counts {
    pub lines: u64,
    pub parsed: u64,
    pub skipped_lines: u64,
    pub calls: i64,
    pub references: i64,
    pub files: i64,
    pub processes: i64,
    pub uses: i64,
    pub duration_ns: Option<i64>,
}

/// Everything that goes into a manifest.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// How much of everything.
    pub counts: Counts,
    /// The source's report on its lines.
    pub source: SourceReport,
    /// Counts of the file table.
    pub seen: file_table::Counts,
    /// Values that became null.
    pub impossible: ImpossibleValues,
    /// The agreement with the kernel's own paths; None if the log has none.
    pub agreement: Option<file_table::Verdict>,
    /// Disagreements beyond the limit of table `disagreement`.
    pub unlisted_disagreements: i64,
    /// Corrections of references that had left in a batch.
    pub rebases: Vec<file_table::Rebase>,
    /// References, by `seq`, that had left in a batch when their calls returned, with their durations in ns.
    pub late_durations: Vec<(i64, i64)>,
    /// Warnings for the user, a line each.
    pub warnings: Vec<String>,
    /// Why the trace could not be read to its end; also one of the warnings.
    pub damage: Option<String>,
}

impl Report {
    pub(super) fn new(source: &SourceReport, tables: &Tables, damage: Option<&str>) -> Report {
        let verdict = tables.files.verdict();
        let impossible = tables.impossible;
        let seen = tables.files.counts();
        let counts = Counts {
            lines: source.lines,
            parsed: source.parsed,
            skipped_lines: source.skipped.iter().map(|(_, skipped)| skipped.lines).sum(),
            calls: tables.calls,
            references: tables.files.reference_count(),
            files: tables.files.file_count() as i64,
            processes: tables.processes.len() as i64,
            uses: tables.uses,
            duration_ns: tables.zero_ns.map(|_| tables.last_ns),
        };
        let mut warnings: Vec<String> = damage.map(String::from).into_iter().collect();
        warnings.extend(source.warnings.iter().cloned());
        warnings.extend(skipped_warnings(source));
        warnings.extend(seen_warnings(&seen, source, tables.files.losses()));
        warnings.extend(impossible_warnings(impossible));
        warnings.extend(unlisted_warning(tables.unlisted_disagreements));
        Report {
            counts,
            source: source.clone(),
            seen,
            impossible,
            agreement: (verdict.calls > 0).then_some(verdict),
            unlisted_disagreements: tables.unlisted_disagreements,
            rebases: tables.files.rebases(),
            late_durations: tables.files.late_durations().to_vec(),
            warnings,
            damage: damage.map(String::from),
        }
    }
}

fn skipped_warnings(source: &SourceReport) -> Vec<String> {
    let warning = |(reason, skipped): &(&str, Skipped)| {
        let of_file = skipped.file.as_deref().map_or(String::new(), |file| format!(" of {file}"));
        format!(
            "{} {} skipped: {reason}; the first is line {}{of_file}: {}",
            skipped.lines,
            if skipped.lines == 1 { "line" } else { "lines" },
            skipped.first_line,
            skipped.excerpt
        )
    };
    source.skipped.iter().map(warning).collect()
}

fn seen_warnings(seen: &file_table::Counts, source: &SourceReport, losses: i64) -> Vec<String> {
    let mut warnings = Vec::new();
    if source.times.base == "none" {
        warnings.push("the log has no time stamps: results that need times are unknown".to_string());
    }
    if seen.unseen_asynchronous_calls > 0 {
        warnings.push(format!(
            "{} io_uring or native asynchronous calls, whose I/O a system-call trace cannot show",
            seen.unseen_asynchronous_calls
        ));
    }
    if seen.impossible_calls > 0 {
        warnings.push(format!(
            "{} calls with impossible results (a directory moved below itself, a path longer than 4096 \
             bytes) were left out",
            seen.impossible_calls
        ));
    }
    if seen.relative_references > 0 {
        warnings.push(relative_warning(seen, source, losses));
    }
    if seen.threads_of_unknown_parent > 0 {
        warnings.push(match seen.threads_of_unknown_parent {
            1 => "a thread whose parent is not in the trace starts with unknown descriptors and working directory".into(),
            threads => format!(
                "{threads} threads whose parent is not in the trace start with unknown descriptors and working directory"
            ),
        });
    }
    warnings
}

fn impossible_warnings(impossible: ImpossibleValues) -> Vec<String> {
    let counts = [
        (impossible.negative_durations, "negative durations"),
        (impossible.negative_offsets, "negative offsets in calls that succeeded"),
        (impossible.negative_sizes, "negative sizes of files"),
    ];
    counts
        .into_iter()
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{count} {what} count as unknown"))
        .collect()
}

fn unlisted_warning(unlisted: i64) -> Option<String> {
    (unlisted > 0).then(|| {
        format!("table disagreement lists only the first disagreements; {unlisted} more are not listed")
    })
}

fn relative_warning(seen: &file_table::Counts, source: &SourceReport, losses: i64) -> String {
    let origins = [
        (seen.inherited_descriptors, "descriptor", "descriptors", " whose opening the trace does not show"),
        (seen.appends_of_unknown_offset, "append", "appends", " to files of unknown size"),
        (source.half_calls as i64, "incomplete call", "incomplete calls", ""),
        (losses, "place", "places", " where the recorder lost records"),
    ];
    let origins: Vec<String> = origins
        .iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, one, several, which)| {
            format!("{count} {}{which}", if *count == 1 { one } else { several })
        })
        .collect();
    let within = if losses > 0 || source.half_calls > 0 { ", from one loss to the next" } else { "" };
    format!(
        "{} reads and writes of {} bytes are at unknown offsets (offset_source relative): {}. Runs and the amount of \
         distinct data are right within each descriptor{within}. Such data has a separate row in table file: a file also \
         used at known offsets, or through another such descriptor, counts once for each in the number and size of \
         files and in distinct data",
        seen.relative_references,
        seen.relative_bytes,
        origins.join(", ")
    )
}
