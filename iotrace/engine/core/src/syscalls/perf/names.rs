//! The names of arguments in the kernel (Linux 6.1).

use crate::syscalls::call::CallKind;

/// The names of a call's arguments in the order of [`roles`](crate::syscalls::roles::roles); None if they are not known
/// here.
pub(super) fn arguments(kind: CallKind) -> Option<&'static str> {
    use CallKind as K;
    Some(match kind {
        K::Access | K::Chdir | K::Chmod | K::Chown | K::Chroot | K::Lchown => "filename",
        K::Creat | K::Mkdir | K::Rmdir | K::Statfs | K::Unlink => "filename",
        K::Clone => "clone_flags",
        K::Close | K::Fchdir | K::Fchmod | K::Fchown | K::Fdatasync | K::Fstatfs | K::Fsync | K::Syncfs => {
            "fd"
        }
        K::CloseRange => "fd max_fd flags",
        K::CopyFileRange => "fd_in off_in fd_out off_out len",
        K::Dup | K::Pipe => "fildes",
        K::Dup2 => "oldfd newfd",
        K::Dup3 => "oldfd newfd flags",
        K::Execve => "filename argv",
        K::Execveat => "fd filename argv envp flags",
        K::Faccessat | K::Fchmodat | K::Mkdirat => "dfd filename",
        K::Faccessat2 => "dfd filename mode flags",
        K::Fadvise64 => "fd offset len advice",
        K::Fallocate => "fd mode offset len",
        K::Fchownat => "dfd filename user group flags",
        K::Fcntl => "fd cmd arg",
        K::Fstat => "fd statbuf",
        K::Ftruncate => "fd length",
        K::Getcwd => "buf size",
        K::Getdents | K::Getdents64 => "fd dirent count",
        K::Link | K::Rename | K::Symlink => "oldname newname",
        K::Linkat | K::Renameat2 => "olddfd oldname newdfd newname flags",
        K::Lseek => "fd offset whence",
        K::Lstat | K::Stat => "filename statbuf",
        K::Mknod => "filename mode",
        K::Mknodat => "dfd filename mode",
        K::Mmap => "addr len prot flags fd off",
        K::Msync => "start len flags",
        K::Munmap => "addr len",
        K::Newfstatat => "dfd filename statbuf flags",
        K::Open => "filename flags",
        K::Openat => "dfd filename flags",
        K::Openat2 => "dfd filename how",
        K::Pipe2 => "fildes flags",
        K::Pread64 | K::Pwrite64 => "fd buf count pos",
        K::Preadv | K::Pwritev => "fd vec vlen pos_l",
        K::Preadv2 | K::Pwritev2 => "fd vec vlen pos_l flags",
        K::Read | K::Write => "fd buf count",
        K::Readahead => "fd offset count",
        K::Readlink => "filename buf bufsiz",
        K::Readlinkat => "dfd filename buf bufsiz",
        K::Readv | K::Writev => "fd vec",
        K::Renameat => "olddfd oldname newdfd newname",
        K::Sendfile => "out_fd in_fd offset count",
        K::Splice => "fd_in off_in fd_out off_out len flags",
        K::Statx => "dfd filename flags mask buffer",
        K::Symlinkat => "oldname newdfd newname",
        K::SyncFileRange => "fd offset nbytes flags",
        K::Tee => "fdin fdout len flags",
        K::Truncate => "filename length",
        K::Unlinkat => "dfd filename flags",
        K::Utimensat => "dfd filename utimes flags",
        K::Vmsplice => "fd iov nr_segs flags",
        _ => return None,
    })
}

/// The name used here of an argument that other versions of the kernel call otherwise.
pub(super) fn usual(name: &[u8]) -> &[u8] {
    match name {
        b"flag" => b"flags",
        b"path" | b"pathname" => b"filename",
        _ => name,
    }
}
