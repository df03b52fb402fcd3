-- Classes of system calls
--
-- What a call's time counts as, by its name: storage, waiting or other whatever the call works on; unknown for calls
-- that wait for requests of files or of sockets, without showing of which (io_uring_enter); moves for calls that
-- move data, whose class follows from what they work on (see timed_call). Calls that are not here are storage
-- where they work on a file or name a path, and other elsewhere (memory, processes, signals).
--
-- Source: iotrace.
--
-- Columns:
--   call   string  [name]  The system call's name.
--   class  string  [name]  storage, waiting, unknown, other or moves.

select unnest(calls) as call, class
from (values
    ('moves', ['read', 'write', 'readv', 'writev', 'pread64', 'pwrite64', 'preadv', 'pwritev', 'preadv2', 'pwritev2',
               'sendfile', 'sendfile64', 'copy_file_range', 'splice', 'tee', 'vmsplice']),
    ('storage', ['fsync', 'fdatasync', 'sync', 'syncfs', 'sync_file_range', 'msync',
                 'io_submit', 'io_getevents', 'io_pgetevents']),
    -- for other processes, other machines, locks and the clock
    ('waiting', ['wait4', 'waitid', 'waitpid', 'vfork', 'pause', 'futex', 'futex_waitv', 'flock',
                 'nanosleep', 'clock_nanosleep', 'restart_syscall', 'poll', 'ppoll', 'select', '_newselect', 'pselect6',
                 'epoll_wait', 'epoll_pwait', 'epoll_pwait2', 'rt_sigsuspend', 'rt_sigtimedwait', 'sigsuspend',
                 'semop', 'semtimedop', 'msgrcv', 'msgsnd', 'mq_timedreceive', 'mq_timedsend',
                 'connect', 'accept', 'accept4', 'recv', 'recvfrom', 'recvmsg', 'recvmmsg',
                 'send', 'sendto', 'sendmsg', 'sendmmsg']),
    ('unknown', ['io_uring_enter']),
    -- of a file, but on a program's memory or on the descriptor alone
    ('other', ['munmap', 'mprotect', 'madvise', 'brk', 'bind', 'dup', 'dup2', 'dup3', 'ioctl', 'exit', 'exit_group'])
) as listed(class, calls)
