// A library to preload (x86-64): where a program has the instruction UD2 in the place of CPUID (without_avx512.py writes it there), it
// is given CPUID's answer without AVX-512, AVX-VNNI and AMX. So a library that chooses its code by CPUID runs its AVX2 code.
#define _GNU_SOURCE
#include <cpuid.h>
#include <signal.h>
#include <stdint.h>
#include <ucontext.h>

enum { FEATURES = 7 };

// Bits of leaf 7, subleaves 0 and 1.
static const uint32_t ebx_0 = 1u << 16 | 1u << 17 | 1u << 21 | 1u << 26 | 1u << 27 | 1u << 28 | 1u << 30 | 1u << 31;
static const uint32_t ecx_0 = 1u << 1 | 1u << 6 | 1u << 11 | 1u << 12 | 1u << 14,
                      edx_0 = 1u << 2 | 1u << 3 | 1u << 8 | 1u << 22 | 1u << 23 | 1u << 24 | 1u << 25;
static const uint32_t eax_1 = 1u << 4 | 1u << 5 | 1u << 21 | 1u << 23, edx_1 = 1u << 4 | 1u << 5 | 1u << 10 | 1u << 19;

static void answer(int number, siginfo_t *info, void *context) {
    greg_t *registers = ((ucontext_t *)context)->uc_mcontext.gregs;
    const uint8_t *at = (const uint8_t *)registers[REG_RIP];
    (void)info;
    if (at[0] != 0x0f || at[1] != 0x0b) {
        signal(number, SIG_DFL); // what was illegal before: it happens again, and ends the program
        return;
    }
    const uint32_t leaf = (uint32_t)registers[REG_RAX], subleaf = (uint32_t)registers[REG_RCX];
    uint32_t a, b, c, d;
    __cpuid_count(leaf, subleaf, a, b, c, d);
    if (leaf == FEATURES && subleaf == 0) { b &= ~ebx_0, c &= ~ecx_0, d &= ~edx_0; }
    if (leaf == FEATURES && subleaf == 1) { a &= ~eax_1, d &= ~edx_1; }
    registers[REG_RAX] = a, registers[REG_RBX] = b, registers[REG_RCX] = c, registers[REG_RDX] = d;
    registers[REG_RIP] += 2;
}

__attribute__((constructor)) static void install(void) {
    struct sigaction action = {.sa_sigaction = answer, .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigaction(SIGILL, &action, 0);
}
