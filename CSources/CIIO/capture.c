#include "context.h"
#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct gw_iio_capture {
    struct iio_device *device;
    struct iio_channel *axes[3], *clock;
    struct iio_buffer *buffer; // NULL when polled
    gw_scan_type types[3];
    int32_t block;
    int64_t period, due;       // of the polling timer, ns
};

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

// Time-outs and the timestamps' clock; both are wishes, since not every backend and driver has them.
static void prepare(gw_iio_context *context, gw_iio_capture *capture, int64_t block_ns) {
    (void)iio_context_set_timeout(context->iio, (unsigned)(block_ns / 1000000 * 2 + 3000));
    (void)iio_device_attr_write(capture->device, "current_timestamp_clock", "monotonic");
}

static int start_buffer(gw_iio_capture *capture) {
    if (!gw_iio_trigger(capture->device)) { return -EINVAL; }
    for (unsigned i = 0; i < iio_device_get_channels_count(capture->device); i++) {
        iio_channel_disable(iio_device_get_channel(capture->device, i));
    }
    for (int32_t axis = 0; axis < 3; axis++) { iio_channel_enable(capture->axes[axis]); }
    if (capture->clock) { iio_channel_enable(capture->clock); }
    errno = 0;
    capture->buffer = iio_device_create_buffer(capture->device, (size_t)capture->block, false);
    return capture->buffer ? 0 : errno > 0 ? -errno : -EIO;
}

int gw_iio_capture_open(gw_iio_context *context, int32_t index, const gw_iio_capture_config *config, gw_iio_capture **out) {
    gw_iio_accelerometer description;
    int error = gw_iio_describe(context, index, &description);
    if (error) { return error; }
    if (config->block < 1 || config->block > 4096 || config->rate < 1) { return -EINVAL; }
    if (!config->polled && !description.has_buffer) { return -EINVAL; }
    gw_iio_capture *capture = calloc(1, sizeof *capture);
    if (!capture) { return -ENOMEM; }
    capture->device = gw_iio_device(context, index);
    capture->block = config->block;
    capture->period = INT64_C(1000000000000) / config->rate;
    capture->due = now();
    capture->clock = iio_device_find_channel(capture->device, "timestamp", false);
    for (int32_t axis = 0; axis < 3; axis++) {
        capture->axes[axis] = gw_iio_axis(capture->device, axis);
        capture->types[axis] = description.types[axis];
    }
    prepare(context, capture, capture->period * config->block);
    error = config->polled ? 0 : start_buffer(capture);
    if (error) {
        free(capture);
        return error;
    }
    *out = capture;
    return 0;
}

void gw_iio_capture_close(gw_iio_capture *capture) {
    if (!capture) { return; }
    if (capture->buffer) { iio_buffer_destroy(capture->buffer); }
    free(capture);
}

static int64_t read_timestamp(const gw_iio_capture *capture) {
    if (!capture->clock) { return 0; }
    const struct iio_data_format *format = iio_channel_get_data_format(capture->clock);
    const uint8_t *word = iio_buffer_first(capture->buffer, capture->clock);
    uint64_t value = 0;
    if (format->length != 64) { return 0; }
    for (int32_t i = 0; i < 8; i++) { value = value << 8 | word[format->is_be ? i : 7 - i]; }
    return (int64_t)value;
}

static int read_buffer(gw_iio_capture *capture, int32_t *counts, int64_t *time) {
    ssize_t bytes = iio_buffer_refill(capture->buffer);
    if (bytes < 0) { return (int)bytes; }
    ptrdiff_t step = iio_buffer_step(capture->buffer);
    const uint8_t *end = iio_buffer_end(capture->buffer);
    const uint8_t *word[3];
    for (int32_t axis = 0; axis < 3; axis++) { word[axis] = iio_buffer_first(capture->buffer, capture->axes[axis]); }
    *time = read_timestamp(capture);
    if (*time == 0) { *time = now() - capture->period * (capture->block - 1); }
    int count = 0;
    for (; count < capture->block && word[0] < end; count++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            *counts++ = gw_scan_decode(capture->types[axis], word[axis]);
            word[axis] += step;
        }
    }
    return count;
}

static void sleep_until(int64_t due) {
    struct timespec t = {.tv_sec = (time_t)(due / 1000000000), .tv_nsec = (long)(due % 1000000000)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL) == EINTR) { }
}

static int read_polled(gw_iio_capture *capture, int32_t *counts, int64_t *time) {
    int64_t late = now() - capture->due;
    if (late > 10 * capture->period) { capture->due += late; } // asleep or stopped meanwhile: no burst to catch up
    for (int32_t i = 0; i < capture->block; i++) {
        sleep_until(capture->due);
        if (i == 0) { *time = now(); }
        capture->due += capture->period;
        for (int32_t axis = 0; axis < 3; axis++) {
            long long raw;
            int error = iio_channel_attr_read_longlong(capture->axes[axis], "raw", &raw);
            if (error < 0) { return error; }
            *counts++ = (int32_t)(raw > INT32_MAX ? INT32_MAX : raw < INT32_MIN ? INT32_MIN : raw);
        }
    }
    return capture->block;
}

int gw_iio_capture_read(gw_iio_capture *capture, int32_t *counts, int64_t *time) {
    return capture->buffer ? read_buffer(capture, counts, time) : read_polled(capture, counts, time);
}
