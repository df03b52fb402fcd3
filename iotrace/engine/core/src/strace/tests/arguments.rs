//! What each argument of a call becomes.

use super::{at, call, events, text};
use crate::call::{Call, CallKind, DescriptorPath, Event, FileKind};

/// A call that a line must become, but for what every line has.
#[track_caller]
fn becomes(line: &str, expected: Call<'static>) {
    let found = call(line);
    let name = line.split('(').next().unwrap().as_bytes();
    assert_eq!(found.kind, CallKind::from_name(name), "{line}");
    assert_eq!(
        Call {
            name: b"",
            kind: CallKind::Other,
            ..found
        },
        expected,
        "{line}"
    );
}

fn none() -> Call<'static> {
    Call::default()
}

#[test]
fn opens() {
    becomes(
        r#"openat(AT_FDCWD</home>, "rel/x", O_RDONLY|O_CLOEXEC) = 3</home/rel/x>"#,
        Call {
            path: text("rel/x"),
            flags: text("O_RDONLY|O_CLOEXEC"),
            result: Some(3),
            fd_path: at("/home/rel/x"),
            ..none()
        },
    );
    becomes(
        r#"openat(-100, "\x2f\x65", 0x80000) = 3"#,
        Call {
            path: text("/e"),
            flags: text("O_RDONLY|O_CLOEXEC"),
            result: Some(3),
            ..none()
        },
    );
    becomes(
        r#"openat(5</d>, "x", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 6</d/x>"#,
        Call {
            dirfd: Some(5),
            dirfd_path: at("/d"),
            path: text("x"),
            flags: text("O_WRONLY|O_CREAT|O_TRUNC"),
            result: Some(6),
            fd_path: at("/d/x"),
            ..none()
        },
    );
    becomes(
        r#"open("/nonexistent", O_RDONLY) = -1 ENOENT (No such file or directory)"#,
        Call {
            path: text("/nonexistent"),
            flags: text("O_RDONLY"),
            result: Some(-1),
            error: text("ENOENT"),
            ..none()
        },
    );
    becomes(
        r#"openat2(AT_FDCWD, "x", {flags=O_RDWR|O_CREAT, mode=0644, resolve=RESOLVE_BENEATH}, 24) = 4"#,
        Call {
            path: text("x"),
            flags: text("O_RDWR|O_CREAT"),
            result: Some(4),
            ..none()
        },
    );
    becomes(
        r#"creat("x", 0644) = 3"#,
        Call {
            path: text("x"),
            result: Some(3),
            ..none()
        },
    );
    becomes(
        r#"openat(AT_FDCWD, 0x7ffd0000, O_RDONLY) = -1 EFAULT (Bad address)"#,
        Call {
            flags: text("O_RDONLY"),
            result: Some(-1),
            error: text("EFAULT"),
            ..none()
        },
    );
    becomes(
        r#"openat(AT_FDCWD, "", O_RDONLY) = -1 ENOENT (No)"#,
        Call {
            path: text(""),
            flags: text("O_RDONLY"),
            result: Some(-1),
            error: text("ENOENT"),
            ..none()
        },
    );
}

#[test]
fn names_are_decoded() {
    let line = r#"openat(AT_FDCWD, "/tmp/iotrace demo,0/we\"ird\n<name>\303\251.bin", O_RDWR) = 3</tmp/iotrace demo,0/we\"ird\n\74name\76\303\251.bin>"#;
    let name = "/tmp/iotrace demo,0/we\"ird\n<name>é.bin";
    becomes(
        line,
        Call {
            path: text(name),
            flags: text("O_RDWR"),
            result: Some(3),
            fd_path: at(name),
            ..none()
        },
    );
    assert_eq!(call(r#"chdir("a\377b") = 0"#).path, text(r"a\xffb"));
    assert_eq!(call(r#"chdir("a\\xffb") = 0"#).path, text(r"a\\xffb"));
}

#[test]
fn descriptor_paths() {
    let path = |annotation: &str| call(format!("close(3{annotation}) = 0")).fd_path;
    let gone = |path: &'static str| {
        Some(DescriptorPath {
            path: path.as_bytes(),
            deleted: true,
        })
    };
    assert_eq!(path(""), None);
    assert_eq!(path("</etc/passwd>"), at("/etc/passwd"));
    assert_eq!(path("</tmp/x>(deleted)"), gone("/tmp/x"));
    assert_eq!(path("</tmp/x (deleted)>"), gone("/tmp/x"));
    assert_eq!(
        path("</tmp/x (deleted)>(deleted)"),
        gone("/tmp/x (deleted)")
    );
    assert_eq!(path("</dev/null<char 1:3>>"), at("/dev/null"));
    assert_eq!(path("</dev/sda1<block 8:1>>"), at("/dev/sda1"));
    assert_eq!(path("<pipe:[149477]>"), at("pipe:[149477]"));
    assert_eq!(path("<socket:[153340]>"), at("socket:[153340]"));
    assert_eq!(
        path("<anon_inode:[eventpoll]>"),
        at("anon_inode:[eventpoll]")
    );
    assert_eq!(
        path("<UNIX-STREAM:[153262->153263]>"),
        at("UNIX-STREAM:[153262->153263]")
    );
    assert_eq!(
        path("<TCP:[1.2.3.4:5->6.7.8.9:80]>"),
        at("TCP:[1.2.3.4:5->6.7.8.9:80]")
    );
    assert_eq!(
        path("<TCPv6:[[::1]:5->[::1]:80]>"),
        at("TCPv6:[[::1]:5->[::1]:80]")
    );
    assert_eq!(
        path(r#"<UNIX-STREAM:[12,"/run/a]> b"]>"#),
        at(r#"UNIX-STREAM:[12,"/run/a]> b"]"#)
    );
    assert_eq!(path("</a, b) = 7 [x>"), at("/a, b) = 7 [x"));
}

#[test]
fn reads_and_writes() {
    let moved = |fd, count, offset, result| Call {
        fd: Some(fd),
        count: Some(count),
        offset,
        result: Some(result),
        ..none()
    };
    becomes(
        r#"read(3, "\177ELF\2\1"..., 832) = 832"#,
        moved(3, 832, None, 832),
    );
    becomes(r#"write(1, "a\\", 2) = 2"#, moved(1, 2, None, 2));
    becomes(
        r#"write(1, "a\\\"), 1) = 1", 12) = 2"#,
        moved(1, 12, None, 2),
    );
    becomes(
        r#"pread64(3, ""..., 784, 64) = 784"#,
        moved(3, 784, Some(64), 784),
    );
    becomes(
        r#"pwrite64(3, "y"..., 4096, 65536) = 4096"#,
        moved(3, 4096, Some(65536), 4096),
    );
    becomes(
        r#"writev(4, [{iov_base="ab, iov_len=7"..., iov_len=8169}, {iov_base="c", iov_len=2}], 2) = 8171"#,
        moved(4, 8171, None, 8171),
    );
    becomes(
        r#"pwritev(3, [{iov_base="a"..., iov_len=100}, {iov_base="b"..., iov_len=200}], 2, 4096) = 300"#,
        moved(3, 300, Some(4096), 300),
    );
    becomes(
        r#"preadv2(3, [{iov_base="", iov_len=10}], 1, -1, RWF_NOWAIT) = 0"#,
        Call {
            flags: text("RWF_NOWAIT"),
            ..moved(3, 10, Some(-1), 0)
        },
    );
    becomes("readv(3, [], 0) = 0", moved(3, 0, None, 0));
    becomes(
        "readv(3, 0x7ffd12, 3) = -1 EFAULT (Bad address)",
        Call {
            fd: Some(3),
            result: Some(-1),
            error: text("EFAULT"),
            ..none()
        },
    );
    becomes(
        r#"writev(3, [{iov_base="a", iov_len=1}, ...], 40) = 40"#,
        Call {
            fd: Some(3),
            result: Some(40),
            ..none()
        },
    );
    becomes(
        "read(3, 0x1, 18446744073709551615) = -1 EFAULT (Bad address)",
        Call {
            fd: Some(3),
            result: Some(-1),
            error: text("EFAULT"),
            ..none()
        },
    );
}

#[test]
fn copies_go_from_fd2_to_fd() {
    let copied = |fd, fd2, offset, count, result| Call {
        fd: Some(fd),
        fd2: Some(fd2),
        offset,
        count: Some(count),
        result: Some(result),
        ..none()
    };
    becomes(
        "sendfile(12, 9, [0] => [1000], 1000) = 1000",
        copied(12, 9, Some(0), 1000, 1000),
    );
    becomes(
        "sendfile(12, 9, NULL, 1000) = 1000",
        copied(12, 9, None, 1000, 1000),
    );
    becomes(
        "copy_file_range(3, NULL, 1, NULL, 9223372035781033984, 0) = 5",
        copied(1, 3, None, 9_223_372_035_781_033_984, 5),
    );
    becomes(
        "copy_file_range(3, [7], 1, [9], 50, 0) = 5",
        Call {
            offset2: Some(9),
            ..copied(1, 3, Some(7), 50, 5)
        },
    );
    becomes(
        "splice(3</a>, NULL, 5<pipe:[1]>, NULL, 50, SPLICE_F_MOVE) = 5",
        Call {
            flags: text("SPLICE_F_MOVE"),
            fd_path: at("pipe:[1]"),
            fd2_path: at("/a"),
            ..copied(5, 3, None, 50, 5)
        },
    );
    becomes(
        "tee(3, 5, 50, 0) = 5",
        Call {
            flags: None,
            ..copied(5, 3, None, 50, 5)
        },
    );
}

#[test]
fn seeks_and_lengths() {
    becomes(
        "lseek(3</x>, -202, SEEK_CUR) = 17",
        Call {
            fd: Some(3),
            fd_path: at("/x"),
            offset: Some(-202),
            flags: text("SEEK_CUR"),
            result: Some(17),
            ..none()
        },
    );
    becomes(
        "lseek(3, 0, 0x2) = 9",
        Call {
            fd: Some(3),
            offset: Some(0),
            flags: text("SEEK_END"),
            result: Some(9),
            ..none()
        },
    );
    becomes(
        "_llseek(3, 4096, [8192], SEEK_CUR) = 0",
        Call {
            fd: Some(3),
            offset: Some(4096),
            flags: text("SEEK_CUR"),
            result: Some(8192),
            ..none()
        },
    );
    becomes(
        "ftruncate(3, 1048576) = 0",
        Call {
            fd: Some(3),
            offset: Some(1_048_576),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"truncate("x", 5) = 0"#,
        Call {
            path: text("x"),
            offset: Some(5),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "fallocate(3, FALLOC_FL_KEEP_SIZE, 10, 20) = 0",
        Call {
            fd: Some(3),
            flags: text("FALLOC_FL_KEEP_SIZE"),
            offset: Some(10),
            count: Some(20),
            result: Some(0),
            ..none()
        },
    );
}

#[test]
fn mappings() {
    becomes(
        "mmap(NULL, 50739, PROT_READ, MAP_PRIVATE, 3</etc/ld.so.cache>, 0x1000) = 0x7f105b000",
        Call {
            count: Some(50739),
            flags: text("PROT_READ|MAP_PRIVATE"),
            fd: Some(3),
            fd_path: at("/etc/ld.so.cache"),
            offset: Some(0x1000),
            result: Some(0x7_f105_b000),
            ..none()
        },
    );
    let anonymous = Call {
        count: Some(8192),
        flags: text("PROT_READ|PROT_WRITE|MAP_PRIVATE|MAP_ANONYMOUS"),
        offset: Some(0),
        result: Some(0x7000),
        ..none()
    };
    becomes(
        "mmap(NULL, 8192, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7000",
        anonymous.clone(),
    );
    becomes("mmap(NULL, 8192, 0x3, 0x22, -1, 0) = 0x7000", anonymous);
    becomes(
        "munmap(0x7000, 8192) = 0",
        Call {
            offset: Some(0x7000),
            count: Some(8192),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "msync(0x7000, 8192, MS_SYNC) = 0",
        Call {
            offset: Some(0x7000),
            count: Some(8192),
            flags: text("MS_SYNC"),
            result: Some(0),
            ..none()
        },
    );
}

#[test]
fn stats() {
    let seen = |size, kind| Call {
        size,
        file_kind: Some(kind),
        result: Some(0),
        ..none()
    };
    becomes(
        r#"stat("/x", {st_mode=S_IFREG|0644, st_size=2996, ...}) = 0"#,
        Call {
            path: text("/x"),
            ..seen(Some(2996), FileKind::Regular)
        },
    );
    becomes(
        r#"newfstatat(3</x>, "", {st_mode=S_IFDIR|S_ISVTX|0755, st_size=4096, ...}, AT_EMPTY_PATH) = 0"#,
        Call {
            dirfd: Some(3),
            dirfd_path: at("/x"),
            path: text(""),
            flags: text("AT_EMPTY_PATH"),
            ..seen(Some(4096), FileKind::Directory)
        },
    );
    becomes(
        r#"newfstatat(3, "", {st_mode=0100644, st_size=5, ...}, 0x1000) = 0"#,
        Call {
            dirfd: Some(3),
            path: text(""),
            flags: text("AT_EMPTY_PATH"),
            ..seen(Some(5), FileKind::Regular)
        },
    );
    becomes(
        r#"newfstatat(AT_FDCWD, "x", 0x7ffcabdffad0, 0) = -1 ENOENT (No such file or directory)"#,
        Call {
            path: text("x"),
            result: Some(-1),
            error: text("ENOENT"),
            ..none()
        },
    );
    becomes(
        "fstat(1, {st_mode=S_IFCHR|0620, st_rdev=makedev(0x88, 0x1), ...}) = 0",
        Call {
            fd: Some(1),
            ..seen(None, FileKind::CharacterDevice)
        },
    );
    becomes(
        "fstat(4, {st_mode=0600, st_size=0, ...}) = 0",
        Call {
            fd: Some(4),
            ..seen(Some(0), FileKind::Anonymous)
        },
    );
    becomes(
        r#"lstat("/x", {st_dev=makedev(0xfe, 0), st_ino=5, st_mode=S_IFLNK|0777, st_nlink=1, st_size=7, st_atime=1 /* 2026-11-21T02:05:41+0000 */}) = 0"#,
        Call {
            path: text("/x"),
            ..seen(Some(7), FileKind::Symlink)
        },
    );
    becomes(
        r#"statx(AT_FDCWD, "rom.v", AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW, STATX_SIZE, {stx_mask=STATX_BASIC_STATS, stx_attributes=0, stx_mode=S_IFREG|0644, stx_size=163, ...}) = 0"#,
        Call {
            path: text("rom.v"),
            flags: text("AT_STATX_SYNC_AS_STAT|AT_SYMLINK_NOFOLLOW"),
            ..seen(Some(163), FileKind::Regular)
        },
    );
}

#[test]
fn two_paths() {
    let both = |path, path2| Call {
        path: text(path),
        path2: text(path2),
        result: Some(0),
        ..none()
    };
    becomes(r#"rename("a", "b") = 0"#, both("a", "b"));
    becomes(r#"symlink("target", "link") = 0"#, both("link", "target"));
    becomes(
        r#"symlinkat("target", 4, "link") = 0"#,
        Call {
            dirfd: Some(4),
            ..both("link", "target")
        },
    );
    becomes(
        r#"renameat(3</d>, "a", AT_FDCWD, "b") = 0"#,
        Call {
            dirfd: Some(3),
            dirfd_path: at("/d"),
            ..both("a", "b")
        },
    );
    becomes(
        r#"renameat2(AT_FDCWD, "a", 4, "b", RENAME_EXCHANGE) = 0"#,
        Call {
            dirfd2: Some(4),
            flags: text("RENAME_EXCHANGE"),
            ..both("a", "b")
        },
    );
    becomes(
        r#"linkat(5</o>, "aio.c", 4</n>, "aio.c", 0) = 0"#,
        Call {
            dirfd: Some(5),
            dirfd2: Some(4),
            dirfd_path: at("/o"),
            dirfd2_path: at("/n"),
            ..both("aio.c", "aio.c")
        },
    );
}

#[test]
fn answers() {
    becomes(
        r#"readlink("/proc/self/exe", "/usr/bin/yosys", 4096) = 14"#,
        Call {
            path: text("/proc/self/exe"),
            path2: text("/usr/bin/yosys"),
            count: Some(4096),
            result: Some(14),
            ..none()
        },
    );
    let answer = |line: &str| call(line).path2;
    assert_eq!(answer(r#"readlinkat(3, "x", "y", 10) = 1"#), text("y"));
    assert_eq!(
        answer(r#"readlink("x", "abc"..., 4096) = 14"#),
        None,
        "cut short by -s"
    );
    assert_eq!(
        answer(r#"readlink("x", "abc", 3) = 3"#),
        None,
        "cut short by the caller"
    );
    assert_eq!(
        answer(r#"readlink("/usr", 0x7ffe428950a0, 1023) = -1 EINVAL (Invalid argument)"#),
        None
    );
    assert_eq!(
        answer(r#"getcwd("/home/trace", 4096) = 12"#),
        text("/home/trace")
    );
}

#[test]
fn programs() {
    becomes(
        r#"execve("/usr/bin/sh", ["sh", "-c", "cat *; true"], 0x7ffd85e47970 /* 35 vars */) = 0"#,
        Call {
            path: text("/usr/bin/sh"),
            arguments: text(r#"["sh", "-c", "cat *; true"]"#),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"execveat(3, "", ["a"], NULL, AT_EMPTY_PATH) = 0"#,
        Call {
            dirfd: Some(3),
            path: text(""),
            arguments: text(r#"["a"]"#),
            flags: text("AT_EMPTY_PATH"),
            result: Some(0),
            ..none()
        },
    );
    let long = format!(
        r#"execve("/bin/echo", ["{}"], 0x7ffd /* 1 var */) = 0"#,
        "x".repeat(10_000)
    );
    assert_eq!(call(long).arguments.map(<[u8]>::len), Some(4096));
}

#[test]
fn children() {
    let flags = |line: &str| (call(line).flags, call(line).result);
    assert_eq!(
        flags("clone(child_stack=NULL, flags=CLONE_CHILD_CLEARTID|SIGCHLD, child_tidptr=0x7f5c71d52a10) = 19817"),
        (text("CLONE_CHILD_CLEARTID|SIGCHLD"), Some(19817))
    );
    assert_eq!(
        flags("clone(child_stack=NULL, flags=0x1200011, child_tidptr=0x7f5c) = 9"),
        (
            text("CLONE_CHILD_CLEARTID|CLONE_CHILD_SETTID|SIGCHLD"),
            Some(9)
        )
    );
    assert_eq!(
        flags("clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7fb1} => {parent_tid=[7]}, 88) = 7"),
        (text("CLONE_VM|CLONE_VFORK"), Some(7))
    );
    assert_eq!(flags("vfork() = 12715<cat>"), (None, Some(12715)));
    assert_eq!(call("vfork() = 12715<cat>").fd_path, None);
    assert_eq!(call("exit_group(3) = ?").result, None);
}

#[test]
fn descriptors() {
    becomes(
        "dup(3</x>) = 4</x>",
        Call {
            fd: Some(3),
            fd_path: at("/x"),
            result: Some(4),
            ..none()
        },
    );
    becomes(
        "dup2(3, 1) = 1",
        Call {
            fd: Some(3),
            fd2: Some(1),
            result: Some(1),
            ..none()
        },
    );
    becomes(
        "dup3(4</l>, 1</o>, O_CLOEXEC) = 1</l>",
        Call {
            fd: Some(4),
            fd2: Some(1),
            fd_path: at("/l"),
            fd2_path: at("/o"),
            flags: text("O_CLOEXEC"),
            result: Some(1),
            ..none()
        },
    );
    let command = |line: &str| (call(line).flags, call(line).result);
    assert_eq!(
        command("fcntl(3, F_DUPFD_CLOEXEC, 10) = 10</x>"),
        (text("F_DUPFD_CLOEXEC"), Some(10))
    );
    assert_eq!(
        command("fcntl(1, F_SETFL, O_WRONLY|O_APPEND) = 0"),
        (text("F_SETFL|O_WRONLY|O_APPEND"), Some(0))
    );
    assert_eq!(
        command("fcntl(1, F_SETFD, FD_CLOEXEC) = 0"),
        (text("F_SETFD|FD_CLOEXEC"), Some(0))
    );
    assert_eq!(
        command("fcntl(1, 0x2, 0x1) = 0"),
        (text("F_SETFD|FD_CLOEXEC"), Some(0))
    );
    assert_eq!(
        command("fcntl(11, 0x2 /* F_SETFD */, 0x1 /* FD_CLOEXEC */) = 0"),
        (text("F_SETFD|FD_CLOEXEC"), Some(0))
    );
    assert_eq!(
        command("fcntl(1, F_SETFD, 0) = 0"),
        (text("F_SETFD"), Some(0))
    );
    assert_eq!(
        command("fcntl(1, F_GETFL) = 0x8001 (flags O_WRONLY|O_LARGEFILE)"),
        (text("F_GETFL"), Some(0x8001))
    );
    assert_eq!(
        command("fcntl(3, F_SETLK, {l_type=F_RDLCK, l_whence=SEEK_SET}) = 0"),
        (text("F_SETLK"), Some(0))
    );
    becomes(
        "close_range(3, 4294967295, CLOSE_RANGE_CLOEXEC) = 0",
        Call {
            fd: Some(3),
            fd2: Some(i32::MAX),
            flags: text("CLOSE_RANGE_CLOEXEC"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "pipe2([5<pipe:[7]>, 6<pipe:[7]>], O_CLOEXEC) = 0",
        Call {
            fd: Some(5),
            fd2: Some(6),
            fd_path: at("pipe:[7]"),
            fd2_path: at("pipe:[7]"),
            flags: text("O_CLOEXEC"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "socketpair(AF_UNIX, SOCK_STREAM|SOCK_CLOEXEC, 0, [5, 6]) = 0",
        Call {
            fd: Some(5),
            fd2: Some(6),
            flags: text("SOCK_STREAM|SOCK_CLOEXEC"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "socket(AF_UNIX, SOCK_STREAM, 0) = 3<UNIX-STREAM:[7]>",
        Call {
            flags: text("SOCK_STREAM"),
            fd_path: at("UNIX-STREAM:[7]"),
            result: Some(3),
            ..none()
        },
    );
    becomes(
        "close(-1) = -1 EBADF (Bad file descriptor)",
        Call {
            fd: Some(-1),
            result: Some(-1),
            error: text("EBADF"),
            ..none()
        },
    );
}

#[test]
fn directories() {
    becomes(
        r#"mkdirat(0, "drivers", 0700) = 0"#,
        Call {
            dirfd: Some(0),
            path: text("drivers"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"unlinkat(3, "x", AT_REMOVEDIR) = 0"#,
        Call {
            dirfd: Some(3),
            path: text("x"),
            flags: text("AT_REMOVEDIR"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        "getdents64(3, 0x55bca35be900 /* 40 entries */, 32768) = 1232",
        Call {
            fd: Some(3),
            count: Some(32768),
            result: Some(1232),
            ..none()
        },
    );
    becomes(
        r#"mknod("f", S_IFIFO|0644) = 0"#,
        Call {
            path: text("f"),
            flags: text("S_IFIFO"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"mknodat(AT_FDCWD, "f", 0100644, 0) = 0"#,
        Call {
            path: text("f"),
            flags: text("S_IFREG"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"utimensat(4</x>, NULL, [{tv_sec=1, tv_nsec=2} /* 2026-11-21T02:05:41+0000 */, UTIME_OMIT], 0) = 0"#,
        Call {
            dirfd: Some(4),
            dirfd_path: at("/x"),
            result: Some(0),
            ..none()
        },
    );
    becomes(
        r#"faccessat2(AT_FDCWD, "x", R_OK, AT_EACCESS) = 0"#,
        Call {
            path: text("x"),
            flags: text("AT_EACCESS"),
            result: Some(0),
            ..none()
        },
    );
}

#[test]
fn an_issued_call_shows_what_its_entry_shows() {
    let log = "7 newfstatat(AT_FDCWD</d>, \"x\",  <unfinished ...>\n7 <... newfstatat resumed>{st_mode=S_IFREG|0644, st_size=9, ...}, AT_SYMLINK_NOFOLLOW) = 0\n";
    let events = events(log);
    let [Event::Issued(issued), Event::Returned(returned)] = events.as_slice() else {
        panic!("{events:?}")
    };
    assert_eq!(
        (issued.path, issued.size, issued.flags),
        (text("x"), None, None)
    );
    assert_eq!(
        (returned.path, returned.size, returned.flags),
        (text("x"), Some(9), text("AT_SYMLINK_NOFOLLOW"))
    );
}
