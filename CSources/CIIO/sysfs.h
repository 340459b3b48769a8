// Small text files of sysfs and configfs, without allocation; every call answers 0 or more, or a negative errno.
#ifndef GW_SYSFS_H
#define GW_SYSFS_H

#include <stdbool.h>
#include <stddef.h>

/// Reads "directory/name" without its newline. Returns the length.
int gw_sysfs_read(const char *directory, const char *name, char *out, size_t size);

int gw_sysfs_write(const char *directory, const char *name, const char *value);

bool gw_sysfs_exists(const char *directory, const char *name);

#endif
