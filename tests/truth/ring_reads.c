/* 256 reads of 4 KB by io_uring, eight at a time; read number N is at 8192 * N. */
#include <fcntl.h>
#include <linux/io_uring.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { DEPTH = 8, READS = 256, NOT_ALLOWED = 77 };

int main(int count, char **words) {
    struct io_uring_params parameters = {0};
    int ring = syscall(SYS_io_uring_setup, DEPTH, &parameters);
    if (count != 2 || ring < 0) return NOT_ALLOWED;
    int file = open(words[1], O_RDONLY);
    size_t bytes = parameters.sq_off.array + parameters.sq_entries * sizeof(unsigned);
    size_t completions = parameters.cq_off.cqes + parameters.cq_entries * sizeof(struct io_uring_cqe);
    if (completions > bytes) bytes = completions;
    char *rings = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQ_RING);
    struct io_uring_sqe *entries = mmap(0, DEPTH * sizeof *entries, PROT_READ | PROT_WRITE, MAP_SHARED, ring, IORING_OFF_SQES);
    if (file < 0 || rings == MAP_FAILED || entries == MAP_FAILED) return 1;
    unsigned *tail = (unsigned *)(rings + parameters.sq_off.tail), *places = (unsigned *)(rings + parameters.sq_off.array);
    unsigned *head = (unsigned *)(rings + parameters.cq_off.head), *ends = (unsigned *)(rings + parameters.cq_off.tail);
    static char buffers[DEPTH][4096];
    for (int number = 0; number < READS; number += DEPTH) {
        for (int place = 0; place < DEPTH; place++) {
            memset(&entries[place], 0, sizeof *entries);
            entries[place].opcode = IORING_OP_READ;
            entries[place].fd = file;
            entries[place].addr = (unsigned long)buffers[place];
            entries[place].len = sizeof buffers[place];
            entries[place].off = 8192ull * (number + place);
            places[(*tail + place) % parameters.sq_entries] = place;
        }
        __atomic_store_n(tail, *tail + DEPTH, __ATOMIC_RELEASE);
        if (syscall(SYS_io_uring_enter, ring, DEPTH, DEPTH, IORING_ENTER_GETEVENTS, 0, 0) != DEPTH) return 1;
        __atomic_store_n(head, __atomic_load_n(ends, __ATOMIC_ACQUIRE), __ATOMIC_RELEASE);
    }
    return 0;
}
