// Steps from acceleration at 50 Hz, wherever on the body the sensor is and whichever way up.
#ifndef GW_STEPS_H
#define GW_STEPS_H

#include "csignal.h"
#include <stddef.h>

enum {
    GW_STEPS_WINDOW = 200,                                                    ///< samples that are looked at together: 4 s
    GW_STEPS_SECOND = 50,                                                     ///< samples between two looks
    GW_STEPS_ENOUGH = 3,                                                      ///< looks in a row that make a gait
    GW_STEPS_PARTS = GW_STEPS_WINDOW / GW_STEPS_SECOND + GW_STEPS_ENOUGH - 1, ///< seconds that the first of them saw, and later ones
    GW_STEPS_NARROW = 3,                                                      ///< of the two averages that smooth
    GW_STEPS_WIDE = 60,                                                       ///< of the average that is taken away
    GW_STEPS_LEAST = 38,                                                      ///< of the samples that a stride (two steps) lasts: 0.76 s
    GW_STEPS_MOST = 84,                                                       ///< 1.68 s
    GW_STEPS_INSTANTS = 32,                                                   ///< of a block: more than one look finds
};

/// Sums of the latest values.
typedef struct gw_steps_average {
    int32_t values[GW_STEPS_WIDE];
    int32_t length, next;
    int64_t sum;
} gw_steps_average;

/// Counts steps as they come. A sensor on one leg shows a stride where one in the middle shows two steps: looked for is what repeats with
/// a stride, and by half with a step (normalised autocorrelation of the magnitude, about its mean). A second counts once three looks in a
/// row found about the same stride, where the sensor moved during it.
typedef struct gw_steps {
    gw_steps_average smooth[2], slow;
    int16_t history[GW_STEPS_WINDOW]; ///< a ring: magnitude less its average, Q3.12 g
    int64_t energy[GW_STEPS_PARTS];   ///< of each of the latest seconds, the oldest first
    bool is_counted[GW_STEPS_PARTS];
    int32_t next, filled, in_second;     ///< in the ring; up to the window; since the last look
    int32_t found, last;                 ///< looks in a row that found a gait; the stride of the latest, Q8
    int32_t stride;                      ///< samples of a stride, Q8; 0 while there is no gait
    int64_t total;                       ///< steps, Q16
    int64_t squares;                     ///< sum of the history's squares, of every sample so far
    int64_t samples;                     ///< so far
    int64_t instants[GW_STEPS_INSTANTS]; ///< samples at which steps were, as the latest gw_steps_push found them, in order
    int32_t instant_count;
    bool started;
} gw_steps;

void gw_steps_init(gw_steps *steps);

/// Takes samples.
///
/// Units     samples: Q3.12 g at 50 Hz.
/// Shapes    samples[count][3].
/// Overflow  squares of 200 numbers of 11 bits fit int32; all other sums are int64.
void gw_steps_push(gw_steps *steps, const int16_t *samples, int32_t count);

/// What comes next does not follow what came: steps and samples stay counted.
void gw_steps_interrupt(gw_steps *steps);

/// Whole steps so far.
int64_t gw_steps_count(const gw_steps *steps);

/// Steps a minute in Q8; 0 while there is no gait.
int32_t gw_steps_cadence(const gw_steps *steps);

#endif
