// What is found in every sample, beside the windows: steps and falls. At any rate that the resampler takes.
#ifndef GW_MOVEMENT_H
#define GW_MOVEMENT_H

#include "gw_falls.h"
#include "gw_steps.h"

typedef struct gw_movement gw_movement;

/// Bytes that it takes.
size_t gw_movement_size(void);

/// Starts in `memory`, of 8-byte alignment and at least gw_movement_size() bytes.
///
/// Units     rate: mHz.
/// Shapes    model: must outlive this; NULL: no falls are looked for.
/// Errors    GW_EINVAL for a rate outside GW_RATE_MIN ... GW_RATE_MAX or a model that cannot be used; GW_ENOMEM.
GW_MUST_CHECK gw_status gw_movement_init(void *memory, size_t size, int32_t rate, const gw_fall_model *model, gw_movement **out);

/// Takes samples[count][3], Q3.12 g.
void gw_movement_push(gw_movement *movement, const int16_t *samples, int32_t count);

/// The same of samples that are at 50 Hz already, whatever rate it was started with.
void gw_movement_push_resampled(gw_movement *movement, const int16_t *samples, int32_t count);

/// What comes next does not follow what came: steps and samples stay counted.
void gw_movement_interrupt(gw_movement *movement);

/// What was counted up to a sample.
typedef struct gw_moved {
    int64_t steps;   ///< whole ones
    int64_t squares; ///< of how far each sample's length was from its slow mean, (1/4096 g)^2, summed
    int64_t samples; ///< at 50 Hz
    int32_t cadence; ///< steps a minute, Q8; 0 while there is no gait
} gw_moved;

/// All of it so far.
gw_moved gw_movement_so_far(const gw_movement *movement);

const gw_steps *gw_movement_steps(const gw_movement *movement);

gw_falls *gw_movement_falls(gw_movement *movement);

#endif
