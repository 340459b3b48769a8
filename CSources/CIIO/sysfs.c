#include "sysfs.h"
#include "ciio.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int open_attribute(const char *directory, const char *name, int mode) {
    char path[2 * GW_IIO_PATH];
    if ((size_t)snprintf(path, sizeof path, "%s/%s", directory, name) >= sizeof path) { return -ENAMETOOLONG; }
    int file = open(path, mode | O_CLOEXEC);
    return file < 0 ? -errno : file;
}

int gw_sysfs_read(const char *directory, const char *name, char *out, size_t size) {
    out[0] = '\0';
    int file = open_attribute(directory, name, O_RDONLY);
    if (file < 0) { return file; }
    ssize_t length;
    do { length = read(file, out, size - 1); } while (length < 0 && errno == EINTR);
    int error = length < 0 ? -errno : 0;
    close(file);
    if (error) { return error; }
    out[length] = '\0';
    out[strcspn(out, "\n")] = '\0';
    return (int)strlen(out);
}

int gw_sysfs_write(const char *directory, const char *name, const char *value) {
    int file = open_attribute(directory, name, O_WRONLY);
    if (file < 0) { return file; }
    ssize_t written;
    do { written = write(file, value, strlen(value)); } while (written < 0 && errno == EINTR);
    int error = written < 0 ? -errno : 0;
    close(file);
    return error;
}

bool gw_sysfs_exists(const char *directory, const char *name) {
    char path[2 * GW_IIO_PATH];
    return (size_t)snprintf(path, sizeof path, "%s/%s", directory, name) < sizeof path && access(path, F_OK) == 0;
}
