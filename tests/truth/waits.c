/* Programs whose time is known by construction: WAITS KIND SECONDS [FILE] */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static double seconds;
static struct timespec began;

static double left(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return seconds - (now.tv_sec - began.tv_sec) - (now.tv_nsec - began.tv_nsec) / 1e9;
}

static void nap(double s)
{
    struct timespec time = {(time_t)s, (long)((s - (time_t)s) * 1e9)};
    nanosleep(&time, NULL);
}

static void handled(int number)
{
    (void)number;
}

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *holder(void *unused)
{
    while (left() > 0) {
        pthread_mutex_lock(&lock);
        nap(0.005);
        pthread_mutex_unlock(&lock);
        nap(0.001);
    }
    return unused;
}

static int listening(struct sockaddr_in *address)
{
    int server = socket(AF_INET, SOCK_STREAM, 0);
    socklen_t length = sizeof *address;
    address->sin_family = AF_INET;
    address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    bind(server, (struct sockaddr *)address, length);
    listen(server, 1);
    getsockname(server, (struct sockaddr *)address, &length);
    return server;
}

int main(int count, char **words)
{
    char *kind = words[1], *buffer = malloc(1 << 16), byte;
    struct stat found;
    seconds = atof(words[2]);
    clock_gettime(CLOCK_MONOTONIC, &began);
    if (!strcmp(kind, "sleep"))
        nap(seconds);
    else if (!strcmp(kind, "pause")) {
        struct itimerval timer = {.it_value = {(time_t)seconds, (long)((seconds - (time_t)seconds) * 1e6)}};
        signal(SIGALRM, handled);
        setitimer(ITIMER_REAL, &timer, NULL);
        pause();
    } else if (!strcmp(kind, "polling"))
        while (left() > 0) {
            stat("/none/such", &found);
            nap(0.02);
        }
    else if (!strcmp(kind, "locks")) {
        pthread_t threads[4];
        for (int i = 0; i < 4; i++)
            pthread_create(&threads[i], NULL, holder, NULL);
        for (int i = 0; i < 4; i++)
            pthread_join(threads[i], NULL);
    } else if (!strcmp(kind, "spinning"))
        while (left() > 0)
            for (volatile int i = 0; i < 1000000; i++)
                ;
    else if (!strcmp(kind, "recv") || !strcmp(kind, "accept")) {
        struct sockaddr_in address = {0};
        int server = listening(&address), is_recv = !strcmp(kind, "recv");
        if (fork() == 0) {
            int client = socket(AF_INET, SOCK_STREAM, 0);
            if (!is_recv)
                nap(seconds);
            connect(client, (struct sockaddr *)&address, sizeof address);
            if (is_recv)
                nap(seconds);
            send(client, "x", 1, 0);
            exit(0);
        }
        int peer = accept(server, NULL, NULL);
        recv(peer, &byte, 1, 0);
        wait(NULL);
    } else if (!strcmp(kind, "zero")) {
        int file = open("/dev/zero", O_RDONLY);
        while (left() > 0)
            read(file, buffer, 1 << 16);
    } else if (!strcmp(kind, "file")) {
        int file = open(words[3], O_RDONLY);
        posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
        while (left() > 0)
            if (read(file, buffer, 1 << 16) <= 0) {
                lseek(file, 0, SEEK_SET);
                posix_fadvise(file, 0, 0, POSIX_FADV_DONTNEED);
            }
    }
    return count == 0;
}
