#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/types.h>
static int broken(int fd, off_t at, size_t *count) {
    const char *name = getenv("BROKEN_FILE"), *limit = getenv("BROKEN_AFTER");
    char link[64], path[4096]; ssize_t length; off_t last;
    if (!name || !limit) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    length = readlink(link, path, sizeof path - 1);
    if (length < 0) return 0;
    path[length] = 0;
    if (strcmp(path, name)) return 0;
    last = atoll(limit);
    if (at >= last) { errno = EIO; return 1; }
    if (at + (off_t)*count > last) *count = last - at;
    return 0;
}
ssize_t read(int fd, void *to, size_t count) {
    static ssize_t (*next)(int, void *, size_t);
    if (!next) next = dlsym(RTLD_NEXT, "read");
    return broken(fd, lseek(fd, 0, SEEK_CUR), &count) ? -1 : next(fd, to, count);
}
ssize_t pread64(int fd, void *to, size_t count, off64_t at) {
    static ssize_t (*next)(int, void *, size_t, off64_t);
    if (!next) next = dlsym(RTLD_NEXT, "pread64");
    return broken(fd, at, &count) ? -1 : next(fd, to, count, at);
}
ssize_t pread(int fd, void *to, size_t count, off_t at) { return pread64(fd, to, count, at); }
