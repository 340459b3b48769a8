// What the ways of capturing share: libiio's "remote", the kernel's buffer, polling.
#ifndef GW_CAPTURE_H
#define GW_CAPTURE_H

#include "context.h"
#include <pthread.h>

typedef struct gw_iio_backend {
    /// As gw_iio_capture_read.
    int (*read)(gw_iio_capture *capture, int32_t most, int32_t *counts, int64_t *times);
    void (*close)(gw_iio_capture *capture);
} gw_iio_backend;

enum { GW_AXES_AND_CLOCK = 4 };

struct gw_iio_capture {
    const gw_iio_backend *backend;
    int32_t block, cancel, gather;
    int64_t period; // ns
    int64_t wakeups;
    bool timestamped;
    bool guesses_period;                   // drivers time a FIFO's samples by its last two interrupts, and the first one has none before
    gw_scan_type types[GW_AXES_AND_CLOCK]; // x, y, z, timestamp
    bool has_clock, steady;                // the scans hold times; of a clock that does not step
    struct iio_channel *channels[GW_AXES_AND_CLOCK];
    char directory[GW_IIO_PATH]; // in sysfs; empty when remote
    char scale_name[GW_IIO_TEXT], scale[GW_IIO_TEXT];
    // The kernel's buffer
    int file;
    int32_t offsets[GW_AXES_AND_CLOCK], scan_bytes;
    uint8_t *scans;
    bool ignores_watermark;
    // Polling
    int axes[3]; // descriptors of the raw attributes; -1 when remote
    int64_t due;
    // libiio's buffer, and the thread that cancels a read of it
    struct iio_buffer *buffer;
    pthread_t canceller;
    int ending[2]; // a pipe whose end ends that thread; -1 without one
};

int gw_iio_start_buffer(gw_iio_capture *capture, gw_iio_context *context, int32_t index, char *refused);
int gw_iio_start_polling(gw_iio_capture *capture, char *refused);
int gw_iio_start_remote(gw_iio_capture *capture, gw_iio_context *context, const struct iio_device *device);

/// CLOCK_MONOTONIC, ns.
int64_t gw_iio_now(void);

/// Sleeps until `file` is readable (-1: no file), `due` has come or the cancel descriptor is readable.
/// Returns 1 when readable, 0 when due, or a negative errno.
int gw_iio_wait(gw_iio_capture *capture, int file, int64_t due);

/// Finds the timestamp's channel and type; has_clock tells whether there is one.
void gw_iio_find_clock(gw_iio_capture *capture, const struct iio_device *device);

/// A timestamp's word, ns.
int64_t gw_iio_timestamp(const gw_iio_capture *capture, const uint8_t *word);

/// Keeps the kernel's times where its clock is steady and they rise (some drivers deliver a constant 0); else puts in times by
/// count, the last of which is now.
void gw_iio_settle_times(gw_iio_capture *capture, int32_t count, int64_t *times);

#endif
