//! Numbers of system calls and errors of Linux on x86-64.

use std::borrow::Cow;

/// System calls from 0 on (Linux 6.6, `arch/x86/entry/syscalls/syscall_64.tbl`).
const FROM_0: &str = "
    read write open close stat fstat lstat poll lseek mmap mprotect munmap brk rt_sigaction rt_sigprocmask
    rt_sigreturn ioctl pread64 pwrite64 readv writev access pipe select sched_yield mremap msync mincore
    madvise shmget shmat shmctl dup dup2 pause nanosleep getitimer alarm setitimer getpid sendfile socket
    connect accept sendto recvfrom sendmsg recvmsg shutdown bind listen getsockname getpeername socketpair
    setsockopt getsockopt clone fork vfork execve exit wait4 kill uname semget semop semctl shmdt msgget
    msgsnd msgrcv msgctl fcntl flock fsync fdatasync truncate ftruncate getdents getcwd chdir fchdir
    rename mkdir rmdir creat link unlink symlink readlink chmod fchmod chown fchown lchown umask
    gettimeofday getrlimit getrusage sysinfo times ptrace getuid syslog getgid setuid setgid geteuid
    getegid setpgid getppid getpgrp setsid setreuid setregid getgroups setgroups setresuid getresuid
    setresgid getresgid getpgid setfsuid setfsgid getsid capget capset rt_sigpending rt_sigtimedwait
    rt_sigqueueinfo rt_sigsuspend sigaltstack utime mknod uselib personality ustat statfs fstatfs sysfs
    getpriority setpriority sched_setparam sched_getparam sched_setscheduler sched_getscheduler
    sched_get_priority_max sched_get_priority_min sched_rr_get_interval mlock munlock mlockall munlockall
    vhangup modify_ldt pivot_root _sysctl prctl arch_prctl adjtimex setrlimit chroot sync acct
    settimeofday mount umount2 swapon swapoff reboot sethostname setdomainname iopl ioperm create_module
    init_module delete_module get_kernel_syms query_module quotactl nfsservctl getpmsg putpmsg afs_syscall
    tuxcall security gettid readahead setxattr lsetxattr fsetxattr getxattr lgetxattr fgetxattr listxattr
    llistxattr flistxattr removexattr lremovexattr fremovexattr tkill time futex sched_setaffinity
    sched_getaffinity set_thread_area io_setup io_destroy io_getevents io_submit io_cancel get_thread_area
    lookup_dcookie epoll_create epoll_ctl_old epoll_wait_old remap_file_pages getdents64 set_tid_address
    restart_syscall semtimedop fadvise64 timer_create timer_settime timer_gettime timer_getoverrun
    timer_delete clock_settime clock_gettime clock_getres clock_nanosleep exit_group epoll_wait epoll_ctl
    tgkill utimes vserver mbind set_mempolicy get_mempolicy mq_open mq_unlink mq_timedsend mq_timedreceive
    mq_notify mq_getsetattr kexec_load waitid add_key request_key keyctl ioprio_set ioprio_get
    inotify_init inotify_add_watch inotify_rm_watch migrate_pages openat mkdirat mknodat fchownat
    futimesat newfstatat unlinkat renameat linkat symlinkat readlinkat fchmodat faccessat pselect6 ppoll
    unshare set_robust_list get_robust_list splice tee sync_file_range vmsplice move_pages utimensat
    epoll_pwait signalfd timerfd_create eventfd fallocate timerfd_settime timerfd_gettime accept4
    signalfd4 eventfd2 epoll_create1 dup3 pipe2 inotify_init1 preadv pwritev rt_tgsigqueueinfo
    perf_event_open recvmmsg fanotify_init fanotify_mark prlimit64 name_to_handle_at open_by_handle_at
    clock_adjtime syncfs sendmmsg setns getcpu process_vm_readv process_vm_writev kcmp finit_module
    sched_setattr sched_getattr renameat2 seccomp getrandom memfd_create kexec_file_load bpf execveat
    userfaultfd membarrier mlock2 copy_file_range preadv2 pwritev2 pkey_mprotect pkey_alloc pkey_free
    statx io_pgetevents rseq
";
/// System calls from 424 on.
const FROM_424: &str = "
    pidfd_send_signal io_uring_setup io_uring_enter io_uring_register open_tree move_mount fsopen fsconfig
    fsmount fspick pidfd_open clone3 close_range openat2 pidfd_getfd faccessat2 process_madvise
    epoll_pwait2 mount_setattr quotactl_fd landlock_create_ruleset landlock_add_rule
    landlock_restrict_self memfd_secret process_mrelease futex_waitv set_mempolicy_home_node cachestat
    fchmodat2
";
/// Errors from 1 on; `-` stands for numbers without a name.
const ERRORS: &str = "
    EPERM ENOENT ESRCH EINTR EIO ENXIO E2BIG ENOEXEC EBADF ECHILD EAGAIN ENOMEM EACCES EFAULT ENOTBLK
    EBUSY EEXIST EXDEV ENODEV ENOTDIR EISDIR EINVAL ENFILE EMFILE ENOTTY ETXTBSY EFBIG ENOSPC ESPIPE EROFS
    EMLINK EPIPE EDOM ERANGE EDEADLK ENAMETOOLONG ENOLCK ENOSYS ENOTEMPTY ELOOP - ENOMSG EIDRM ECHRNG
    EL2NSYNC EL3HLT EL3RST ELNRNG EUNATCH ENOCSI EL2HLT EBADE EBADR EXFULL ENOANO EBADRQC EBADSLT - EBFONT
    ENOSTR ENODATA ETIME ENOSR ENONET ENOPKG EREMOTE ENOLINK EADV ESRMNT ECOMM EPROTO EMULTIHOP EDOTDOT
    EBADMSG EOVERFLOW ENOTUNIQ EBADFD EREMCHG ELIBACC ELIBBAD ELIBSCN ELIBMAX ELIBEXEC EILSEQ ERESTART
    ESTRPIPE EUSERS ENOTSOCK EDESTADDRREQ EMSGSIZE EPROTOTYPE ENOPROTOOPT EPROTONOSUPPORT ESOCKTNOSUPPORT
    EOPNOTSUPP EPFNOSUPPORT EAFNOSUPPORT EADDRINUSE EADDRNOTAVAIL ENETDOWN ENETUNREACH ENETRESET
    ECONNABORTED ECONNRESET ENOBUFS EISCONN ENOTCONN ESHUTDOWN ETOOMANYREFS ETIMEDOUT ECONNREFUSED
    EHOSTDOWN EHOSTUNREACH EALREADY EINPROGRESS ESTALE EUCLEAN ENOTNAM ENAVAIL EISNAM EREMOTEIO EDQUOT
    ENOMEDIUM EMEDIUMTYPE ECANCELED ENOKEY EKEYEXPIRED EKEYREVOKED EKEYREJECTED EOWNERDEAD ENOTRECOVERABLE
    ERFKILL
";
/// Errors of the kernel itself, of calls that begin again after a signal.
const RESTARTS: [(u64, &str); 4] =
    [(512, "ERESTARTSYS"), (513, "ERESTARTNOINTR"), (514, "ERESTARTNOHAND"), (516, "ERESTART_RESTARTBLOCK")];

/// The largest number that the kernel returns for an error, negated.
const MOST_ERRORS: u64 = 4095;

/// Names by number.
pub(super) struct Numbers {
    from_0: Vec<&'static str>,
    from_424: Vec<&'static str>,
    errors: Vec<&'static str>,
}

impl Default for Numbers {
    fn default() -> Self {
        let words = |text: &'static str| text.split_ascii_whitespace().collect();
        Numbers { from_0: words(FROM_0), from_424: words(FROM_424), errors: words(ERRORS) }
    }
}

impl Numbers {
    /// The name of a system call; `syscall_N` where it has none.
    pub fn call(&self, number: i64) -> Cow<'static, [u8]> {
        let (names, first) = if number < 424 { (&self.from_0, 0) } else { (&self.from_424, 424) };
        let name = usize::try_from(number - first).ok().and_then(|place| names.get(place));
        match name {
            Some(name) => Cow::Borrowed(name.as_bytes()),
            None => Cow::Owned(format!("syscall_{number}").into_bytes()),
        }
    }

    /// A call's result, -1 for an error, and the error's name; no result where the call did not return to the program,
    /// but begins again.
    pub fn outcome(&self, register: i64) -> (Option<i64>, Option<Cow<'static, [u8]>>) {
        let error = self.error(register);
        let begins_again = RESTARTS.iter().any(|(number, _)| i128::from(*number) == -i128::from(register));
        (if begins_again { None } else { Some(if error.is_some() { -1 } else { register }) }, error)
    }

    /// The name of the error that this result is; None if the call succeeded.
    pub fn error(&self, result: i64) -> Option<Cow<'static, [u8]>> {
        let number =
            (-i128::from(result)).try_into().ok().filter(|number| (1..=MOST_ERRORS).contains(number))?;
        let restart = RESTARTS.iter().find(|(of, _)| *of == number).map(|(_, name)| *name);
        let name =
            restart.or_else(|| self.errors.get(number as usize - 1).copied().filter(|name| *name != "-"));
        Some(match name {
            Some(name) => Cow::Borrowed(name.as_bytes()),
            None => Cow::Owned(format!("ERRNO_{number}").into_bytes()),
        })
    }
}
