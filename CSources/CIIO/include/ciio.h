// Accelerometers of Linux's Industrial I/O, through libiio: what there is, and counts from it.
//
// Functions that can fail answer a negative errno. Numbers that the kernel writes as decimals stay text here; CFixed reads
// them exactly. This is the one room that includes <iio.h>; its handles own what they name and are closed once.
#ifndef GW_CIIO_H
#define GW_CIIO_H

#include <stdbool.h>
#include <stdint.h>

enum { GW_IIO_TEXT = 64, GW_IIO_MATRIX_TEXT = 160, GW_IIO_PATH = 256 };

typedef struct gw_iio_context gw_iio_context;
typedef struct gw_iio_capture gw_iio_capture;

/// How a sensor word lies in a scan.
/// Source: the kernel's scan_elements/*_type, "[be|le]:[s|u]bits/storagebits[Xrepeat][>>shift]".
typedef struct gw_scan_type {
    int32_t bits;    ///< that count, 1 ... 64
    int32_t storage; ///< that the word occupies: 8, 16, 32 or 64
    int32_t shift;   ///< of the counting bits from the right
    int32_t repeat;  ///< words in a row, of which the first is read; 1 when the text says nothing
    bool is_signed, big_endian;
} gw_scan_type;

/// Whether gw_scan_decode can read it: storage 8...64 in whole powers of two, bits + shift within it.
bool gw_scan_type_valid(gw_scan_type type);

/// One word: shifted right, cut to `bits`, sign-extended when signed. Bits above stay out: HID sensors put the next axis there.
/// More than 32 significant bits saturate.
int32_t gw_scan_decode(gw_scan_type type, const uint8_t *word);

/// Where each of `count` elements begins in a scan, in the order of their index: each aligned to its own size.
///
/// Returns   bytes of a whole scan, padded to its largest element (libiio before 0.25 forgets that); 0 when a type is not valid.
/// Source    the kernel's iio_compute_scan_bytes.
int32_t gw_scan_layout(const gw_scan_type *types, int32_t count, int32_t *offsets);

/// An accelerometer with three axes. Texts are empty where the kernel says nothing.
typedef struct gw_iio_accelerometer {
    char id[GW_IIO_TEXT];   ///< "iio:device0"
    char name[GW_IIO_TEXT]; ///< the chip, "lis3dh"
    char label[GW_IIO_TEXT];
    char trigger[GW_IIO_TEXT];      ///< the current trigger's name
    char scale[3][GW_IIO_TEXT];     ///< m/s^2 per count
    char scales[GW_IIO_PATH];       ///< those that it can have, as "0.0096 0.0192"; empty where it has but one
    char offset[3][GW_IIO_TEXT];    ///< counts
    char rate[GW_IIO_TEXT];         ///< the chip's sampling frequency, Hz
    char rates[GW_IIO_PATH];        ///< those that it can have: "12.5 25 50", or a range "[min step max]"
    char trigger_rate[GW_IIO_TEXT]; ///< the trigger's, Hz
    char mount[GW_IIO_MATRIX_TEXT]; ///< "1, 0, 0; 0, 1, 0; 0, 0, 1"
    char parent[GW_IIO_PATH];       ///< where the chip sits: the last parts of its path in /sys/devices; empty when remote
    bool has_buffer;                ///< the three axes can be captured through a buffer
    bool undecodable;               ///< they would be, were their types understood
    bool needs_trigger;             ///< the buffer wants one, or fills from the chip's FIFO without one
    int32_t fifo;                   ///< samples that the chip keeps itself, up to which its driver can wait; 0 without that
    char motion[GW_IIO_TEXT];       ///< the driver's event for movement, "in_accel_x_roc_rising"; empty without one
    gw_scan_type types[3];
} gw_iio_accelerometer;

/// Connects: this machine's sensors when `uri` is NULL, else libiio's "ip:HOST", "usb:", ...
int gw_iio_open(const char *uri, gw_iio_context **out);
void gw_iio_close(gw_iio_context *context);

/// How many devices have in_accel_x, _y and _z.
int32_t gw_iio_count(const gw_iio_context *context);

/// Describes accelerometer `index` (0 ... count-1, in the order of device numbers). -EINVAL when there is none.
int gw_iio_describe(const gw_iio_context *context, int32_t index, gw_iio_accelerometer *out);

/// Takes a local accelerometer with a buffer for this program: its device file can be open once. Whoever could not claim it must leave
/// trigger and rates alone, since another program captures by them. gw_iio_close gives it back.
///
/// Errors    -EBUSY when another program captures from it, -EACCES, -ENOENT; `refused` (as in gw_iio_capture_open) then names the file.
int gw_iio_claim(gw_iio_context *context, int32_t index, char *refused);

/// Gives a local accelerometer without a trigger one: its own where it has one, else an hrtimer made through configfs, which
/// gw_iio_close removes again; indices may have changed afterwards. 0 also when it already has or needs none; -ENOENT when this
/// kernel offers no trigger.
int gw_iio_trigger_setup(gw_iio_context *context, int32_t index);

/// Takes the trigger away from a local accelerometer that fills its buffer from a FIFO: the kernel would go by the trigger. One that
/// this program did not make is there again after gw_iio_close.
int gw_iio_trigger_detach(gw_iio_context *context, int32_t index);

/// Asks the trigger (where it has a rate) for `trigger_rate` and the chip for `chip_rate`, both text in Hz; either may refuse.
/// Read the result from gw_iio_describe.
int gw_iio_request_rate(gw_iio_context *context, int32_t index, const char *trigger_rate, const char *chip_rate);

/// Asks the chip for a scale, m/s^2 per count as one of its `scales` is written. Read the result from gw_iio_describe.
int gw_iio_request_scale(gw_iio_context *context, int32_t index, const char *scale);

typedef struct gw_iio_capture_config {
    int32_t block;  ///< samples a read, 1 ... 4096
    int32_t rate;   ///< mHz: the timer's when polled, and for time-outs of a buffered read
    bool polled;    ///< read sysfs attributes on a timer instead of the buffer
    bool from_fifo; ///< the buffer fills from the chip's FIFO, no trigger is attached
    int32_t gather; ///< blocks that gw_iio_capture_gather may let come together, 0 ... 64: the kernel keeps so many more
    int cancel;     ///< a descriptor that ends every read as soon as it is readable; -1 for none
} gw_iio_capture_config;

/// Starts capturing accelerometer `index`: scan elements, a watermark of one block, monotonic timestamps.
///
/// Errors    -EINVAL without a buffer or trigger, -EBUSY when another program captures from it, -EACCES; `refused` (of
///           GW_IIO_PATH bytes, may be NULL) then names the file that refused, or is empty.
int gw_iio_capture_open(gw_iio_context *context, int32_t index, const gw_iio_capture_config *config, char *refused, gw_iio_capture **out);
void gw_iio_capture_close(gw_iio_capture *capture);

/// Waits for the next block; nothing is allocated.
///
/// What `most` (1 ... block) leaves of it stays in the kernel's buffer, and the next block is there so much earlier, unless a chip's FIFO
/// brings many samples at once. Another machine's sensor gives whole blocks.
///
/// Units     counts: the chip's own; times: ns of a clock that does not step, from the kernel where it gives them.
/// Shapes    counts[block][3], times[block].
/// Returns   how many samples were written (fewer than `most` when the sensor stopped in it), or a negative errno: -ENODEV
///           unplugged, -ETIMEDOUT nothing came for the time of two blocks, -ECANCELED the cancel descriptor is readable.
int gw_iio_capture_read(gw_iio_capture *capture, int32_t most, int32_t *counts, int64_t *times);

/// Sleeps until `blocks` more blocks should be in the kernel's buffer, which the next reads then find there: one wake-up for all. A block
/// that is there already (a sample, where the driver ignores the watermark) comes first, so that what sleeps leave in the buffer does not
/// grow.
///
/// Units     attention: a descriptor that ends the sleep; -1 for none.
/// Returns   how many blocks to read, 0 for attention, or -ECANCELED.
int gw_iio_capture_gather(gw_iio_capture *capture, int32_t blocks, int attention);

/// How often the reading thread was woken.
int64_t gw_iio_capture_wakeups(const gw_iio_capture *capture);

/// Whether the latest times are the kernel's own.
bool gw_iio_capture_timestamped(const gw_iio_capture *capture);

/// Whether the scale is not what it was at the start: the kernel lets anybody change it. Reads a file; false when remote.
bool gw_iio_capture_scale_changed(const gw_iio_capture *capture);

/// The descriptor of a claimed accelerometer's movement events, which is readable when there was one.
typedef struct gw_iio_motion gw_iio_motion;

/// Switches the driver's events for movement on (see `motion` of gw_iio_accelerometer), by the threshold that the driver has.
///
/// Errors    -ENOENT without such an event, -EBUSY when another program has the events, or what the driver says.
int gw_iio_motion_open(gw_iio_context *context, int32_t index, gw_iio_motion **out);
/// Switches them off again.
void gw_iio_motion_close(gw_iio_motion *motion);

/// Waits for movement; events that came before count.
///
/// Units     timeout: ms. cancel: as in gw_iio_capture_config. attention: a descriptor that ends the wait too; -1 for none.
/// Returns   1 when something moved, 0 after the time, or a negative errno: -ENODEV unplugged, -ECANCELED, -EAGAIN for attention.
int gw_iio_motion_wait(gw_iio_motion *motion, int32_t timeout, int cancel, int attention);

#endif
