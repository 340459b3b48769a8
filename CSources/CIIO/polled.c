// Reading the raw attributes on a timer: for drivers without a buffer and kernels without triggers.
#include "capture.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { TRIES = 3, PERIODS_LATE = 3 };

static int read_axis(gw_iio_capture *capture, int32_t axis, int32_t *count) {
    long long value;
    if (capture->axes[axis] < 0) {
        int error = iio_channel_attr_read_longlong(capture->channels[axis], "raw", &value);
        if (error) { return error; }
    } else {
        char text[32], *end;
        ssize_t length;
        do { length = pread(capture->axes[axis], text, sizeof text - 1, 0); } while (length < 0 && errno == EINTR);
        if (length < 0) { return -errno; }
        text[length] = '\0';
        value = strtoll(text, &end, 10);
        if (end == text) { return -EIO; }
    }
    *count = (int32_t)(value > INT32_MAX ? INT32_MAX : value < INT32_MIN ? INT32_MIN : value);
    return 0;
}

// A bus may fail once; that is not a sensor that is gone.
static int read_sample(gw_iio_capture *capture, int32_t *counts) {
    int error = 0;
    for (int32_t axis = 0, tries = 0; axis < 3; axis++) {
        do { error = read_axis(capture, axis, &counts[axis]); } while (error && error != -ENODEV && error != -ENOENT && ++tries < TRIES);
        if (error) { return error == -ENOENT ? -ENODEV : error; }
    }
    return 0;
}

static int read_block(gw_iio_capture *capture, int32_t most, int32_t *counts, int64_t *times) {
    for (int32_t i = 0; i < most; i++) {
        int64_t late = gw_iio_now() - capture->due;
        if (late > PERIODS_LATE * capture->period) { capture->due += late; } // stopped meanwhile: no burst to catch up
        int error = gw_iio_wait(capture, -1, capture->due);
        if (error) { return error; }
        capture->due += capture->period;
        times[i] = gw_iio_now();
        error = read_sample(capture, counts + i * 3);
        if (error) { return i > 0 ? i : error; }
    }
    return most;
}

static void close_axes(gw_iio_capture *capture) {
    for (int32_t axis = 0; axis < 3; axis++) {
        if (capture->axes[axis] >= 0) { close(capture->axes[axis]); }
    }
}

static const gw_iio_backend polling = {.read = read_block, .close = close_axes};

int gw_iio_start_polling(gw_iio_capture *capture, char *refused) {
    capture->backend = &polling;
    capture->timestamped = true;
    for (int32_t axis = 0; axis < 3 && capture->directory[0]; axis++) {
        const char *name = iio_channel_attr_get_filename(capture->channels[axis], "raw");
        snprintf(refused, GW_IIO_PATH, "%.180s/%.70s", capture->directory, name ? name : "in_accel_x_raw");
        capture->axes[axis] = open(refused, O_RDONLY | O_CLOEXEC);
        if (capture->axes[axis] < 0) { return -errno; }
    }
    int32_t sample[3];
    int error = read_sample(capture, sample); // busy now rather than later
    const char *id = strrchr(capture->directory, '/');
    if (error == -EBUSY && id) { snprintf(refused, GW_IIO_PATH, "/dev%s", id); } // whoever has that open captures
    return error;
}
