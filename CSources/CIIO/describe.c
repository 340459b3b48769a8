#include "context.h"
#include "motion.h"
#include "sysfs.h"
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void copy_text(char *out, size_t size, const char *text) { snprintf(out, size, "%s", text ? text : ""); }

// The kernel ends attributes with a newline, which libiio leaves in some.
static void finish(char *out, size_t size, ssize_t length) {
    out[length > 0 && (size_t)length < size ? (size_t)length : length > 0 ? size - 1 : 0] = '\0';
    out[strcspn(out, "\n")] = '\0';
}

static bool read_channel(const struct iio_channel *channel, const char *attribute, char *out, size_t size) {
    out[0] = '\0';
    if (!channel || !iio_channel_find_attr(channel, attribute)) { return false; }
    finish(out, size, iio_channel_attr_read(channel, attribute, out, size));
    return out[0] != '\0';
}

static bool read_device(const struct iio_device *device, const char *attribute, char *out, size_t size) {
    out[0] = '\0';
    if (!device || !iio_device_find_attr(device, attribute)) { return false; }
    finish(out, size, iio_device_attr_read(device, attribute, out, size));
    return out[0] != '\0';
}

// The kernel's three names: mount_matrix, in_mount_matrix (which libiio takes for a channel "mount") and in_accel_mount_matrix.
static void read_mount(const struct iio_device *device, char *out, size_t size) {
    if (read_channel(gw_iio_axis(device, 0), "mount_matrix", out, size)) { return; }
    if (read_device(device, "mount_matrix", out, size)) { return; }
    if (read_device(device, "in_mount_matrix", out, size)) { return; }
    read_channel(iio_device_find_channel(device, "mount", false), "matrix", out, size);
}

// "/sys/devices/platform/soc/i2c-1/1-0018/iio:device0" without the number, which changes from boot to boot.
static void read_parent(const struct iio_device *device, char *out, size_t size) {
    char link[GW_IIO_PATH], real[PATH_MAX];
    snprintf(link, sizeof link, "/sys/bus/iio/devices/%s", iio_device_get_id(device));
    out[0] = '\0';
    if (!realpath(link, real)) { return; }
    char *last = strrchr(real, '/');
    if (last) { *last = '\0'; }
    size_t length = strlen(real);
    copy_text(out, size, real + (length >= size ? length - size + 1 : 0));
}

// The trigger that the device has. A driver without the attribute samples into a FIFO of its own.
static void read_trigger(const struct iio_device *device, gw_iio_accelerometer *out) {
    const struct iio_device *trigger = NULL;
    int error = iio_device_get_trigger(device, &trigger);
    out->needs_trigger = error != -ENOENT;
    if (error || !trigger) { return; }
    copy_text(out->trigger, sizeof out->trigger, iio_device_get_name(trigger));
    read_device(trigger, "sampling_frequency", out->trigger_rate, sizeof out->trigger_rate);
}

// How many samples the chip keeps, where the driver says so.
static int32_t fifo_of(const char *directory) {
    char text[GW_IIO_TEXT];
    if (gw_sysfs_read(directory, "buffer/hwfifo_watermark_max", text, sizeof text) <= 0) { return 0; }
    long samples = strtol(text, NULL, 10);
    return samples > 1 && samples < 1 << 20 ? (int32_t)samples : 0;
}

gw_scan_type gw_iio_scan_type(const struct iio_channel *channel) {
    const struct iio_data_format *format = iio_channel_get_data_format(channel);
    return (gw_scan_type){.bits = (int32_t)format->bits,
        .storage = (int32_t)format->length,
        .shift = (int32_t)format->shift,
        .repeat = format->repeat > 1 ? (int32_t)format->repeat : 1,
        .is_signed = format->is_signed,
        .big_endian = format->is_be};
}

int gw_iio_describe(const gw_iio_context *context, int32_t index, gw_iio_accelerometer *out) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    memset(out, 0, sizeof *out);
    copy_text(out->id, sizeof out->id, iio_device_get_id(device));
    copy_text(out->name, sizeof out->name, iio_device_get_name(device));
    copy_text(out->label, sizeof out->label, iio_device_get_label(device));
    if (context->local) {
        char directory[GW_IIO_PATH];
        snprintf(directory, sizeof directory, "/sys/bus/iio/devices/%s", out->id);
        read_parent(device, out->parent, sizeof out->parent);
        out->fifo = fifo_of(directory);
        gw_iio_motion_find(directory, out->motion, sizeof out->motion);
    }
    read_trigger(device, out);
    if (!read_device(device, "sampling_frequency", out->rate, sizeof out->rate)) {
        read_channel(gw_iio_axis(device, 0), "sampling_frequency", out->rate, sizeof out->rate);
    }
    if (!read_device(device, "sampling_frequency_available", out->rates, sizeof out->rates)) {
        read_channel(gw_iio_axis(device, 0), "sampling_frequency_available", out->rates, sizeof out->rates);
    }
    if (!read_channel(gw_iio_axis(device, 0), "scale_available", out->scales, sizeof out->scales)) {
        read_device(device, "scale_available", out->scales, sizeof out->scales);
    }
    read_mount(device, out->mount, sizeof out->mount);
    out->has_buffer = true;
    for (int32_t axis = 0; axis < 3; axis++) {
        const struct iio_channel *channel = gw_iio_axis(device, axis);
        read_channel(channel, "scale", out->scale[axis], GW_IIO_TEXT);
        read_channel(channel, "offset", out->offset[axis], GW_IIO_TEXT);
        out->types[axis] = gw_iio_scan_type(channel);
        out->has_buffer = out->has_buffer && iio_channel_is_scan_element(channel);
        out->undecodable = out->undecodable || !gw_scan_type_valid(out->types[axis]);
    }
    out->undecodable = out->undecodable && out->has_buffer;
    out->has_buffer = out->has_buffer && !out->undecodable;
    return 0;
}

int gw_iio_request_rate(gw_iio_context *context, int32_t index, const char *trigger_rate, const char *chip_rate) {
    struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    const struct iio_device *trigger = gw_iio_trigger(device);
    if (trigger && iio_device_find_attr(trigger, "sampling_frequency")) {
        (void)iio_device_attr_write(trigger, "sampling_frequency", trigger_rate);
    }
    if (iio_device_find_attr(device, "sampling_frequency")) {
        (void)iio_device_attr_write(device, "sampling_frequency", chip_rate);
    } else if (iio_channel_find_attr(gw_iio_axis(device, 0), "sampling_frequency")) {
        (void)iio_channel_attr_write(gw_iio_axis(device, 0), "sampling_frequency", chip_rate);
    }
    return 0;
}

int gw_iio_request_scale(gw_iio_context *context, int32_t index, const char *scale) {
    struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    // Many drivers refuse while their buffer is on, which a program that was killed left so: the device could be claimed.
    if (context->local && context->device >= 0) {
        char directory[GW_IIO_PATH];
        snprintf(directory, sizeof directory, "/sys/bus/iio/devices/%s", iio_device_get_id(device));
        (void)gw_sysfs_write(directory, "buffer/enable", "0");
    }
    for (int32_t axis = 0; axis < 3; axis++) {
        ssize_t written = iio_channel_attr_write(gw_iio_axis(device, axis), "scale", scale);
        if (written < 0) { return (int)written; }
    }
    return 0;
}
