/* Reads and writes of known order, in little memory of its own: access HOW FILE ROUNDS BYTES. With a fifth word, numbers of
 * the pages of a mapping are printed instead of touching them. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define PAGE 4096L
static char buffer[1 << 20];
static uint64_t state = 88172645463325252ull;

static double uniform(void) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) / 9007199254740992.0;
}

/* Pages by Zipf's law of exponent 0.9, in a shuffled order. */
static double *sums;
static int *places;

static void popular(long pages) {
    double sum = 0;
    sums = malloc(sizeof *sums * pages);
    places = malloc(sizeof *places * pages);
    for (long page = 0; page < pages; page++) {
        sums[page] = sum += pow(page + 1, -0.9);
        places[page] = page;
    }
    for (long page = pages - 1; page > 0; page--) {
        long other = uniform() * (page + 1);
        int kept = places[page];
        places[page] = places[other];
        places[other] = kept;
    }
}

static long chosen(long pages) {
    double at = uniform() * sums[pages - 1];
    long low = 0, high = pages - 1;
    while (low < high) {
        long middle = (low + high) / 2;
        if (sums[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return places[low];
}

static char *mapped;
static int prints;

static long touch(long page) {
    if (prints)
        return printf("%ld\n", page) < 0;
    return mapped[page * PAGE];
}

static void need(int is_fine, const char *what) {
    if (!is_fine) {
        perror(what);
        exit(1);
    }
}

int main(int count, char **words) {
    prints = count == 6;
    if (count != 5 && !prints)
        return 2;
    const char *how = words[1];
    long rounds = atol(words[3]), bytes = atol(words[4]);
    int writes = !strcmp(how, "append") || !strcmp(how, "zipf-write");
    int file = open(words[2], writes ? O_RDWR | O_CREAT | (how[0] == 'a' ? O_APPEND : 0) : O_RDONLY, 0644);
    need(file >= 0, words[2]);
    struct stat status;
    need(!fstat(file, &status), "fstat");
    long size = status.st_size, pages = size / PAGE, sum = 0;
    if (!strncmp(how, "zipf", 4) || !strcmp(how, "map-zipf"))
        popular(pages);
    if (!strncmp(how, "map", 3)) {
        mapped = mmap(NULL, size, PROT_READ, MAP_SHARED, file, 0);
        need(mapped != MAP_FAILED, "mmap");
    }
    for (long round = 0; round < rounds; round++) {
        if (!strcmp(how, "scan")) {
            lseek(file, 0, SEEK_SET);
            while (read(file, buffer, bytes) > 0)
                ;
        } else if (!strcmp(how, "back")) {
            for (long at = size - bytes; at >= 0; at -= bytes)
                need(pread(file, buffer, bytes, at) == bytes, "pread");
        } else if (!strcmp(how, "stride")) {
            for (long at = 0; at + bytes <= size; at += 4 * bytes)
                need(pread(file, buffer, bytes, at) == bytes, "pread");
        } else if (!strcmp(how, "zipf")) {
            need(pread(file, buffer, bytes, chosen(pages) * PAGE) > 0, "pread");
        } else if (!strcmp(how, "zipf-write")) {
            long at = chosen(pages) * PAGE;
            if (round % 5)
                need(pread(file, buffer, bytes, at) > 0, "pread");
            else
                need(pwrite(file, buffer, bytes, at) == bytes, "pwrite");
        } else if (!strcmp(how, "append")) {
            need(write(file, buffer, bytes) == bytes, "write");
            if (round % 16 == 15)
                need(!fsync(file), "fsync");
            if (round % 4096 == 4095)
                need(pread(file, buffer, sizeof buffer, 0) > 0, "pread");
        } else if (!strcmp(how, "advise")) { /* bring in the next piece, drop every fourth */
            for (long at = 0; at + bytes <= size; at += bytes) {
                posix_fadvise(file, at + bytes, bytes, POSIX_FADV_WILLNEED);
                for (long part = 0; part < bytes; part += sizeof buffer / 16)
                    need(pread(file, buffer, sizeof buffer / 16, at + part) > 0, "pread");
                if (at / bytes % 4 == 0)
                    posix_fadvise(file, at, bytes, POSIX_FADV_DONTNEED);
            }
        } else if (!strcmp(how, "skip")) { /* two pages of five, others in each round */
            for (long at = round % 5 * PAGE; at + bytes <= size; at += 5 * PAGE)
                need(pread(file, buffer, bytes, at) == bytes, "pread");
        } else if (!strcmp(how, "map-scan")) {
            for (long at = 0; at < size; at += PAGE)
                sum += touch(at / PAGE);
        } else if (!strcmp(how, "map-zipf")) {
            sum += touch(chosen(pages));
        } else if (!strcmp(how, "map-hot")) { /* a scan, and between its pages some of the first sixteenth */
            for (long at = 0; at < pages; at++) {
                sum += touch(at);
                for (int more = 0; more < 4; more++)
                    sum += touch(uniform() * (pages / 16));
            }
        } else if (!strcmp(how, "map-search")) { /* a binary search for a random place */
            long wanted = uniform() * pages, low = 0, high = pages - 1;
            while (low < high) {
                long middle = (low + high) / 2;
                sum += touch(middle);
                if (middle < wanted)
                    low = middle + 1;
                else
                    high = middle;
            }
        } else {
            return 2;
        }
    }
    return sum == -1;
}
