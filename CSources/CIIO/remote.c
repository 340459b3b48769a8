// Capture on another machine through libiio's own buffer.
#define _GNU_SOURCE
#include "capture.h"
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

// libiio's read waits for no descriptor of ours: a thread does, and cancels it.
static void *cancel_read(void *context) {
    gw_iio_capture *capture = context;
    struct pollfd files[2] = {{.fd = capture->cancel, .events = POLLIN}, {.fd = capture->ending[0], .events = POLLIN}};
    while (poll(files, 2, -1) < 0 && errno == EINTR) {}
    if (files[0].revents) { iio_buffer_cancel(capture->buffer); }
    return NULL;
}

static int start_canceller(gw_iio_capture *capture) {
    if (capture->cancel < 0) { return 0; }
    if (pipe2(capture->ending, O_CLOEXEC) != 0) { return -errno; }
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // signals are for the threads that know them
    int error = pthread_create(&capture->canceller, NULL, cancel_read, capture);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error == 0) { return 0; }
    close(capture->ending[0]);
    close(capture->ending[1]);
    capture->ending[0] = capture->ending[1] = -1;
    return -error;
}

static void end_canceller(gw_iio_capture *capture) {
    if (capture->ending[1] < 0) { return; }
    close(capture->ending[1]);
    pthread_join(capture->canceller, NULL);
    close(capture->ending[0]);
}

// libiio's buffer comes as a whole.
static int read_block(gw_iio_capture *capture, int32_t most, int32_t *counts, int64_t *times) {
    (void)most;
    int cancelled = gw_iio_wait(capture, -1, 0);
    if (cancelled) { return cancelled; }
    ssize_t bytes = iio_buffer_refill(capture->buffer);
    if (bytes < 0) {
        cancelled = gw_iio_wait(capture, -1, 0);
        return cancelled ? cancelled : (int)bytes;
    }
    ptrdiff_t step = iio_buffer_step(capture->buffer);
    const uint8_t *end = iio_buffer_end(capture->buffer), *word[GW_AXES_AND_CLOCK] = {0};
    for (int32_t i = 0; i < (capture->has_clock ? 4 : 3); i++) { word[i] = iio_buffer_first(capture->buffer, capture->channels[i]); }
    int count = 0;
    for (; count < capture->block && word[0] < end; count++) {
        for (int32_t axis = 0; axis < 3; axis++) {
            *counts++ = gw_scan_decode(capture->types[axis], word[axis]);
            word[axis] += step;
        }
        if (capture->has_clock) {
            times[count] = gw_iio_timestamp(capture, word[3]);
            word[3] += step;
        }
    }
    if (count == 0) { return -EIO; }
    gw_iio_settle_times(capture, count, times);
    return count;
}

static void close_remote(gw_iio_capture *capture) {
    end_canceller(capture);
    if (capture->buffer) { iio_buffer_destroy(capture->buffer); }
}

static const gw_iio_backend network = {.read = read_block, .close = close_remote};

int gw_iio_start_remote(gw_iio_capture *capture, gw_iio_context *context, const struct iio_device *device) {
    capture->backend = &network;
    (void)iio_context_set_timeout(context->iio, (unsigned)(capture->period * capture->block / 1000000 * 2 + 3000));
    capture->steady = iio_device_attr_write(device, "current_timestamp_clock", "monotonic") >= 0;
    gw_iio_find_clock(capture, device);
    for (unsigned i = 0; i < iio_device_get_channels_count(device); i++) { iio_channel_disable(iio_device_get_channel(device, i)); }
    for (int32_t i = 0; i < (capture->has_clock ? 4 : 3); i++) { iio_channel_enable(capture->channels[i]); }
    errno = 0;
    capture->buffer = iio_device_create_buffer(device, (size_t)capture->block, false);
    if (!capture->buffer) { return errno > 0 ? -errno : -EIO; }
    return start_canceller(capture);
}
