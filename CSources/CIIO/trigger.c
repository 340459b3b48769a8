#include "context.h"
#include "sysfs.h"
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define DEVICES "/sys/bus/iio/devices"
#define HRTIMERS "/sys/kernel/config/iio/triggers/hrtimer"

// "lis3dh-dev0", "lis3dh-trigger": the name of the chip's own data-ready trigger.
static bool is_own_trigger(const char *trigger, const char *chip, const char *number) {
    size_t length = strlen(chip);
    if (length == 0 || strncmp(trigger, chip, length) != 0) { return false; }
    const char *rest = trigger + length;
    return strcmp(rest, "-trigger") == 0 || (strncmp(rest, "-dev", 4) == 0 && strcmp(rest + 4, number) == 0);
}

// Goes through the triggers until `right` takes one's name; its directory is then in `path`.
typedef bool chooser(const char *name, const void *context);

static bool find_trigger_where(chooser *right, const void *context, char *path, size_t size, char *name, size_t name_size) {
    DIR *directory = opendir(DEVICES);
    if (!directory) { return false; }
    bool found = false;
    for (struct dirent *entry; !found && (entry = readdir(directory));) {
        if (strncmp(entry->d_name, "trigger", 7) != 0) { continue; }
        found = (size_t)snprintf(path, size, DEVICES "/%s", entry->d_name) < size && gw_sysfs_read(path, "name", name, name_size) > 0 &&
                right(name, context);
    }
    closedir(directory);
    return found;
}

typedef struct owner {
    const char *chip, *number;
} owner;

static bool is_own(const char *name, const void *context) {
    const owner *o = context;
    return is_own_trigger(name, o->chip, o->number);
}

static bool is_named(const char *name, const void *context) { return strcmp(name, context) == 0; }

static bool find_own_trigger(const char *chip, const char *number, char *out, size_t size) {
    char path[GW_IIO_PATH];
    return find_trigger_where(is_own, &(owner){chip, number}, path, sizeof path, out, size);
}

static bool find_trigger(const char *name, char *path, size_t size) {
    char found[GW_IIO_TEXT];
    return find_trigger_where(is_named, name, path, size, found, sizeof found);
}

// udev may have to hand the new trigger's attributes to this user's group first.
static void await_permission(const char *trigger) {
    for (int32_t tries = 0; tries < 50; tries++) {
        char path[GW_IIO_PATH + sizeof DEVICES + 32];
        if (find_trigger(trigger, path, sizeof path)) {
            strcat(path, "/sampling_frequency");
            if (access(path, W_OK) == 0) { return; }
        }
        nanosleep(&(struct timespec){.tv_nsec = 20000000}, NULL);
    }
}

// The kernel takes any name without a word, so what it holds afterwards is what counts.
static int attach(const char *device, const char *trigger) {
    char attached[GW_IIO_TEXT];
    int error = gw_sysfs_write(device, "trigger/current_trigger", trigger);
    if (error) { return error; }
    error = gw_sysfs_read(device, "trigger/current_trigger", attached, sizeof attached);
    return error < 0 ? error : strcmp(attached, trigger) == 0 ? 0 : -ENOENT;
}

static const char *number_of(const char *id) { return id + strcspn(id, "0123456789"); }

// Of the trigger that is made here for a device.
static void name_trigger(char name[GW_IIO_TEXT], const char *id) { snprintf(name, GW_IIO_TEXT, "gaitway%.32s", number_of(id)); }

int gw_iio_trigger_setup(gw_iio_context *context, int32_t index) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    if (!context->local) { return 0; }
    char path[GW_IIO_PATH], name[GW_IIO_TEXT];
    const char *id = iio_device_get_id(device), *chip = iio_device_get_name(device);
    const char *number = number_of(id);
    snprintf(path, sizeof path, DEVICES "/%s", id);
    char made[GW_IIO_TEXT];
    name_trigger(made, id);
    int length = gw_sysfs_read(path, "trigger/current_trigger", name, sizeof name);
    // Of a program that was killed: one that runs would have kept this one from claiming the device.
    bool is_left_over = length > 0 && context->device >= 0 && strcmp(name, made) == 0;
    if (is_left_over) { snprintf(context->trigger, sizeof context->trigger, "%s", made); }
    if (length != 0) { return length == -ENOENT || length > 0 ? 0 : length; }

    if (find_own_trigger(chip ? chip : "", number, name, sizeof name) && attach(path, name) == 0) { return gw_iio_reconnect(context); }
    char group[GW_IIO_PATH];
    snprintf(group, sizeof group, HRTIMERS "/%s", made);
    if (mkdir(group, 0755) != 0 && errno != EEXIST) { return errno == ENOENT || errno == ENOTDIR ? -ENOENT : -errno; }
    snprintf(context->trigger, sizeof context->trigger, "%s", made);
    int error = attach(path, made);
    if (error) {
        gw_iio_trigger_remove(context);
        return error;
    }
    await_permission(made);
    return gw_iio_reconnect(context);
}

int gw_iio_trigger_detach(gw_iio_context *context, int32_t index) {
    const struct iio_device *device = gw_iio_device(context, index);
    if (!device) { return -EINVAL; }
    char path[GW_IIO_PATH], name[GW_IIO_TEXT];
    const char *id = iio_device_get_id(device);
    snprintf(path, sizeof path, DEVICES "/%s", id);
    int length = gw_sysfs_read(path, "trigger/current_trigger", name, sizeof name);
    if (length <= 0) { return length == -ENOENT ? 0 : length; }
    int error = gw_sysfs_write(path, "trigger/current_trigger", "\n");
    if (error) { return error; }
    char made[GW_IIO_TEXT];
    name_trigger(made, id);
    bool is_left_over = strcmp(name, made) == 0; // of a program that was killed
    snprintf(is_left_over ? context->trigger : context->detached, GW_IIO_TEXT, "%s", name);
    snprintf(context->detached_from, sizeof context->detached_from, "%s", id);
    return 0;
}

static void give_back(gw_iio_context *context) {
    char path[GW_IIO_PATH];
    snprintf(path, sizeof path, DEVICES "/%s", context->detached_from);
    if (context->detached[0]) { (void)gw_sysfs_write(path, "trigger/current_trigger", context->detached); }
    context->detached[0] = '\0';
}

void gw_iio_trigger_remove(gw_iio_context *context) {
    give_back(context);
    if (!context->trigger[0]) { return; }
    char path[GW_IIO_PATH], attached[GW_IIO_TEXT];
    for (unsigned i = 0; i < iio_context_get_devices_count(context->iio); i++) {
        snprintf(path, sizeof path, DEVICES "/%s", iio_device_get_id(iio_context_get_device(context->iio, i)));
        bool ours =
            gw_sysfs_read(path, "trigger/current_trigger", attached, sizeof attached) > 0 && strcmp(attached, context->trigger) == 0;
        if (ours) { (void)gw_sysfs_write(path, "trigger/current_trigger", "\n"); }
    }
    snprintf(path, sizeof path, HRTIMERS "/%s", context->trigger);
    (void)rmdir(path);
    context->trigger[0] = '\0';
}
