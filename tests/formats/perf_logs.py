"""Small logs of perf trace and perf script, as perf 6.1 prints them, of ftrace and opensnoop; all made up."""

TRACE = b"""\
         ? (         ): cat/1234  ... [continued]: execve())                                           = 0
     0.000 ( 0.005 ms): cat/1234 openat(dfd: CWD, filename: "/etc/passwd", flags: RDONLY|CLOEXEC)      = 3
     0.022 ( 0.004 ms): cat/1234 newfstatat(dfd: 3</etc/passwd>, filename: "", statbuf: 0x7ffd2b, flag: 4096) = 0
     0.030 ( 0.004 ms): cat/1234 read(fd: 3</etc/passwd>, buf: 0x7ffd2bc73cc0, count: 4096)            = 1000
     0.040 ( 0.004 ms): cat/1234 pread64(fd: 3</etc/passwd>, buf: 0x7ffd2bc73cc0, count: 100)          = 100
     0.048 (         ): a b/9 clock_nanosleep(rqtp: 0x7ffc, rmtp: 0x7ff)                               ...
     0.050 ( 0.004 ms): cat/1234 lseek(fd: 3</etc/passwd>, offset: 10, whence: SET)                    = 10
     0.060 ( 0.004 ms): cat/1234 mmap(len: 4096, prot: READ|EXEC, flags: PRIVATE, fd: 3)               = 0x7f0000
     0.070 ( 0.004 ms): cat/1234 access(filename: "/a, "b" \\", mode: R)   = -1 ENOENT (No such file or directory)
     0.080 ( 0.004 ms): cat/1234 close(fd: 3</etc/passwd>)                                             = 0
     0.048 (1000.1 ms): a b/9  ... [continued]: clock_nanosleep())                                     = 0
     0.090 (         ): cat/1234 rt_sigreturn()                                                        ...
     0.095 ( 0.001 ms): cat/1234 statfs(pathname: 0x329948a3, buf: 0x7ffdeb745c10)                     = 0
     1.080 (         ): cat/1234 exit_group()                                                          = ?
"""

SCRIPT = b"""\
# a comment

             cat 1234 [001]    52.902700:  raw_syscalls:sys_exit: NR 59 = 0
             cat 1234 [001]    52.902721: raw_syscalls:sys_enter: NR 257 (ffffff9c, 7fc1dbae321c, 80000, 0, 0, 0)
             cat 1234 [001]    52.902728:  raw_syscalls:sys_exit: NR 257 = 3
             cat 1234 [001]    52.902730: raw_syscalls:sys_enter: NR 0 (3, 7fc1dbae321c, 1000, 0, 0, 0)
             a b    9 [000]    52.902731: raw_syscalls:sys_enter: NR 35 (7ffc, 0, 0, 0, 0, 0)
             cat 1234 [001]    52.902735:  raw_syscalls:sys_exit: NR 0 = 1000
             a b    9 [000]    53.902731:  raw_syscalls:sys_exit: NR 35 = 0
cat 1234 [001] 53.902740: syscalls:sys_enter_openat: dfd: 0xffffff9c, filename: 0x7fc1 "/etc/a, b", flags: 0x00080000
             cat 1234 [001]    53.902742: syscalls:sys_exit_openat: 0x4
   cat 1234 [001]    53.902743: syscalls:sys_enter_write: fd: 0x00000004, buf: 0x7fc1dbae321c, count: 0x00000010
             cat 1234 [001]    53.902749: syscalls:sys_exit_write: 0xfffffffffffffff7
"""

FTRACE = b"""\
# tracer: nop
             cat-1234    [001] .....    52.902721: sys_enter: NR 257 (ffffff9c, 7fc1dbae321c, 80000, 0, 0, 0)
             cat-1234    [001] .....    52.902728: sys_exit: NR 257 = 3
CPU:1 [LOST 5 EVENTS]
             a b-9       [000] d..1.    52.902729: block_rq_issue: 8,0 R 4096 () 1000 + 8 [a b]
             cat-1234    [001] .....    52.902730: sys_read(fd: 3, buf: 0x7fc1, count: 0x1000)
             cat-1234    [001] .....    52.902735: sys_read -> 0x3e8
             cat-1234    [001] .....    52.902740: sys_openat(dfd: ffffff9c, filename: 7fc1 "/etc/a, b", flags: 0)
             cat-1234    [001] .....    52.902742: sys_openat -> 0xfffffffffffffffe
"""

OPENSNOOP = b"""\
Attaching 6 probes...
TIME(s)       UID   PID    COMM               FD ERR FLAGS    PATH
0.000102000   1000  1234   a 5 0 /b            3   0 02000000 /etc/a b
0.000202000   1000  1234567 cat               -1   2 00000000 none
Possibly lost 3 samples
0.000302000   1000  1234   cat                 4   0 00001101 \xff/x
"""
