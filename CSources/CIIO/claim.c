#include "context.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

int gw_iio_claim(gw_iio_context *context, int32_t index, char *refused) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    if (!context->local || context->device >= 0) { return 0; }
    char path[GW_IIO_PATH];
    snprintf(path, sizeof path, "/dev/%s", iio_device_get_id(device));
    context->device = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    if (context->device >= 0) { return 0; }
    int error = -errno;
    if (refused) { snprintf(refused, GW_IIO_PATH, "%s", path); }
    return error;
}
