// Which event of a driver tells movement: the names that real drivers give them.
#include "../../CSources/CIIO/motion.h"
#include "check.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// The events of a device, separated by spaces; the one that is found.
static void find(const char *files, const char *expected, const char *driver) {
    char directory[] = "/tmp/gaitway-motion-XXXXXX", path[256], name[128], found[64];
    if (!mkdtemp(directory)) { abort(); }
    snprintf(path, sizeof path, "%s/events", directory);
    if (mkdir(path, 0700)) { abort(); }
    int read = 0;
    for (const char *at = files; sscanf(at, "%127s%n", name, &read) == 1; at += read) {
        snprintf(path, sizeof path, "%s/events/%s", directory, name);
        FILE *file = fopen(path, "w");
        if (!file) { abort(); }
        fclose(file);
    }
    gw_iio_motion_find(directory, found, sizeof found);
    CHECK(strcmp(found, expected) == 0, "%s: \"%s\", not \"%s\"", driver, found, expected);
    read = 0;
    for (const char *at = files; sscanf(at, "%127s%n", name, &read) == 1; at += read) {
        snprintf(path, sizeof path, "%s/events/%s", directory, name);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/events", directory);
    rmdir(path);
    rmdir(directory);
}

int main(void) {
    find("in_accel_x_roc_rising_en in_accel_y_roc_rising_en in_accel_z_roc_rising_en in_accel_roc_rising_period in_accel_roc_rising_value",
        "in_accel_x_roc_rising", "bmc150");
    find("in_accel_x_thresh_either_en in_accel_x_thresh_either_value in_accel_x&y&z_mag_adaptive_rising_en in_accel_y_thresh_either_en",
        "in_accel_x&y&z_mag_adaptive_rising", "thresholds beside a movement");
    find("in_accel_x_thresh_rising_en in_accel_x_thresh_falling_en", "in_accel_x_thresh_rising", "st_lsm6dsx");
    find("in_accel_x_mag_rising_en in_accel_x&y&z_mag_falling_en", "in_accel_x_mag_rising", "fxls8962af");
    find("in_accel_x&y&z_mag_falling_en in_accel_x_thresh_falling_en", "", "free fall is no movement");
    find("in_steps_change_en in_proximity0_thresh_rising_en", "", "other channels");
    find("in_accel_en _en in_accel_x_roc_rising", "", "names cut short");
    return finish("motion");
}
