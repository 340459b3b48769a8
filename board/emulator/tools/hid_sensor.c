// A HID accelerometer through /dev/uhid: hid_sensor FILE.csv [16|32]
//
// The kernel's hid-sensor-hub and hid-sensor-accel-3d make an IIO device of it, with a trigger, buffer and timestamps of its own.
// Every row "x,y,z" (1 LSB = 0.001 m/s^2) becomes one report, 50 a second; its end, or killing this program, unplugs the sensor.
#include <fcntl.h>
#include <linux/uhid.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

enum { PERIOD_NS = 20000000, USAGE_X = 0x53 };

// An input field: usage 0x0453...55, -32767...32767 as 32 bits, one field of `bits`, unit m/s^2, exponent -3, data variable.
#define AXIS(usage) 0x0a, usage, 0x04, 0x17, 0x01, 0x80, 0xff, 0xff, 0x26, 0xff, 0x7f, 0x75, 0x10, 0x95, 0x01, 0x66, 0xe0, 0x11, 0x55, 0x0d, 0x81, 0x02

static uint8_t descriptor[] = {
    0x05, 0x20, 0x09, 0x73, 0xa1, 0x00, 0x85, 0x01, // sensor page, 3D accelerometer, physical collection, report 1
    // Feature: reporting state, six named values
    0x0a, 0x16, 0x03, 0x15, 0x00, 0x25, 0x05, 0x75, 0x08, 0x95, 0x01, 0xa1, 0x02,
    0x0a, 0x40, 0x08, 0x0a, 0x41, 0x08, 0x0a, 0x42, 0x08, 0x0a, 0x43, 0x08, 0x0a, 0x44, 0x08, 0x0a, 0x45, 0x08, 0xb1, 0x00, 0xc0,
    // Feature: power state, six named values
    0x0a, 0x19, 0x03, 0x15, 0x00, 0x25, 0x05, 0x75, 0x08, 0x95, 0x01, 0xa1, 0x02,
    0x0a, 0x50, 0x08, 0x0a, 0x51, 0x08, 0x0a, 0x52, 0x08, 0x0a, 0x53, 0x08, 0x0a, 0x54, 0x08, 0x0a, 0x55, 0x08, 0xb1, 0x00, 0xc0,
    // Feature: report interval in ms, 32 bits
    0x0a, 0x0e, 0x03, 0x15, 0x00, 0x27, 0xff, 0xff, 0xff, 0x7f, 0x75, 0x20, 0x95, 0x01, 0x55, 0x00, 0xb1, 0x02,
    // Feature: sensitivity, 16 bits
    0x0a, 0x52, 0x14, 0x15, 0x00, 0x26, 0xff, 0x7f, 0x75, 0x10, 0x95, 0x01, 0x55, 0x0e, 0xb1, 0x02,
    AXIS(USAGE_X), AXIS(USAGE_X + 1), AXIS(USAGE_X + 2), 0xc0,
};
static uint8_t features[] = {1, 1, 6, 20, 0, 0, 0, 1, 0}; // report 1, reporting, power, interval (4), sensitivity (2)
static uint8_t report[1 + 12] = {1};
static uint16_t report_size;

static int put(int device, const struct uhid_event *event) { return write(device, event, sizeof *event) == sizeof *event ? 0 : -1; }

static void widen(void) {
    for (size_t i = 0; i + 5 < sizeof descriptor; i++) {
        if (descriptor[i] == 0x75 && descriptor[i + 1] == 0x10 && descriptor[i + 4] == 0x66) { descriptor[i + 1] = 0x20; }
    }
}

static int create(int device) {
    static struct uhid_event event = {.type = UHID_CREATE2};
    struct uhid_create2_req *request = &event.u.create2;
    strcpy((char *)request->name, "accelerometer");
    request->rd_size = sizeof descriptor;
    memcpy(request->rd_data, descriptor, sizeof descriptor);
    request->bus = 0x03;
    request->vendor = 0x1209;
    request->product = 0xacc3;
    return put(device, &event);
}

static int answer(int device) {
    static struct uhid_event event, reply;
    if (read(device, &event, sizeof event) <= 0) { return -1; }
    memset(&reply, 0, sizeof reply);
    if (event.type == UHID_GET_REPORT) {
        int feature = event.u.get_report.rtype == UHID_FEATURE_REPORT;
        reply.type = UHID_GET_REPORT_REPLY;
        reply.u.get_report_reply.id = event.u.get_report.id;
        reply.u.get_report_reply.size = feature ? sizeof features : report_size;
        memcpy(reply.u.get_report_reply.data, feature ? features : report, reply.u.get_report_reply.size);
        return put(device, &reply);
    }
    if (event.type == UHID_SET_REPORT) {
        size_t size = event.u.set_report.size < sizeof features ? event.u.set_report.size : sizeof features;
        if (event.u.set_report.rtype == UHID_FEATURE_REPORT) { memcpy(features, event.u.set_report.data, size); }
        reply.type = UHID_SET_REPORT_REPLY;
        reply.u.set_report_reply.id = event.u.set_report.id;
        return put(device, &reply);
    }
    return 0;
}

// Returns 1 at the end of the file.
static int send_row(int device, FILE *file, int bits) {
    char line[128];
    int sample[3];
    if (!fgets(line, sizeof line, file) || sscanf(line, "%d,%d,%d", sample, sample + 1, sample + 2) != 3) { return 1; }
    for (int axis = 0; axis < 3; axis++) { // little-endian, as this processor
        if (bits == 32) {
            memcpy(report + 1 + 4 * axis, &sample[axis], 4);
        } else {
            int16_t word = (int16_t)sample[axis];
            memcpy(report + 1 + 2 * axis, &word, 2);
        }
    }
    static struct uhid_event event = {.type = UHID_INPUT2};
    event.u.input2.size = report_size;
    memcpy(event.u.input2.data, report, report_size);
    return put(device, &event) < 0;
}

int main(int count, char **words) {
    if (count < 2) { return 64; }
    FILE *file = fopen(words[1], "r");
    int bits = count > 2 ? atoi(words[2]) : 16, device = open("/dev/uhid", O_RDWR | O_CLOEXEC), timer = timerfd_create(CLOCK_MONOTONIC, 0);
    if (!file || device < 0) {
        perror(file ? "/dev/uhid" : words[1]);
        return 1;
    }
    if (bits == 32) { widen(); }
    report_size = (uint16_t)(1 + 3 * bits / 8);
    struct itimerspec pace = {{0, PERIOD_NS}, {0, PERIOD_NS}};
    if (create(device) < 0 || timerfd_settime(timer, 0, &pace, NULL) < 0) { return 1; }
    for (;;) {
        struct pollfd files[2] = {{device, POLLIN, 0}, {timer, POLLIN, 0}};
        if (poll(files, 2, -1) < 0) { return 1; }
        if ((files[0].revents & POLLIN) && answer(device) < 0) { return 1; }
        uint64_t due = 0;
        if ((files[1].revents & POLLIN) && read(timer, &due, sizeof due) != sizeof due) { return 1; }
        for (; due > 0; due--) {
            if (send_row(device, file, bits)) { return 0; }
        }
    }
}
