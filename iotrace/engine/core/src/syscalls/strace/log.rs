//! A strace log: one file, a tar archive of a set, a directory or list of the files of a set.

use super::scanner::{Disorder, Scanner};
use super::set::{stem_and_thread, FileLines, LogSet, Order, SetError};
use super::skip::Skip;
use crate::input::{self, Blocks, Input, InputError, Member, Progress};
use crate::syscalls::call::EventSink;
use crate::syscalls::tally::Skipped;
use std::path::{Path, PathBuf};

/// A log being read.
pub struct Log {
    source: Source,
    scanner: Scanner,
    finished: bool,
    /// Whether a last line without a newline was left out, in a log of one file.
    lost_end: bool,
    links: Vec<String>,
    archive_cut_at: Option<String>,
}

enum Source {
    One(Blocks),
    Set(LogSet),
}

impl Log {
    /// Open a log: a file (or `-`), which may be compressed and may be a tar archive, a directory, or several files.
    pub fn open(paths: &[PathBuf], order: Order) -> Result<Log, SetError> {
        Log::open_within(paths, order, u64::MAX)
    }

    /// Like `open`; the files of an archive may take `most_unpacked_bytes` of temporary space in total.
    pub fn open_within(paths: &[PathBuf], order: Order, most_unpacked_bytes: u64) -> Result<Log, SetError> {
        let (mut links, mut archive_cut_at) = (Vec::new(), None);
        let source = match paths {
            [path] if path.is_dir() => Source::Set(LogSet::open(directory(path)?, order, &shown(path))?),
            [path] => match input::open_archive(path, most_unpacked_bytes)? {
                Input::Text(blocks) => Source::One(blocks),
                Input::Archive(archive) => {
                    (links, archive_cut_at) = (archive.links, archive.cut_at);
                    let members = archive.parts.into_iter().map(Member::part).collect();
                    Source::Set(LogSet::open(members, order, &shown(path))?)
                }
            },
            _ => {
                let members = paths.iter().map(|path| Member::file(path)).collect();
                Source::Set(LogSet::open(members, order, "the list of files")?)
            }
        };
        Ok(Log { source, scanner: Scanner::new(), finished: false, lost_end: false, links, archive_cut_at })
    }

    /// Read about a megabyte and emit its events; false at the end.
    ///
    /// # Errors
    /// Damaged input is reported once; further calls read what is left, and finally report the end.
    pub fn advance<S: EventSink + ?Sized>(&mut self, sink: &mut S) -> Result<bool, InputError> {
        if self.finished {
            return Ok(false);
        }
        let more = match &mut self.source {
            Source::One(blocks) => match blocks.next_block()? {
                Some(block) => {
                    if block.ends_with(b"\n") {
                        self.scanner.block(block, sink);
                    } else {
                        self.lost_end = self.scanner.open_line(block, sink);
                    }
                    true
                }
                None => false,
            },
            Source::Set(set) => set.advance(&mut self.scanner, sink)?,
        };
        if !more {
            self.scanner.finish(sink);
            self.finished = true;
        }
        Ok(more)
    }

    /// The scanner, for its counts.
    pub fn scanner(&self) -> &Scanner {
        &self.scanner
    }

    /// The lines that are not calls: damaged records, and presumed output of the traced program to the same standard
    /// error; see [`Scanner::damaged_and_foreign`]. The logs of a set have no such output, because strace wrote them
    /// to files.
    pub fn damaged_and_foreign(&self) -> (Skipped, Skipped) {
        match &self.source {
            Source::One(_) => self.scanner.damaged_and_foreign(),
            Source::Set(_) => {
                let damaged = self.scanner.tally().skipped(Skip::NotACall);
                (damaged, Skipped::default())
            }
        }
    }

    /// The lines whose time is before that of the line before them in the same file, and, in a set, the name of the
    /// file with the first of them.
    pub fn disorder(&self) -> (Disorder, Option<&str>) {
        match &self.source {
            Source::One(_) => (self.scanner.disorder(), None),
            Source::Set(set) => set.disorder(),
        }
    }

    /// The progress of reading the log.
    pub fn progress(&self) -> &Progress {
        match &self.source {
            Source::One(blocks) => blocks.progress(),
            Source::Set(set) => set.progress(),
        }
    }

    /// Lines that were longer than [`input::LONGEST_LINE`] and left out.
    pub fn long_lines(&self) -> u64 {
        match &self.source {
            Source::One(blocks) => blocks.long_lines(),
            Source::Set(set) => set.long_lines(),
        }
    }

    /// The path of a log that is one file.
    pub fn one_path(&self) -> Option<&Path> {
        match &self.source {
            Source::One(blocks) => Some(blocks.path()),
            Source::Set(_) => None,
        }
    }

    /// How many of the log's files have a last line without a newline.
    pub fn open_ends(&self) -> u64 {
        match &self.source {
            Source::One(blocks) => u64::from(blocks.open_end()),
            Source::Set(set) => set.open_ends(),
        }
    }

    /// How many of these lines were left out, as they are not complete records.
    pub fn lost_ends(&self) -> u64 {
        match &self.source {
            Source::One(_) => u64::from(self.lost_end),
            Source::Set(set) => set.lost_ends(),
        }
    }

    /// What was read of each file of a set.
    pub fn by_file(&self) -> Vec<FileLines<'_>> {
        match &self.source {
            Source::One(_) => Vec::new(),
            Source::Set(set) => set.by_file().collect(),
        }
    }

    /// In a set, the file's name, and the line in it, of a line that was the first to be skipped for a reason.
    pub fn place_of(&self, first_line: u64) -> Option<(&str, u64)> {
        match &self.source {
            Source::One(_) => None,
            Source::Set(set) => set.place_of(first_line),
        }
    }

    /// The file in which an archive is cut short, or after which, in the header of the next one.
    pub fn archive_cut_at(&self) -> Option<&str> {
        self.archive_cut_at.as_deref()
    }

    /// The names of the links in an archive, which are not read.
    pub fn links(&self) -> &[String] {
        &self.links
    }

    /// In a set that is merged by time: lines with the same time as another thread's next line, so that their order is
    /// unknown.
    pub fn tied_lines(&self) -> u64 {
        match &self.source {
            Source::One(_) => 0,
            Source::Set(set) => set.tied_lines,
        }
    }
}

/// The files of a directory that are named `FILE.PID`.
fn directory(path: &Path) -> Result<Vec<Member>, InputError> {
    let failed = |cause| InputError::Open { path: path.to_path_buf(), cause };
    let mut members = Vec::new();
    for entry in path.read_dir().map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.is_file() && stem_and_thread(&shown(&path)).is_some() {
            members.push(Member::file(&path));
        }
    }
    Ok(members)
}

fn shown(path: &Path) -> String {
    path.display().to_string()
}
