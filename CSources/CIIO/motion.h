#ifndef GW_IIO_MOTION_H
#define GW_IIO_MOTION_H

#include "ciio.h"
#include <stddef.h>

/// Which of the events of a device (its directory in sysfs) tells movement best; empty when none does.
void gw_iio_motion_find(const char *directory, char *out, size_t size);

#endif
