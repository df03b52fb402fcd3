/* Makes one kind of call in a loop, with work between, and prints the processor's time that it took, in ns a call. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static double used_ns(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return time.tv_sec * 1e9 + time.tv_nsec;
}

int main(int count, char **words) {
    if (count != 5) return 2;
    const char *kind = words[1], *path = words[2];
    long calls = atol(words[3]), work = atol(words[4]);
    static char buffer[4096];
    int file = open(path, O_RDWR);
    double began = used_ns();
    for (long i = 0; i < calls; i++) {
        long place = i % 256 * 4096;
        if (!strcmp(kind, "pread")) {
            if (pread(file, buffer, 4096, place) < 0) return 1;
        } else if (!strcmp(kind, "pwrite")) {
            if (pwrite(file, buffer, 4096, place) < 0) return 1;
        } else {
            int other = open(path, O_RDONLY);
            if (other < 0 || close(other)) return 1;
        }
        for (volatile long j = 0; j < work; j++);
    }
    fprintf(stderr, "used %.1f\n", (used_ns() - began) / calls);
    return 0;
}
