// Local capture through /dev/iio:deviceN. libiio fixes the buffer's length at four blocks, knows no unplugging and cannot be
// interrupted by a descriptor, so the data path of local devices is our own; channels and their types are libiio's.
#include "capture.h"
#include "sysfs.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BLOCKS_IN_KERNEL = 4 };

static int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

// Nothing for the time of two blocks, but not under a second (a busy machine) nor over three, means that the sensor has stopped.
static int64_t patience(const gw_iio_capture *capture) {
    return least(most(2 * capture->period * capture->block, INT64_C(1000000000)), most(INT64_C(2900000000), 3 * capture->period));
}

static bool wanted(const gw_iio_capture *capture, const struct iio_channel *channel) {
    for (int32_t i = 0; i < GW_AXES_AND_CLOCK; i++) {
        if (capture->channels[i] == channel) { return true; }
    }
    return false;
}

// Writes an attribute and says which one refused.
static int put(const gw_iio_capture *capture, const char *name, const char *value, char *refused) {
    int error = gw_sysfs_write(capture->directory, name, value);
    if (error) { snprintf(refused, GW_IIO_PATH, "%.180s/%.70s", capture->directory, name); }
    return error;
}

static int choose_channels(gw_iio_capture *capture, const struct iio_device *device, char *refused) {
    for (unsigned i = 0; i < iio_device_get_channels_count(device); i++) {
        const struct iio_channel *channel = iio_device_get_channel(device, i);
        if (!iio_channel_is_scan_element(channel) || iio_channel_is_output(channel)) { continue; }
        char name[GW_IIO_PATH];
        snprintf(name, sizeof name, "scan_elements/in_%s_en", iio_channel_get_id(channel));
        int error = put(capture, name, wanted(capture, channel) ? "1" : "0", refused);
        if (error) { return error; }
    }
    return 0;
}

static int lay_out(gw_iio_capture *capture) {
    int32_t order[GW_AXES_AND_CLOCK], count = capture->has_clock ? 4 : 3, offsets[GW_AXES_AND_CLOCK];
    gw_scan_type types[GW_AXES_AND_CLOCK];
    for (int32_t i = 0; i < count; i++) {
        const long index = iio_channel_get_index(capture->channels[i]);
        int32_t place = i;
        for (; place > 0 && iio_channel_get_index(capture->channels[order[place - 1]]) > index; place--) {
            order[place] = order[place - 1];
        }
        order[place] = i;
    }
    for (int32_t i = 0; i < count; i++) { types[i] = capture->types[order[i]]; }
    capture->scan_bytes = gw_scan_layout(types, count, offsets);
    for (int32_t i = 0; i < count; i++) { capture->offsets[order[i]] = offsets[i]; }
    return capture->scan_bytes > 0 ? 0 : -EINVAL;
}

// The buffer's watermark wakes us once a block; drivers without one wake for every sample.
static int size_buffer(gw_iio_capture *capture, char *refused) {
    char value[16];
    snprintf(value, sizeof value, "%d", (BLOCKS_IN_KERNEL + capture->gather) * capture->block);
    int error = put(capture, "buffer/length", value, refused);
    snprintf(value, sizeof value, "%d", capture->block);
    if (!error) { (void)gw_sysfs_write(capture->directory, "buffer/watermark", value); }
    return error;
}

// Whether timestamps come from a clock that does not step.
static bool steady_clock(const gw_iio_capture *capture) {
    char clock[GW_IIO_TEXT];
    (void)gw_sysfs_write(capture->directory, "current_timestamp_clock", "monotonic");
    int length = gw_sysfs_read(capture->directory, "current_timestamp_clock", clock, sizeof clock);
    return length > 0 && strcmp(clock, "monotonic") == 0;
}

static int32_t decode(gw_iio_capture *capture, int32_t bytes, int32_t *counts, int64_t *times) {
    int32_t count = bytes / capture->scan_bytes;
    for (int32_t i = 0; i < count; i++) {
        const uint8_t *scan = capture->scans + (int64_t)i * capture->scan_bytes;
        for (int32_t axis = 0; axis < 3; axis++) {
            counts[i * 3 + axis] = gw_scan_decode(capture->types[axis], scan + capture->offsets[axis]);
        }
        if (capture->has_clock) { times[i] = gw_iio_timestamp(capture, scan + capture->offsets[3]); }
    }
    gw_iio_settle_times(capture, count, times);
    return count;
}

// Sleeps until the block should be there. The watermark wakes us for a whole block; a driver that ignores it would do so for every
// sample, and is read when the time has come instead; first without waiting, since a chip that is faster than it says has more by then.
static int wait_for_scans(gw_iio_capture *capture, int32_t missing, bool is_first, int64_t due) {
    if (!capture->ignores_watermark) { return gw_iio_wait(capture, capture->file, due); }
    if (is_first) { return 0; }
    return gw_iio_wait(capture, -1, least(due, gw_iio_now() + missing * capture->period));
}

static int read_block(gw_iio_capture *capture, int32_t samples, int32_t *counts, int64_t *times) {
    const int32_t whole = samples * capture->scan_bytes;
    const int64_t due = gw_iio_now() + patience(capture);
    int32_t have = 0;
    int error = 0;
    bool is_first = true;
    while (have < whole && !error) {
        int ready = wait_for_scans(capture, (whole - have) / capture->scan_bytes, is_first, due);
        is_first = false;
        if (ready < 0) {
            error = ready;
            break;
        }
        // Below the watermark and after an unplugging poll is silent: only read tells.
        ssize_t count = read(capture->file, capture->scans + have, (size_t)(whole - have));
        if (count > 0) {
            have += (int32_t)count;
            capture->ignores_watermark = capture->ignores_watermark || (ready && have < whole);
        } else if (count == 0) {
            error = -ENODEV;
        } else if (errno != EAGAIN && errno != EINTR) {
            error = -errno;
        }
        if (!error && have < whole && gw_iio_now() >= due) { error = gw_sysfs_exists(capture->directory, "name") ? -ETIMEDOUT : -ENODEV; }
    }
    // What came before the trouble is not lost; the next call meets it again.
    return have >= capture->scan_bytes && error != -ECANCELED ? decode(capture, have, counts, times) : error;
}

// The file is the context's.
static void close_buffer(gw_iio_capture *capture) {
    if (capture->file >= 0) { (void)gw_sysfs_write(capture->directory, "buffer/enable", "0"); }
    free(capture->scans);
}

static const gw_iio_backend kernel_buffer = {.read = read_block, .close = close_buffer};

int gw_iio_start_buffer(gw_iio_capture *capture, gw_iio_context *context, int32_t index, char *refused) {
    capture->backend = &kernel_buffer;
    const struct iio_device *device = gw_iio_device(context, index);
    int error = gw_iio_claim(context, index, refused);
    if (error) { return error; }
    capture->file = context->device;
    // A buffer that is on although the device could be claimed was left so by a program that was killed.
    error = put(capture, "buffer/enable", "0", refused);
    if (error) { return error; }
    gw_iio_find_clock(capture, device);
    capture->steady = steady_clock(capture);
    error = lay_out(capture);
    if (!error) { error = choose_channels(capture, device, refused); }
    if (!error) { error = size_buffer(capture, refused); }
    if (!error) {
        capture->scans = malloc((size_t)capture->block * (size_t)capture->scan_bytes);
        error = capture->scans ? put(capture, "buffer/enable", "1", refused) : -ENOMEM;
    }
    return error;
}
