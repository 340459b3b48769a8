#include "kernel.h"

// From the one that every CPU has to the fastest.
static const gw_kernel *const kernels[] = {
    &gw_kernel_reference,
#if defined(__x86_64__)
    &gw_kernel_avx2,
    &gw_kernel_vnni,
#endif
#if GW_HAVE_NEON
    &gw_kernel_neon,
#endif
#if defined(__aarch64__)
    &gw_kernel_dotprod,
    &gw_kernel_i8mm,
#endif
};

enum { KERNEL_COUNT = sizeof kernels / sizeof kernels[0] };

const gw_kernel *gw_kernel_at(int32_t index) { return index >= 0 && index < KERNEL_COUNT ? kernels[index] : 0; }

const char *gw_kernel_name(const gw_kernel *kernel) { return kernel->name; }

bool gw_kernel_available(const gw_kernel *kernel) { return kernel->available(); }

const gw_kernel *gw_kernel_best(void) {
    const gw_kernel *best = kernels[0];
    for (int32_t i = 1; i < KERNEL_COUNT; i++) { best = kernels[i]->available() ? kernels[i] : best; }
    return best;
}
