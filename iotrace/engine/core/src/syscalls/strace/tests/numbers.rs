//! Numbers and the names of flags.

use crate::syscalls::strace::number::{self, Number};
use crate::syscalls::strace::symbols::{self, Family};

#[test]
fn numbers_are_read_in_their_base() {
    let value = |text: &str| (number::parse(text.as_bytes()).0.signed(), number::parse(text.as_bytes()).1);
    assert_eq!(value("0"), (Some(0), 1));
    assert_eq!(value("-100, "), (Some(-100), 4));
    assert_eq!(value("0644)"), (Some(0o644), 4));
    assert_eq!(value("0x26000"), (Some(0x26000), 7));
    assert_eq!(value("9223372036854775807"), (Some(i64::MAX), 19));
    assert_eq!(value("-9223372036854775808"), (Some(i64::MIN), 20));
    assert_eq!(value("18446744073709551615"), (None, 20));
    assert_eq!(number::parse(b"18446744073709551616").0, Number::TooLarge);
    assert_eq!(number::parse(b"0x10000000000000000").0, Number::TooLarge);
    assert_eq!(number::parse(b"x").0, Number::Missing);
    assert_eq!(number::parse(b"-").0, Number::Missing);
}

fn named(flags: &str, family: Family) -> String {
    let mut out = Vec::new();
    symbols::append(flags.as_bytes(), family, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

#[test]
fn raw_flags_get_their_names() {
    assert_eq!(named("0", Family::Open), "O_RDONLY");
    assert_eq!(named("0x80000", Family::Open), "O_RDONLY|O_CLOEXEC");
    assert_eq!(named("0x80241", Family::Open), "O_WRONLY|O_CREAT|O_TRUNC|O_CLOEXEC");
    assert_eq!(named("0x90800", Family::Open), "O_RDONLY|O_NONBLOCK|O_CLOEXEC|O_DIRECTORY");
    assert_eq!(named("0x101002", Family::Open), "O_RDWR|O_SYNC");
    assert_eq!(named("0x410002", Family::Open), "O_RDWR|O_TMPFILE");
    assert_eq!(named("0x1200011", Family::Clone), "CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD");
    assert_eq!(named("0x4100", Family::Clone), "CLONE_VM|CLONE_VFORK");
    assert_eq!(named("0", Family::Protection), "PROT_NONE");
    assert_eq!(named("0x5", Family::Protection), "PROT_READ|PROT_EXEC");
    assert_eq!(named("0x802", Family::Map), "MAP_PRIVATE|MAP_DENYWRITE");
    assert_eq!(named("0x22", Family::Map), "MAP_PRIVATE|MAP_ANONYMOUS");
    assert_eq!(named("0", Family::Whence), "SEEK_SET");
    assert_eq!(named("0x2", Family::Whence), "SEEK_END");
    assert_eq!(named("0x406", Family::Command), "F_DUPFD_CLOEXEC");
    assert_eq!(named("0x1000", Family::At), "AT_EMPTY_PATH");
    assert_eq!(named("0", Family::At), "");
    assert_eq!(named("0x80001", Family::Socket), "SOCK_STREAM|SOCK_CLOEXEC");
    assert_eq!(named("0x8000001", Family::Rename), "RENAME_NOREPLACE|0x8000000");
    assert_eq!(
        named("0x1 /* SOCK_STREAM */|0x80800 /* SOCK_CLOEXEC|SOCK_NONBLOCK */", Family::Socket),
        "SOCK_STREAM|SOCK_CLOEXEC|SOCK_NONBLOCK"
    );
    assert_eq!(named("0x3 /* PROT_READ|PROT_WRITE */", Family::Protection), "PROT_READ|PROT_WRITE");
    assert_eq!(named("0x3001 /* ARCH_??? */", Family::Unnamed), "0x3001");
}

#[test]
fn names_stay_as_they_are() {
    assert_eq!(named("O_RDWR|O_CREAT|0x1", Family::Open), "O_RDWR|O_CREAT|0x1");
}
