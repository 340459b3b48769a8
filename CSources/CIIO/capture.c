#define _GNU_SOURCE
#include "capture.h"
#include "sysfs.h"
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NANOSECONDS = 1000000000 };

int64_t gw_iio_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * NANOSECONDS + t.tv_nsec;
}

int gw_iio_wait(gw_iio_capture *capture, int file, int64_t due) {
    struct pollfd files[2] = {{.fd = capture->cancel, .events = POLLIN}, {.fd = file, .events = POLLIN}};
    const struct timespec at_once = {0};
    if (file >= 0 && ppoll(files, 2, &at_once, NULL) > 0) { return files[0].revents ? -ECANCELED : 1; } // nobody slept
    for (;;) {
        int64_t left = due - gw_iio_now();
        left = left > 0 ? left : 0;
        struct timespec t = {.tv_sec = (time_t)(left / NANOSECONDS), .tv_nsec = (long)(left % NANOSECONDS)};
        int ready = ppoll(files, 2, &t, NULL); // a negative descriptor is left out
        if (ready < 0 && errno == EINTR) { continue; }
        capture->wakeups++;
        if (ready < 0) { return -errno; }
        if (files[0].revents) { return -ECANCELED; }
        return files[1].revents ? 1 : 0;
    }
}

void gw_iio_find_clock(gw_iio_capture *capture, const struct iio_device *device) {
    struct iio_channel *clock = iio_device_find_channel(device, "timestamp", false);
    if (clock) { capture->types[3] = gw_iio_scan_type(clock); }
    capture->has_clock = clock && capture->types[3].storage == 64;
    capture->channels[3] = capture->has_clock ? clock : NULL;
}

int64_t gw_iio_timestamp(const gw_iio_capture *capture, const uint8_t *word) {
    uint64_t time = 0;
    for (int32_t i = 0; i < 8; i++) { time = time << 8 | word[capture->types[3].big_endian ? i : 7 - i]; }
    return (int64_t)time;
}

static bool rise(const int64_t *times, int32_t count) {
    if (times[0] <= 0) { return false; }
    for (int32_t i = 1; i < count; i++) {
        if (times[i] <= times[i - 1]) { return false; }
    }
    return true;
}

void gw_iio_settle_times(gw_iio_capture *capture, int32_t count, int64_t *times) {
    capture->timestamped = capture->has_clock && capture->steady && rise(times, count) && !capture->guesses_period;
    capture->guesses_period = false;
    if (capture->timestamped) { return; }
    int64_t last = gw_iio_now();
    for (int32_t i = 0; i < count; i++) { times[i] = last - capture->period * (count - 1 - i); }
}

// in_accel_scale or in_accel_x_scale, as it is at the start.
static void remember_scale(gw_iio_capture *capture) {
    const char *names[] = {"in_accel_scale", "in_accel_x_scale"};
    for (int32_t i = 0; i < 2 && !capture->scale[0]; i++) {
        (void)gw_sysfs_read(capture->directory, names[i], capture->scale, sizeof capture->scale);
        snprintf(capture->scale_name, sizeof capture->scale_name, "%s", names[i]);
    }
}

int gw_iio_capture_open(gw_iio_context *context, int32_t index, const gw_iio_capture_config *config, char *refused, gw_iio_capture **out) {
    char nowhere[GW_IIO_PATH];
    refused = refused ? refused : nowhere;
    refused[0] = '\0';
    gw_iio_accelerometer description;
    int error = gw_iio_describe(context, index, &description);
    if (error) { return error; }
    if (config->block < 1 || config->block > 4096 || config->rate < 1 || config->gather < 0 || config->gather > 64) { return -EINVAL; }
    bool can_buffer = description.has_buffer && (description.trigger[0] || !description.needs_trigger || config->from_fifo);
    if (!config->polled && !can_buffer) { return -EINVAL; }
    gw_iio_capture *capture = calloc(1, sizeof *capture);
    if (!capture) { return -ENOMEM; }
    const struct iio_device *device = gw_iio_device(context, index);
    capture->block = config->block;
    capture->cancel = config->cancel;
    capture->gather = config->gather;
    capture->guesses_period = config->from_fifo;
    capture->period = INT64_C(1000000000000) / config->rate;
    capture->file = capture->ending[0] = capture->ending[1] = -1;
    for (int32_t axis = 0; axis < 3; axis++) {
        capture->channels[axis] = gw_iio_axis(device, axis);
        capture->types[axis] = description.types[axis];
        capture->axes[axis] = -1;
    }
    if (context->local) {
        snprintf(capture->directory, sizeof capture->directory, "/sys/bus/iio/devices/%s", description.id);
        remember_scale(capture);
    }
    if (config->polled) {
        error = gw_iio_start_polling(capture, refused);
    } else if (context->local) {
        error = gw_iio_start_buffer(capture, context, index, refused);
    } else {
        error = gw_iio_start_remote(capture, context, device);
    }
    if (error) {
        gw_iio_capture_close(capture);
        return error;
    }
    *out = capture;
    return 0;
}

void gw_iio_capture_close(gw_iio_capture *capture) {
    if (!capture) { return; }
    if (capture->backend) { capture->backend->close(capture); }
    free(capture);
}

int gw_iio_capture_read(gw_iio_capture *capture, int32_t most, int32_t *counts, int64_t *times) {
    if (most < 1 || most > capture->block) { return -EINVAL; }
    return capture->backend->read(capture, most, counts, times);
}

int gw_iio_capture_gather(gw_iio_capture *capture, int32_t blocks, int attention) {
    struct pollfd there = {.fd = capture->file, .events = POLLIN};
    if (poll(&there, 1, 0) > 0) { return 1; }
    // Two samples more: a timer that is exact would come before the last one.
    int result = gw_iio_wait(capture, attention, gw_iio_now() + ((int64_t)blocks * capture->block + 2) * capture->period);
    return result < 0 ? result : result == 1 ? 0 : blocks;
}

int64_t gw_iio_capture_wakeups(const gw_iio_capture *capture) { return capture->wakeups; }

bool gw_iio_capture_timestamped(const gw_iio_capture *capture) { return capture->timestamped; }

bool gw_iio_capture_scale_changed(const gw_iio_capture *capture) {
    char scale[GW_IIO_TEXT];
    if (!capture->scale[0] || gw_sysfs_read(capture->directory, capture->scale_name, scale, sizeof scale) <= 0) { return false; }
    return strcmp(scale, capture->scale) != 0;
}
