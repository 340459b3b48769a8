// What the files of CIIO share.
#ifndef GW_IIO_CONTEXT_H
#define GW_IIO_CONTEXT_H

#include "ciio.h"
#include <iio.h>

struct gw_iio_context {
    struct iio_context *iio;
    bool local;
    int device;                // the claimed device's file, which no other program can open meanwhile; -1 for none
    char trigger[GW_IIO_TEXT]; // that was made here and is removed at the end; empty when none was
    // A trigger that was taken from a device and is given back at the end, and that device; empty when none was.
    char detached[GW_IIO_TEXT], detached_from[GW_IIO_TEXT];
};

/// The device behind accelerometer `index`, or NULL.
struct iio_device *gw_iio_device(const gw_iio_context *context, int32_t index);

/// in_accel_x, _y or _z.
struct iio_channel *gw_iio_axis(const struct iio_device *device, int32_t axis);

/// How a channel's word lies in a scan.
gw_scan_type gw_iio_scan_type(const struct iio_channel *channel);

/// Connects again: libiio sees devices and triggers that came later only then.
int gw_iio_reconnect(gw_iio_context *context);

/// Removes what gw_iio_trigger_setup made, and gives back what gw_iio_trigger_detach took.
void gw_iio_trigger_remove(gw_iio_context *context);

/// The current trigger, or NULL.
const struct iio_device *gw_iio_trigger(const struct iio_device *device);

#endif
