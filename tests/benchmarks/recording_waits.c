/* Pairs of threads or processes that make one kind of call that waits, as often as they can. */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long rounds;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static long turn;
static volatile long shared;

static void *contend(void *unused) {
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        for (int j = 0; j < 200; j++) shared++;
        pthread_mutex_unlock(&lock);
        for (volatile int j = 0; j < 200; j++);
    }
    return unused;
}

static void *alternate(void *own) {
    for (long i = 0; i < rounds; i++) {
        pthread_mutex_lock(&lock);
        while ((turn & 1) != (long)own) pthread_cond_wait(&changed, &lock);
        turn++;
        pthread_cond_signal(&changed);
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

static void threads(int count, void *(*run)(void *)) {
    pthread_t made[16];
    for (long i = 0; i < count; i++) pthread_create(&made[i], NULL, run, (void *)i);
    for (int i = 0; i < count; i++) pthread_join(made[i], NULL);
}

/* An event loop that serves one client over loopback. */
static void server(int by_messages) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    bind(listener, (struct sockaddr *)&address, length);
    listen(listener, 9);
    getsockname(listener, (struct sockaddr *)&address, &length);
    char text[512] = {0};
    struct iovec piece = {text, sizeof text};
    struct msghdr message = {.msg_iov = &piece, .msg_iovlen = 1};
    if (!fork()) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        connect(client, (struct sockaddr *)&address, length);
        for (long i = 0; i < rounds; i++) {
            send(client, text, sizeof text, 0);
            recv(client, text, sizeof text, MSG_WAITALL);
        }
        exit(0);
    }
    int served = accept(listener, NULL, NULL), events = epoll_create1(0);
    struct epoll_event wanted = {.events = EPOLLIN}, ready;
    epoll_ctl(events, EPOLL_CTL_ADD, served, &wanted);
    for (;;) {
        epoll_wait(events, &ready, 1, -1);
        long got = by_messages ? recvmsg(served, &message, 0) : recv(served, text, sizeof text, 0);
        if (got <= 0) break;
        by_messages ? sendmsg(served, &message, 0) : send(served, text, got, 0);
    }
    wait(NULL);
}

static void connections(void) {
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    bind(listener, (struct sockaddr *)&address, length);
    listen(listener, 99);
    getsockname(listener, (struct sockaddr *)&address, &length);
    for (long i = 0; i < rounds; i++) {
        int client = socket(AF_INET, SOCK_STREAM, 0);
        connect(client, (struct sockaddr *)&address, length);
        close(accept(listener, NULL, NULL));
        close(client);
    }
}

static void semaphores(void) {
    int set = semget(IPC_PRIVATE, 2, 0600);
    struct sembuf take = {0, -1, 0}, give = {1, 1, 0};
    int is_child = !fork();
    if (is_child) take.sem_num = 1, give.sem_num = 0;
    else semop(set, &give, 1);
    for (long i = 0; i < rounds; i++) semop(set, &take, 1), semop(set, &give, 1);
    if (is_child) exit(0);
    wait(NULL);
    semctl(set, 0, IPC_RMID);
}

static void messages(void) {
    int there = msgget(IPC_PRIVATE, 0600), back = msgget(IPC_PRIVATE, 0600);
    struct { long type; char text[64]; } message = {1, ""};
    if (!fork()) {
        for (long i = 0; i < rounds; i++) {
            msgrcv(there, &message, 64, 0, 0);
            msgsnd(back, &message, 64, 0);
        }
        exit(0);
    }
    for (long i = 0; i < rounds; i++) {
        msgsnd(there, &message, 64, 0);
        msgrcv(back, &message, 64, 0, 0);
    }
    wait(NULL);
    msgctl(there, IPC_RMID, NULL);
    msgctl(back, IPC_RMID, NULL);
}

static void sleeps(long ns) {
    struct timespec time = {0, ns};
    for (long i = 0; i < rounds; i++) nanosleep(&time, NULL);
}

static void signals(void) {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGUSR1);
    sigprocmask(SIG_BLOCK, &set, NULL);
    for (long i = 0; i < rounds; i++) {
        kill(getpid(), SIGUSR1);
        sigwaitinfo(&set, NULL);
    }
}

/* Two processes wait for each other's signals. */
static void handled(int number) { (void)number; }

static void suspends(void) {
    sigset_t blocked, none;
    sigemptyset(&none);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGUSR1);
    sigprocmask(SIG_BLOCK, &blocked, NULL);
    signal(SIGUSR1, handled);
    pid_t other = fork();
    for (long i = 0; i < rounds; i++) {
        if (!other) sigsuspend(&none);
        kill(other ? other : getppid(), SIGUSR1);
        if (other) sigsuspend(&none);
    }
    if (!other) exit(0);
    wait(NULL);
}

static volatile long *taken;

static void counted(int number) {
    (void)number;
    ++*taken;
}

/* A process pauses; another sends the next signal when one was taken, or was taken outside pause. */
static void pauses(void) {
    taken = mmap(NULL, sizeof *taken, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    signal(SIGUSR1, counted);
    pid_t other = fork();
    if (!other) {
        while (*taken < rounds) pause();
        exit(0);
    }
    while (*taken < rounds || !waitpid(other, NULL, WNOHANG)) {
        long before = *taken;
        kill(other, SIGUSR1);
        for (int i = 0; i < 1000000 && *taken == before; i++);
    }
}

/* As alternate, by the call that waits for one of several futexes. */
static void *alternate_by_waitv(void *own) {
    static unsigned int last;
    for (long i = 0; i < rounds; i++) {
        unsigned int seen;
        while (((seen = __atomic_load_n(&last, __ATOMIC_SEQ_CST)) & 1) != (long)own) {
            struct futex_waitv wanted = {seen, (unsigned long)&last, FUTEX_32 | FUTEX_PRIVATE_FLAG, 0};
            syscall(SYS_futex_waitv, &wanted, 1, 0, NULL, 0);
        }
        __atomic_add_fetch(&last, 1, __ATOMIC_SEQ_CST);
        syscall(SYS_futex, &last, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
    }
    return NULL;
}

static void asynchronous(void) {
    aio_context_t context = 0;
    syscall(SYS_io_setup, 1, &context);
    int file = open("/proc/self/exe", O_RDONLY);
    char text[512];
    struct iocb block = {.aio_fildes = file, .aio_lio_opcode = IOCB_CMD_PREAD,
                         .aio_buf = (unsigned long)text, .aio_nbytes = sizeof text};
    struct iocb *blocks[] = {&block};
    struct io_event event;
    for (long i = 0; i < rounds; i++) {
        syscall(SYS_io_submit, context, 1, blocks);
        syscall(SYS_io_getevents, context, 1, 1, &event, NULL);
    }
}

int main(int count, char **words) {
    const char *kind = count > 2 ? words[1] : "";
    rounds = count > 2 ? atol(words[2]) : 0;
    if (!strcmp(kind, "mutex")) threads(4, contend);
    else if (!strcmp(kind, "condition")) threads(2, alternate);
    else if (!strcmp(kind, "server")) server(0);
    else if (!strcmp(kind, "messages")) server(1);
    else if (!strcmp(kind, "connections")) connections();
    else if (!strcmp(kind, "semaphores")) semaphores();
    else if (!strcmp(kind, "queues")) messages();
    else if (!strcmp(kind, "sleeps")) sleeps(1000000);
    else if (!strcmp(kind, "signals")) signals();
    else if (!strcmp(kind, "suspends")) suspends();
    else if (!strcmp(kind, "pauses")) pauses();
    else if (!strcmp(kind, "several")) threads(2, alternate_by_waitv);
    else if (!strcmp(kind, "asynchronous")) asynchronous();
    else return 2;
    return 0;
}
