#include "context.h"
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

int gw_iio_open(const char *uri, gw_iio_context **out) {
    gw_iio_context *context = calloc(1, sizeof *context);
    if (!context) { return -ENOMEM; }
    context->local = !uri;
    context->device = -1;
    errno = 0;
    context->iio = uri ? iio_create_context_from_uri(uri) : iio_create_local_context();
    if (!context->iio) {
        int error = errno > 0 ? -errno : -ENODEV;
        free(context);
        return error;
    }
    *out = context;
    return 0;
}

int gw_iio_reconnect(gw_iio_context *context) {
    errno = 0;
    struct iio_context *again = iio_create_local_context();
    if (!again) { return errno > 0 ? -errno : -ENODEV; }
    iio_context_destroy(context->iio);
    context->iio = again;
    return 0;
}

void gw_iio_close(gw_iio_context *context) {
    if (!context) { return; }
    gw_iio_trigger_remove(context); // while the device is still this program's
    if (context->device >= 0) { close(context->device); }
    iio_context_destroy(context->iio);
    free(context);
}

struct iio_channel *gw_iio_axis(const struct iio_device *device, int32_t axis) {
    static const char *const names[3] = {"accel_x", "accel_y", "accel_z"};
    return iio_device_find_channel(device, names[axis], false);
}

static bool is_accelerometer(const struct iio_device *device) {
    return gw_iio_axis(device, 0) && gw_iio_axis(device, 1) && gw_iio_axis(device, 2);
}

int32_t gw_iio_count(const gw_iio_context *context) {
    int32_t count = 0;
    for (unsigned i = 0; i < iio_context_get_devices_count(context->iio); i++) {
        count += is_accelerometer(iio_context_get_device(context->iio, i)) ? 1 : 0;
    }
    return count;
}

struct iio_device *gw_iio_device(const gw_iio_context *context, int32_t index) {
    for (unsigned i = 0; i < iio_context_get_devices_count(context->iio); i++) {
        struct iio_device *device = iio_context_get_device(context->iio, i);
        if (is_accelerometer(device) && index-- == 0) { return device; }
    }
    return NULL;
}

const struct iio_device *gw_iio_trigger(const struct iio_device *device) {
    const struct iio_device *trigger = NULL;
    return iio_device_get_trigger(device, &trigger) == 0 ? trigger : NULL;
}
