#include "context.h"
#include <errno.h>
#include <stdio.h>
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

static gw_scan_type scan_type(const struct iio_channel *channel) {
    const struct iio_data_format *format = iio_channel_get_data_format(channel);
    return (gw_scan_type){
        .bits = (int32_t)format->bits, .storage = (int32_t)format->length, .shift = (int32_t)format->shift,
        .is_signed = format->is_signed, .big_endian = format->is_be};
}

int gw_iio_describe(const gw_iio_context *context, int32_t index, gw_iio_accelerometer *out) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    memset(out, 0, sizeof *out);
    copy_text(out->id, sizeof out->id, iio_device_get_id(device));
    copy_text(out->name, sizeof out->name, iio_device_get_name(device));
    copy_text(out->label, sizeof out->label, iio_device_get_label(device));
    const struct iio_device *trigger = gw_iio_trigger(device);
    copy_text(out->trigger, sizeof out->trigger, trigger ? iio_device_get_name(trigger) : NULL);
    read_device(trigger, "sampling_frequency", out->trigger_rate, sizeof out->trigger_rate);
    if (!read_device(device, "sampling_frequency", out->rate, sizeof out->rate)) {
        read_channel(gw_iio_axis(device, 0), "sampling_frequency", out->rate, sizeof out->rate);
    }
    read_mount(device, out->mount, sizeof out->mount);
    out->has_buffer = true;
    for (int32_t axis = 0; axis < 3; axis++) {
        const struct iio_channel *channel = gw_iio_axis(device, axis);
        read_channel(channel, "scale", out->scale[axis], GW_IIO_TEXT);
        read_channel(channel, "offset", out->offset[axis], GW_IIO_TEXT);
        out->types[axis] = scan_type(channel);
        out->has_buffer = out->has_buffer && iio_channel_is_scan_element(channel) && gw_scan_type_valid(out->types[axis]);
    }
    return 0;
}

int gw_iio_request_rate(gw_iio_context *context, int32_t index, int32_t hertz) {
    struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    const struct iio_device *trigger = gw_iio_trigger(device);
    if (trigger && iio_device_find_attr(trigger, "sampling_frequency")) {
        iio_device_attr_write_longlong(trigger, "sampling_frequency", hertz);
    }
    if (iio_device_find_attr(device, "sampling_frequency")) {
        iio_device_attr_write_longlong(device, "sampling_frequency", hertz);
    } else if (iio_channel_find_attr(gw_iio_axis(device, 0), "sampling_frequency")) {
        iio_channel_attr_write_longlong(gw_iio_axis(device, 0), "sampling_frequency", hertz);
    }
    return 0;
}
