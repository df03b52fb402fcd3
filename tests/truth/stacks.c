/* Sleeps in known functions; without a library, whose functions may have no frame. */
#include <time.h>

#define APART __attribute__((noinline, noclone))

APART static long inner(long ms) {
    struct timespec time = {0, ms * 1000000};
    long result;
    __asm__ volatile("syscall" : "=a"(result) : "a"(35), "D"(&time), "S"(0) : "rcx", "r11", "memory");
    return result;
}

APART static long middle(long ms) { return inner(ms) + 1; }
APART static long outer(long ms) { return middle(ms) + 1; }
APART static long other(long ms) { return inner(ms) + 1; }

int main(void) {
    for (int i = 0; i < 5; i++) outer(20);
    for (int i = 0; i < 3; i++) other(10);
    return 0;
}
