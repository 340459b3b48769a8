// What is known of a blow a second and a half later.
#ifndef GW_FALL_FEATURES_H
#define GW_FALL_FEATURES_H

#include "gw_falls.h"

enum { GW_FALLS_SEEN = GW_FALLS_BEFORE + 1 + GW_FALLS_AFTER };

/// The samples around a blow, which is number GW_FALLS_BEFORE.
typedef struct fall_window {
    int16_t samples[GW_FALLS_SEEN][GW_AXES]; ///< Q3.12 g
    int32_t lengths[GW_FALLS_SEEN];          ///< Q3.12 g
    int32_t distances[GW_FALLS_SEEN];        ///< of the length from 1 g
    int32_t changes[GW_FALLS_SEEN];          ///< length of the difference from the sample before
} fall_window;

/// Fills in all but the samples.
void gw_fall_measure(fall_window *window);

/// Of a window that was measured.
void gw_fall_features(const fall_window *window, int16_t features[GW_FALLS_FEATURES]);

/// Sum of the samples 2.5 to 0.5 s before the blow.
void gw_fall_before(const fall_window *window, int32_t up[GW_AXES]);

/// Cosine, Q3.12.
int32_t gw_fall_cosine(const int32_t a[GW_AXES], const int32_t b[GW_AXES]);

#endif
