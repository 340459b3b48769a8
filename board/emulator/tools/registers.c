// Puts values into the registers of an i2c-stub chip, below the driver that owns it.
//   registers BUS ADDRESS set REGISTER=VALUE...
//   registers BUS ADDRESS hold REGISTER=VALUE SECONDS      again and again: a bit that the real chip clears by itself
//   registers BUS ADDRESS play FILE.csv FORMAT REGISTER [SECOND_REGISTER]
// FORMAT: le16:SHIFT, be16:SHIFT or s8. play writes a row "x,y,z" every 20 ms, in one block, so that no read sees half of it;
// rows whose time went by while the machine slept are left out. From the start of an hrtimer trigger rows are written half a period
// after it fires: at the same moment it would depend on microseconds which row a sample is.
#include <fcntl.h>
#include <linux/i2c-dev.h>
#include <linux/i2c.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>

enum { PERIOD_NS = 20000000, SECOND_NS = 1000000000 };

static int bus;

static int transfer(uint8_t reg, int size, union i2c_smbus_data *data) {
    struct i2c_smbus_ioctl_data call = {.read_write = I2C_SMBUS_WRITE, .command = reg, .size = (uint32_t)size, .data = data};
    return ioctl(bus, I2C_SMBUS, &call);
}

static int set(const char *assignment) {
    char *end;
    unsigned long reg = strtoul(assignment, &end, 0);
    union i2c_smbus_data data = {.byte = (uint8_t)strtoul(end + 1, NULL, 0)};
    return transfer((uint8_t)reg, I2C_SMBUS_BYTE_DATA, &data);
}

static int write_block(long reg, const uint8_t *bytes, int count) {
    union i2c_smbus_data data;
    data.block[0] = (uint8_t)count;
    memcpy(data.block + 1, bytes, (size_t)count);
    return transfer((uint8_t)reg, I2C_SMBUS_I2C_BLOCK_DATA, &data);
}

static int encode(const int *sample, const char *format, uint8_t *bytes) {
    int shift = strchr(format, ':') ? atoi(strchr(format, ':') + 1) : 0, count = 0;
    for (int axis = 0; axis < 3; axis++) {
        uint16_t word = (uint16_t)(sample[axis] * (1 << shift));
        uint8_t low = (uint8_t)word, high = (uint8_t)(word >> 8);
        if (format[0] == 's') {
            bytes[count++] = low;
        } else {
            bytes[count++] = format[0] == 'l' ? low : high;
            bytes[count++] = format[0] == 'l' ? high : low;
        }
    }
    return count;
}

static int64_t nanoseconds(struct timespec t) { return (int64_t)t.tv_sec * SECOND_NS + t.tv_nsec; }

static int64_t now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return nanoseconds(t);
}

// The next moment at which an hrtimer trigger fires, in ns; 0 while none runs.
static int64_t trigger_due(void) {
    FILE *timers = fopen("/proc/timer_list", "r");
    if (!timers) {
        perror("/proc/timer_list");
        return 0;
    }
    char line[256];
    long long due = 0;
    while (due == 0 && fgets(line, sizeof line, timers)) {
        if (!strstr(line, "iio_hrtimer_trig_handler") || !fgets(line, sizeof line, timers)) { continue; }
        if (sscanf(line, " # expires at %lld", &due) != 1) { fprintf(stderr, "registers: no time in /proc/timer_list's line %s", line); }
    }
    fclose(timers);
    return due;
}

static int play(const char *path, const char *format, long reg, long second) {
    FILE *file = fopen(path, "r");
    if (!file) {
        perror(path);
        return 1;
    }
    // A chip measures on time, whatever else the processor does: late rows would be read twice and left out.
    if (sched_setscheduler(0, SCHED_FIFO, &(struct sched_param){.sched_priority = 60}) < 0) { perror("real-time priority"); }
    int64_t due = now(), trigger = 0;
    char line[128];
    for (int sample[3]; fgets(line, sizeof line, file); due += PERIOD_NS) {
        struct timespec until = {.tv_sec = due / SECOND_NS, .tv_nsec = due % SECOND_NS};
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL);
        if (now() - due > PERIOD_NS || sscanf(line, "%d,%d,%d", sample, sample + 1, sample + 2) != 3) { continue; }
        uint8_t bytes[6];
        int count = encode(sample, format, bytes);
        if (write_block(reg, bytes, count) < 0 || (second >= 0 && write_block(second, bytes, count) < 0)) {
            perror("block write");
            return 1;
        }
        if (trigger == 0 && (trigger = trigger_due()) != 0) { due = trigger - PERIOD_NS / 2; }
    }
    return 0;
}

static int hold(const char *assignment, double seconds) {
    int64_t end = now() + (int64_t)(seconds * SECOND_NS);
    while (now() < end) { (void)set(assignment); } // the driver may hold the bus
    return 0;
}

int main(int count, char **words) {
    if (count < 5) { return 64; }
    char path[32];
    snprintf(path, sizeof path, "/dev/i2c-%s", words[1]);
    bus = open(path, O_RDWR);
    if (bus < 0 || ioctl(bus, I2C_SLAVE_FORCE, strtol(words[2], NULL, 0)) < 0) { // forced: the driver owns the address
        perror(path);
        return 1;
    }
    if (strcmp(words[3], "play") == 0 && count >= 7) {
        return play(words[4], words[5], strtol(words[6], NULL, 0), count > 7 ? strtol(words[7], NULL, 0) : -1);
    }
    if (strcmp(words[3], "hold") == 0 && count == 6) { return hold(words[4], atof(words[5])); }
    if (strcmp(words[3], "set") != 0) { return 64; }
    for (int i = 4; i < count; i++) {
        if (set(words[i]) < 0) {
            perror(words[i]);
            return 1;
        }
    }
    return 0;
}
