/* Makes one kind of call in a loop, with work between, and prints the processor time
   and the elapsed time that it took, in ns a call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static double now_ns(clockid_t clock) {
    struct timespec time;
    clock_gettime(clock, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int count, char **words) {
    if (count != 5) return 2;
    const char *kind = words[1], *path = words[2];
    long calls = atol(words[3]), work = atol(words[4]);
    static char buffer[1 << 17];
    int file = open(path, O_RDWR);
    struct stat status;
    if (file < 0 || fstat(file, &status)) return 1;
    long pages = status.st_size / 4096;
    double used = now_ns(CLOCK_PROCESS_CPUTIME_ID), began = now_ns(CLOCK_MONOTONIC);
    for (long i = 0; i < calls; i++) {
        long place = i % 256 * 4096;
        if (!strcmp(kind, "pread")) {
            if (pread(file, buffer, 4096, place) < 0) return 1;
        } else if (!strcmp(kind, "pwrite")) {
            if (pwrite(file, buffer, 4096, place) < 0) return 1;
        } else if (!strcmp(kind, "sequential")) {
            if (pread(file, buffer, sizeof buffer, i * (long)sizeof buffer) <= 0) return 1;
        } else if (!strcmp(kind, "random")) {
            if (pread(file, buffer, 4096, i * 104729 % pages * 4096) <= 0) return 1;
        } else {
            int other = open(path, O_RDONLY);
            if (other < 0 || close(other)) return 1;
        }
        // in registers, as the speed of memory depends on where the stack is
        for (long j = 0; j < work; j++) __asm__ volatile("" : "+r"(j));
    }
    fprintf(stderr, "used %.1f\n", (now_ns(CLOCK_PROCESS_CPUTIME_ID) - used) / calls);
    fprintf(stderr, "took %.1f\n", (now_ns(CLOCK_MONOTONIC) - began) / calls);
    return 0;
}
