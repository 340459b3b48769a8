// Marks functions that use the dot product of ARMv8.2, which the build does not require.
#ifndef GW_DOTPROD_H
#define GW_DOTPROD_H

#if defined(__clang__)
#define DOTPROD __attribute__((target("dotprod")))
#else
#define DOTPROD __attribute__((target("arch=armv8.2-a+dotprod")))
#endif

#endif
