#include "cprocess.h"
#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

int gw_counter_open(void) {
    struct perf_event_attr attributes = {
        .type = PERF_TYPE_HARDWARE, .size = sizeof attributes, .config = PERF_COUNT_HW_INSTRUCTIONS, .exclude_kernel = 1, .exclude_hv = 1};
    return (int)syscall(SYS_perf_event_open, &attributes, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

int64_t gw_counter_read(int counter) {
    int64_t count = -1;
    return read(counter, &count, sizeof count) == sizeof count ? count : -1;
}
