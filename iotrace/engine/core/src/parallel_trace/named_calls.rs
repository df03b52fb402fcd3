//! The calls of the C library and of MPI-IO by their names (`iotrace.formats.parallel_io.calls`).

use super::call::{OpenFlags, Operation};

/// A call's name, without the 64 that some end with.
#[derive(Clone, Copy, Debug)]
pub struct NamedCall<'t> {
    pub name: &'t [u8],
    pub operation: Operation,
}

const APPEND: i128 = 0o2000;
const CREATE: i128 = 0o100;
const TRUNCATE: i128 = 0o1000;

impl<'t> NamedCall<'t> {
    /// None for calls that move no bytes of files.
    #[inline]
    pub fn of(name: &'t [u8]) -> Option<Self> {
        let name = name.strip_suffix(b"64").unwrap_or(name);
        let operation = match name {
            b"read" | b"pread" | b"readv" | b"preadv" | b"preadv2" | b"fread" => Operation::Read,
            b"write" | b"pwrite" | b"writev" | b"pwritev" | b"pwritev2" | b"fwrite" => Operation::Write,
            b"open" | b"openat" | b"creat" | b"fopen" | b"freopen" => Operation::Open,
            b"close" | b"fclose" => Operation::Close,
            b"lseek" | b"fseek" | b"fseeko" => Operation::Seek,
            b"fsync" | b"fdatasync" => Operation::Sync,
            b"truncate" | b"ftruncate" => Operation::Truncate,
            b"unlink" | b"unlinkat" | b"remove" => Operation::Delete,
            b"MPI_Barrier" => Operation::Barrier,
            _ => return None,
        };
        Some(NamedCall { name, operation })
    }

    /// Any other call of a C library on files: it asks for or changes names or attributes, or it is `Other`.
    pub fn of_names(name: &'t [u8]) -> Self {
        let name = name.strip_suffix(b"64").unwrap_or(name);
        let operation = match name {
            b"stat" | b"lstat" | b"fstat" | b"fstatat" | b"newfstatat" | b"statx" | b"__xstat"
            | b"__lxstat" | b"__fxstat" | b"__fxstatat" => Operation::Stat,
            b"access" | b"faccessat" | b"eaccess" | b"euidaccess" => Operation::Access,
            b"opendir" | b"fdopendir" => Operation::OpenDirectory,
            b"readdir" | b"readdir_r" => Operation::ReadDirectory,
            b"closedir" => Operation::CloseDirectory,
            b"mkdir" | b"mkdirat" => Operation::MakeDirectory,
            b"rmdir" => Operation::RemoveDirectory,
            b"rename" | b"renameat" | b"renameat2" => Operation::Rename,
            b"link" | b"linkat" | b"symlink" | b"symlinkat" => Operation::Link,
            b"readlink" | b"readlinkat" => Operation::ReadLink,
            b"chmod" | b"fchmod" | b"fchmodat" | b"chown" | b"lchown" | b"fchown" | b"fchownat"
            | b"utime" | b"utimes" | b"futimes" | b"utimensat" | b"futimens" => Operation::SetAttributes,
            _ => Operation::Other,
        };
        NamedCall { name, operation }
    }

    /// Whether it is one of a C stream.
    pub fn is_of_stream(&self) -> bool {
        matches!(self.name, b"fopen" | b"freopen" | b"fclose" | b"fread" | b"fwrite" | b"fseek" | b"fseeko")
    }

    pub fn has_offset(&self) -> bool {
        matches!(self.name, b"pread" | b"pwrite" | b"preadv" | b"pwritev" | b"preadv2" | b"pwritev2")
    }
}

/// The flags of an open by Linux's numbers, or else of a stream by its mode.
pub fn open_flags(flags: Option<i128>, mode: &[u8]) -> OpenFlags {
    let (appends, creates, truncates) = match flags {
        Some(flags) if (0..1 << 31).contains(&flags) => {
            (flags & APPEND != 0, flags & CREATE != 0, flags & TRUNCATE != 0)
        }
        _ => match mode.first() {
            Some(b'a') => (true, true, false),
            Some(b'w') => (false, true, true),
            _ => (false, false, false),
        },
    };
    OpenFlags(u8::from(appends) | u8::from(creates) << 1 | u8::from(truncates) << 2)
}
