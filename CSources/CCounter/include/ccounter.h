// Instructions that the processor says it retired, where the kernel lets a program ask.
#ifndef GW_CCOUNTER_H
#define GW_CCOUNTER_H

#include <stdint.h>

/// A descriptor that counts this thread's instructions outside the kernel, from now on; -1 where there is no such counter or no
/// permission (kernel.perf_event_paranoid above 2, a container, a virtual machine without one). The caller closes it.
int gw_counter_open(void);

/// Instructions so far; -1 when they cannot be read.
int64_t gw_counter_read(int counter);

#endif
