// What a process knows of itself: instructions that it retired, memory that it can give back while it waits, and calls of Linux that
// Swift's C library does not show.
#ifndef GW_CPROCESS_H
#define GW_CPROCESS_H

#include <stdbool.h>
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

/// From now on all else on the machine goes before this thread, and its waits may end up to 50 ms late: the processor wakes once for
/// several.
void gw_thread_yield_to_others(void);

/// The same for a whole process, before it has another thread; where memory runs out it is the first to be ended.
void gw_process_yield_to_others(void);

/// A pipe's ends, to read and to write, which no program started meanwhile inherits (pipe2). Returns 0, or -1 and errno.
int gw_pipe(int ends[2]);

/// The next connection of a listening socket, which no program started meanwhile inherits (accept4). Returns -1 and errno without one.
int gw_accept(int listener);

/// The process and user at the other end of a local socket. Returns false where the kernel does not tell.
bool gw_peer(int socket, int32_t *process, uint32_t *user);

#endif
