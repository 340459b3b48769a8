// Events of drivers that tell movement, through the device's event descriptor.
#include "motion.h"
#include "context.h"
#include "sysfs.h"
#include <errno.h>
#include <linux/iio/events.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct gw_iio_motion {
    int file;
    char directory[GW_IIO_PATH], event[GW_IIO_TEXT];
};

// One switch for all axes, or one for each: "in_accel_x_roc_rising" stands for y and z too.
static int put(const gw_iio_motion *motion, const char *value) {
    static const char axes[] = "xyz";
    char name[2 * GW_IIO_TEXT];
    const char *kind = motion->event + strlen("in_accel_x");
    bool is_one_axis = strncmp(motion->event, "in_accel_", 9) == 0 && strchr(axes, motion->event[9]) && *kind == '_';
    int error = -ENOENT;
    for (int32_t i = 0; i < (is_one_axis ? 3 : 1); i++) {
        if (is_one_axis) {
            snprintf(name, sizeof name, "events/in_accel_%c%s_en", axes[i], kind);
        } else {
            snprintf(name, sizeof name, "events/%s_en", motion->event);
        }
        int one = gw_sysfs_write(motion->directory, name, value);
        if (!one) {
            error = 0;
        } else if (error == -ENOENT) {
            error = one;
        }
    }
    return error;
}

int gw_iio_motion_open(gw_iio_context *context, int32_t index, gw_iio_motion **out) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device || context->device < 0) { return -EINVAL; }
    gw_iio_motion *motion = calloc(1, sizeof *motion);
    if (!motion) { return -ENOMEM; }
    snprintf(motion->directory, sizeof motion->directory, "/sys/bus/iio/devices/%s", iio_device_get_id(device));
    gw_iio_motion_find(motion->directory, motion->event, sizeof motion->event);
    motion->file = -1;
    int error = motion->event[0] ? 0 : -ENOENT;
    if (!error && ioctl(context->device, IIO_GET_EVENT_FD_IOCTL, &motion->file) != 0) { error = -errno; }
    if (!error) { error = put(motion, "1"); }
    if (error) {
        gw_iio_motion_close(motion);
        return error;
    }
    *out = motion;
    return 0;
}

void gw_iio_motion_close(gw_iio_motion *motion) {
    if (!motion) { return; }
    if (motion->file >= 0) {
        (void)put(motion, "0");
        close(motion->file);
    }
    free(motion);
}

int gw_iio_motion_wait(gw_iio_motion *motion, int32_t timeout, int cancel, int attention) {
    // A negative descriptor is left out.
    struct pollfd files[3] = {
        {.fd = cancel, .events = POLLIN}, {.fd = attention, .events = POLLIN}, {.fd = motion->file, .events = POLLIN}};
    if (poll(files, 3, timeout) < 0) { return errno == EINTR ? 0 : -errno; }
    if (files[0].revents) { return -ECANCELED; }
    if (files[2].revents) {
        struct iio_event_data event;
        ssize_t count = read(motion->file, &event, sizeof event);
        return count > 0 ? 1 : count < 0 && errno != ENODEV ? -errno : -ENODEV;
    }
    if (files[1].revents) { return -EAGAIN; }
    return gw_sysfs_exists(motion->directory, "name") ? 0 : -ENODEV;
}
