//! A call of a parallel program as its line states it.

use crate::columns::Word;

/// Stands for an unknown number: known ones are larger.
pub const UNKNOWN: i64 = i64::MIN;
/// Stands for a duration that a line states and that is not a number.
pub const UNREADABLE: i64 = i64::MIN + 1;

/// What a call does, by its place in `Operation::WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Open,
    Close,
    Read,
    Write,
    Seek,
    Sync,
    Truncate,
    Delete,
    Barrier,
    ListIo = 10,
    Stat,
    Access,
    OpenDirectory,
    ReadDirectory,
    CloseDirectory,
    MakeDirectory,
    RemoveDirectory,
    Rename,
    Link,
    ReadLink,
    SetAttributes,
    /// Of files, but none of these.
    Other,
}

impl Operation {
    /// By its word; a pattern's computation touches no file, as a barrier.
    pub fn of(word: &str) -> Option<Self> {
        Some(match word {
            "open" => Operation::Open,
            "close" => Operation::Close,
            "read" => Operation::Read,
            "write" => Operation::Write,
            "seek" => Operation::Seek,
            "sync" => Operation::Sync,
            "truncate" => Operation::Truncate,
            "delete" => Operation::Delete,
            "barrier" | "compute" => Operation::Barrier,
            "list_io" => Operation::ListIo,
            "stat" => Operation::Stat,
            "access" => Operation::Access,
            "opendir" => Operation::OpenDirectory,
            "readdir" => Operation::ReadDirectory,
            "closedir" => Operation::CloseDirectory,
            "mkdir" => Operation::MakeDirectory,
            "rmdir" => Operation::RemoveDirectory,
            "rename" => Operation::Rename,
            "link" => Operation::Link,
            "readlink" => Operation::ReadLink,
            "set_attributes" => Operation::SetAttributes,
            "other" => Operation::Other,
            _ => return None,
        })
    }

    /// Whether it is a request.
    pub fn moves(self) -> bool {
        matches!(self, Operation::Read | Operation::Write)
    }

    /// Whether it only asks for or changes names and attributes: no bytes, sizes or file pointers.
    pub fn is_of_names(self) -> bool {
        self as i32 >= Operation::Stat as i32
    }
}

impl Word for Operation {
    const WORDS: &'static [&'static str] = &[
        "open",
        "close",
        "read",
        "write",
        "seek",
        "sync",
        "truncate",
        "delete",
        "barrier",
        "compute",
        "list_io",
        "stat",
        "access",
        "opendir",
        "readdir",
        "closedir",
        "mkdir",
        "rmdir",
        "rename",
        "link",
        "readlink",
        "set_attributes",
        "other",
    ];

    fn code(self) -> i32 {
        self as i32
    }
}

/// The library that is called, by its place in `Layer::WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Layer {
    Posix,
    Stdio,
    Mpiio,
}

impl Word for Layer {
    const WORDS: &'static [&'static str] = &["posix", "stdio", "mpiio"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// What a seek's offset counts from, by its place in `Whence::WORDS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Whence {
    Start,
    Current,
    End,
}

impl Whence {
    /// By C's number; what is none of them counts as the end.
    pub fn of(number: i128) -> Self {
        match number {
            0 => Whence::Start,
            1 => Whence::Current,
            _ => Whence::End,
        }
    }
}

impl Word for Whence {
    const WORDS: &'static [&'static str] = &["start", "current", "end"];

    fn code(self) -> i32 {
        self as i32
    }
}

/// Flags of an open, as a set: bit 0 for append, 1 for create, 2 for truncate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenFlags(pub u8);

impl Word for OpenFlags {
    const WORDS: &'static [&'static str] = &[
        "append",
        "create",
        "append|create",
        "truncate",
        "append|truncate",
        "create|truncate",
        "append|create|truncate",
    ];

    fn code(self) -> i32 {
        i32::from(self.0) - 1
    }
}

/// A name as a line has it, or a hash of it.
#[derive(Clone, Copy, Debug)]
pub struct Name<'t> {
    pub is_hash: bool,
    pub text: &'t [u8],
}

impl<'t> Name<'t> {
    pub fn plain(text: &'t [u8]) -> Self {
        Name { is_hash: false, text }
    }
}

/// A call; numbers may be `UNKNOWN` where a column of table parallel_io may be null.
#[derive(Clone, Copy, Debug)]
pub struct Call<'t> {
    /// In the units of its section, from where that counts.
    pub time: i64,
    /// What is below 0 is counted, and unknown.
    pub duration: i64,
    pub process: i64,
    pub thread: i64,
    pub layer: Option<Layer>,
    pub operation: Operation,
    /// None for a barrier, and where the trace does not name it.
    pub file: Option<Name<'t>>,
    pub host: Option<Name<'t>>,
    pub descriptor: i64,
    pub offset: i64,
    pub whence: Option<Whence>,
    pub length: i64,
    pub requested: i64,
    pub flags: OpenFlags,
}

impl Call<'_> {
    /// A call of which nothing else is known.
    pub fn of(operation: Operation) -> Self {
        Call {
            time: 0,
            duration: UNKNOWN,
            process: 0,
            thread: UNKNOWN,
            layer: None,
            operation,
            file: None,
            host: None,
            descriptor: UNKNOWN,
            offset: UNKNOWN,
            whence: (operation == Operation::Seek).then_some(Whence::Start),
            length: UNKNOWN,
            requested: UNKNOWN,
            flags: OpenFlags(0),
        }
    }
}
