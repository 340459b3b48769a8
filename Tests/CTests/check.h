// The C tests' few words: CHECK counts, a failed one names its place, finish() prints the sum.
#ifndef CHECK_H
#define CHECK_H

#include <stdint.h>
#include <stdio.h>

static int checks_passed, checks_failed;

#define CHECK(condition, ...)                                                                                                              \
    do {                                                                                                                                   \
        if (condition) {                                                                                                                   \
            checks_passed++;                                                                                                               \
        } else if (++checks_failed <= 10) {                                                                                                \
            printf("%s:%d: %s: ", __FILE__, __LINE__, #condition);                                                                         \
            printf(__VA_ARGS__);                                                                                                           \
            printf("\n");                                                                                                                  \
        }                                                                                                                                  \
    } while (0)

static inline int finish(const char *name) {
    printf("%s: %d passed, %d failed\n", name, checks_passed, checks_failed);
    return checks_failed == 0 && checks_passed > 0 ? 0 : 1;
}

// SplitMix64: the same numbers on every platform.
static uint64_t random_state = 1;

static inline uint64_t random_bits(void) {
    uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline int32_t random_between(int32_t low, int32_t high) {
    return (int32_t)(low + (int64_t)(random_bits() % (uint64_t)((int64_t)high - low + 1)));
}

#endif
