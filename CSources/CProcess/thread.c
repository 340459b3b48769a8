#include "cprocess.h"
#include <sys/prctl.h>
#include <sys/resource.h>

void gw_thread_yield_to_others(void) {
    // On Linux both are this thread's alone.
    (void)setpriority(PRIO_PROCESS, 0, 10);
    (void)prctl(PR_SET_TIMERSLACK, 50000000UL);
}
