// The filter's sections, and what its kernels share.
#ifndef GW_SECTIONS_H
#define GW_SECTIONS_H

#include "csignal.h"

/// One section: g (1 + z^-1)^k / (1 + a1 z^-1 + a2 z^-2), Q1.30.
typedef struct gw_section {
    int32_t gain, a1, a2;
} gw_section;

enum { NOISE_SECTIONS = 5, GRAVITY_SECTIONS = 2, COEFFICIENT_BITS = 30, GUARD_BITS = 24 - 12 };

#include "butterworth_table.h"

/// Runs the seven sections over medians (Q7.24 g) of `count` samples; total and gravity as gw_filter_run: gravity may be NULL.
/// Every kernel gives the bits of gw_sections_reference.
typedef void gw_sections_run(gw_filter *filter, int32_t (*medians)[GW_AXES], int32_t count, int16_t *total, int16_t *gravity);

gw_sections_run gw_sections_reference;

#if defined(__x86_64__)
gw_sections_run gw_sections_avx2;
#endif

// 32-bit ARM: gcc can switch NEON on for one file, clang has it only where the whole target does.
#if defined(__aarch64__) || (defined(__arm__) && (defined(__ARM_NEON) || !defined(__clang__)))
#define GW_HAVE_NEON_SECTIONS 1
gw_sections_run gw_sections_neon;
bool gw_sections_have_neon(void);
#endif

#endif
