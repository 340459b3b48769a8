// What a process knows of itself: instructions that it retired, and memory that it can give back while it waits.
#ifndef GW_CPROCESS_H
#define GW_CPROCESS_H

#include <stdint.h>

/// A descriptor that counts this thread's instructions outside the kernel, from now on; -1 where there is no such counter or no
/// permission (kernel.perf_event_paranoid above 2, a container, a virtual machine without one). The caller closes it.
int gw_counter_open(void);

/// Instructions so far; -1 when they cannot be read.
int64_t gw_counter_read(int counter);

/// Gives back the pages of code, this program's and its libraries', and what the heap has free. The kernel keeps the code's files in its
/// cache as long as it has room, so that what is needed again comes back by minor faults; under pressure it need not look for them.
///
/// Only code that is as in its file is touched, under the loader's lock: another thread may be loading a library. Takes under a
/// millisecond.
void gw_memory_give_back(void);

#endif
