// Counts a program's allocations between its second write to standard output and its last, of all threads and of the main thread, and says
// on standard error how many there were and where the first one came from. To be preloaded.
#define _GNU_SOURCE
#include <execinfo.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void *__libc_memalign(size_t alignment, size_t size);

static _Atomic int64_t all, main_thread, writes;
static int64_t all_before, main_before, all_then, main_then;
static void *first[24];
static _Atomic int frames;

static int is_main(void) { return getpid() == gettid(); }

static void note(void) {
    all++;
    if (!is_main()) { return; }
    main_thread++;
    int none = 0;
    // backtrace may allocate: it is taken once.
    if (writes >= 2 && atomic_compare_exchange_strong(&frames, &none, -1)) { frames = backtrace(first, 24); }
}

void *malloc(size_t size) {
    note();
    return __libc_malloc(size);
}
void *calloc(size_t count, size_t size) {
    note();
    return __libc_calloc(count, size);
}
void *realloc(void *old, size_t size) {
    note();
    return __libc_realloc(old, size);
}
void *aligned_alloc(size_t alignment, size_t size) {
    note();
    return __libc_memalign(alignment, size);
}

int posix_memalign(void **out, size_t alignment, size_t size) {
    note();
    *out = __libc_memalign(alignment, size);
    return *out ? 0 : 12;
}

ssize_t write(int file, const void *bytes, size_t size) {
    const long count = syscall(SYS_write, file, bytes, size);
    if (file == 1) {
        all_then = all, main_then = main_thread;
        if (++writes == 2) { all_before = all, main_before = main_thread; }
    }
    return count;
}

__attribute__((constructor)) static void begin(void) {
    void *here[2];
    (void)backtrace(here, 2); // loads what it needs
    all = main_thread = 0;
}

__attribute__((destructor)) static void end(void) {
    const int found = frames;
    if (found > 0 && main_then > main_before) { backtrace_symbols_fd(first, found, 2); }
    dprintf(2, "allocations: %ld in all threads, %ld in the main one, %ld writes\n", (long)(all_then - all_before),
        (long)(main_then - main_before), (long)writes);
}
