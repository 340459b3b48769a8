// Which of a device's events tells movement.
#include "motion.h"
#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

// What drivers call movement, the surest first: a change between samples, a difference to how it lay, one without gravity; last the
// wake-up of chips whose drivers call it a threshold. Magnitudes that fall are free fall.
static const char *const kinds[] = {
    "_roc_rising", "_roc_either", "_mag_adaptive_rising", "_mag_referenced_rising", "_mag_rising", "_thresh_either", "_thresh_rising"};

static int32_t rank(const char *event) {
    for (int32_t i = 0; i < (int32_t)(sizeof kinds / sizeof *kinds); i++) {
        size_t length = strlen(event), end = strlen(kinds[i]);
        if (length > end && strcmp(event + length - end, kinds[i]) == 0) { return i; }
    }
    return INT32_MAX;
}

// "in_accel_x_roc_rising_en" to "in_accel_x_roc_rising".
static bool event_of(const char *file, char *event, size_t size) {
    size_t length = strlen(file);
    if (strncmp(file, "in_accel", 8) != 0 || length < 12 || length - 3 >= size || strcmp(file + length - 3, "_en") != 0) { return false; }
    snprintf(event, size, "%.*s", (int)(length - 3), file);
    return true;
}

void gw_iio_motion_find(const char *directory, char *out, size_t size) {
    char path[GW_IIO_PATH + 8], event[GW_IIO_TEXT];
    out[0] = '\0';
    snprintf(path, sizeof path, "%s/events", directory);
    DIR *events = opendir(path);
    if (!events) { return; }
    for (struct dirent *entry; (entry = readdir(events));) {
        if (!event_of(entry->d_name, event, sizeof event)) { continue; }
        const int32_t better = rank(event), best = out[0] ? rank(out) : INT32_MAX;
        if (better < best || (better == best && better < INT32_MAX && strcmp(event, out) < 0)) { snprintf(out, size, "%s", event); }
    }
    closedir(events);
}
