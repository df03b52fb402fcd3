//! The numbers of open's flags, lseek's origins and errors in ULTRIX 4.2 and 4.3BSD.

/// Bits of open's flags other than the access mode.
const OPEN_BITS: [(i64, &str); 6] = [
    (0x4, "O_NDELAY"),
    (0x8, "O_APPEND"),
    (0x40, "O_ASYNC"),
    (0x200, "O_CREAT"),
    (0x400, "O_TRUNC"),
    (0x800, "O_EXCL"),
];

/// Open's flags by name; None if the number has unknown bits.
pub fn open_flags(number: i64) -> Option<String> {
    let mut names = vec![*["O_RDONLY", "O_WRONLY", "O_RDWR"].get(usize::try_from(number & 3).ok()?)?];
    let mut rest = number & !3;
    for (bit, name) in OPEN_BITS {
        if rest & bit != 0 {
            names.push(name);
            rest &= !bit;
        }
    }
    (rest == 0).then(|| names.join("|"))
}

/// lseek's origin by name.
pub fn origin(number: i64) -> Option<&'static str> {
    ["SEEK_SET", "SEEK_CUR", "SEEK_END"].get(usize::try_from(number).ok()?).copied()
}

/// The first errors in the order of their numbers, from 1.
const ERRORS: [&str; 35] = [
    "EPERM",
    "ENOENT",
    "ESRCH",
    "EINTR",
    "EIO",
    "ENXIO",
    "E2BIG",
    "ENOEXEC",
    "EBADF",
    "ECHILD",
    "EAGAIN",
    "ENOMEM",
    "EACCES",
    "EFAULT",
    "ENOTBLK",
    "EBUSY",
    "EEXIST",
    "EXDEV",
    "ENODEV",
    "ENOTDIR",
    "EISDIR",
    "EINVAL",
    "ENFILE",
    "EMFILE",
    "ENOTTY",
    "ETXTBSY",
    "EFBIG",
    "ENOSPC",
    "ESPIPE",
    "EROFS",
    "EMLINK",
    "EPIPE",
    "EDOM",
    "ERANGE",
    "EWOULDBLOCK",
];

/// Later errors that calls on files return.
const LATER_ERRORS: [(i64, &str); 5] =
    [(62, "ELOOP"), (63, "ENAMETOOLONG"), (66, "ENOTEMPTY"), (69, "EDQUOT"), (70, "ESTALE")];

/// An error's name; None if the number is unknown.
pub fn error(number: i64) -> Option<&'static str> {
    let first = usize::try_from(number.checked_sub(1)?).ok().and_then(|index| ERRORS.get(index)).copied();
    first.or_else(|| LATER_ERRORS.iter().find(|(of, _)| *of == number).map(|(_, name)| *name))
}
