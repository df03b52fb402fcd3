//! A sequential run.

use super::requests::Request;

/// Which directions a run, or a use, goes in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Direction {
    Read,
    Write,
    Both,
}

impl Direction {
    pub fn name(self) -> &'static str {
        match self {
            Direction::Read => "read",
            Direction::Write => "write",
            Direction::Both => "read_write",
        }
    }

    pub fn and(self, other: Direction) -> Direction {
        if self == other {
            self
        } else {
            Direction::Both
        }
    }
}

/// A maximal sequence of requests, each of which starts where the last one ended.
#[derive(Clone, Copy, Debug)]
pub struct Run {
    pub direction: Direction,
    pub requests: i64,
    /// None if no request's length is known.
    pub length_bytes: Option<i64>,
    pub offset_bytes: Option<i64>,
    /// After its last request, if known.
    pub file_size_bytes: Option<i64>,
    pub is_whole_executable: bool,
}

impl Run {
    pub fn of(request: &Request) -> Self {
        Run {
            direction: direction(request),
            requests: 1,
            length_bytes: request.length,
            offset_bytes: request.offset,
            file_size_bytes: request.file_size,
            is_whole_executable: request.is_whole_executable,
        }
    }

    pub fn add(&mut self, request: &Request) {
        self.direction = self.direction.and(direction(request));
        self.requests += 1;
        if let Some(length) = request.length {
            self.length_bytes = Some(self.length_bytes.unwrap_or(0).saturating_add(length));
        }
        self.file_size_bytes = request.file_size.or(self.file_size_bytes);
        self.is_whole_executable &= request.is_whole_executable;
    }

    /// The place behind its last byte, if known.
    pub fn end(&self) -> Option<i64> {
        Some(self.offset_bytes?.saturating_add(self.length_bytes?))
    }
}

fn direction(request: &Request) -> Direction {
    if request.writes() {
        Direction::Write
    } else {
        Direction::Read
    }
}
