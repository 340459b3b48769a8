// Accelerometers of Linux's Industrial I/O, through libiio: what there is, and counts from it.
//
// Functions that can fail answer a negative errno. Numbers that the kernel writes as decimals stay text here; CFixed reads
// them exactly. This is the one room that includes <iio.h>; its handles own what they name and are closed once.
#ifndef GW_CIIO_H
#define GW_CIIO_H

#include <stdbool.h>
#include <stdint.h>

enum { GW_IIO_TEXT = 64, GW_IIO_MATRIX_TEXT = 160 };

typedef struct gw_iio_context gw_iio_context;
typedef struct gw_iio_capture gw_iio_capture;

/// How a sensor word lies in a scan.
/// Source: the kernel's scan_elements/*_type, "[be|le]:[s|u]bits/storagebits[Xrepeat][>>shift]".
typedef struct gw_scan_type {
    int32_t bits;    ///< that count, 1 ... 64
    int32_t storage; ///< that the word occupies: 8, 16, 32 or 64
    int32_t shift;   ///< of the counting bits from the right
    bool is_signed, big_endian;
} gw_scan_type;

/// One word: shifted right, cut to `bits`, sign-extended when signed. Bits above stay out: HID sensors put the next axis there.
/// More than 32 significant bits saturate.
int32_t gw_scan_decode(gw_scan_type type, const uint8_t *word);

/// Whether gw_scan_decode can read it: storage 8...64 in whole powers of two, bits + shift within it.
bool gw_scan_type_valid(gw_scan_type type);

/// An accelerometer with three axes. Texts are empty where the kernel says nothing.
typedef struct gw_iio_accelerometer {
    char id[GW_IIO_TEXT];              ///< "iio:device0"
    char name[GW_IIO_TEXT];            ///< the chip, "lis3dh"
    char label[GW_IIO_TEXT];
    char trigger[GW_IIO_TEXT];         ///< the current trigger's name
    char scale[3][GW_IIO_TEXT];        ///< m/s^2 per count
    char offset[3][GW_IIO_TEXT];       ///< counts
    char rate[GW_IIO_TEXT];            ///< the chip's sampling frequency, Hz
    char trigger_rate[GW_IIO_TEXT];    ///< the trigger's, Hz
    char mount[GW_IIO_MATRIX_TEXT];    ///< "1, 0, 0; 0, 1, 0; 0, 0, 1"
    bool has_buffer;                   ///< the three axes can be captured through a buffer
    gw_scan_type types[3];
} gw_iio_accelerometer;

/// Connects: this machine's sensors when `uri` is NULL, else libiio's "ip:HOST", "usb:", ...
int gw_iio_open(const char *uri, gw_iio_context **out);
void gw_iio_close(gw_iio_context *context);

/// How many devices have in_accel_x, _y and _z.
int32_t gw_iio_count(const gw_iio_context *context);

/// Describes accelerometer `index` (0 ... count-1, in the order of device numbers). -EINVAL when there is none.
int gw_iio_describe(const gw_iio_context *context, int32_t index, gw_iio_accelerometer *out);

/// Asks the trigger (where it has a rate) and the chip for `hertz`; either may refuse. Read the result from gw_iio_describe.
int gw_iio_request_rate(gw_iio_context *context, int32_t index, int32_t hertz);

typedef struct gw_iio_capture_config {
    int32_t block;       ///< samples a read, 1 ... 4096
    int32_t rate;        ///< mHz: the timer's when polled, and for the time-out of a buffered read
    bool polled;         ///< read sysfs attributes on a timer instead of the buffer
} gw_iio_capture_config;

/// Starts capturing accelerometer `index`. -EINVAL without a buffer or trigger, -EBUSY when another program captures from it.
int gw_iio_capture_open(gw_iio_context *context, int32_t index, const gw_iio_capture_config *config, gw_iio_capture **out);
void gw_iio_capture_close(gw_iio_capture *capture);

/// Waits for the next block.
///
/// Units     counts: the chip's own; *time: monotonic ns of the first sample.
/// Shapes    counts[block][3].
/// Returns   how many samples were written, or a negative errno (-ENODEV: unplugged, -ETIMEDOUT: nothing came).
int gw_iio_capture_read(gw_iio_capture *capture, int32_t *counts, int64_t *time);

#endif
