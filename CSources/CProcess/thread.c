#include "cprocess.h"
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

void gw_thread_yield_to_others(void) {
    // On Linux both are this thread's alone.
    (void)setpriority(PRIO_PROCESS, 0, 10);
    (void)prctl(PR_SET_TIMERSLACK, 50000000UL);
}

void gw_process_yield_to_others(void) {
    gw_thread_yield_to_others();
    int file = open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC);
    if (file < 0) { return; }
    ssize_t written = write(file, "1000", 4);
    (void)written; // without it the kernel chooses by size
    (void)close(file);
}
