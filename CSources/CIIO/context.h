// What the files of CIIO share.
#ifndef GW_IIO_CONTEXT_H
#define GW_IIO_CONTEXT_H

#include "ciio.h"
#include <iio.h>

struct gw_iio_context {
    struct iio_context *iio;
};

/// The device behind accelerometer `index`, or NULL.
struct iio_device *gw_iio_device(const gw_iio_context *context, int32_t index);

/// in_accel_x, _y or _z.
struct iio_channel *gw_iio_axis(const struct iio_device *device, int32_t axis);

/// The current trigger, or NULL.
const struct iio_device *gw_iio_trigger(const struct iio_device *device);

#endif
