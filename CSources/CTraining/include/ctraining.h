// The trainer's matrix product. Floating point, and the only C room that has it: nothing here runs in the classification loop.
#ifndef GW_CTRAINING_H
#define GW_CTRAINING_H

#include <stdbool.h>
#include <stdint.h>

/// Columns of a matrix are padded to a multiple of this.
enum { GW_MATRIX_PAD = 16 };

/// c = a b, or c += a b.
///
/// Shapes    a[m][k] with element (i, p) at a[i * row_stride + p * column_stride], so that a transposed matrix needs no copy;
///           b[k][n] and c[m][n] with rows of n floats; n is a multiple of GW_MATRIX_PAD.
/// Rounding  each element adds its k products one after the other from zero, in float, without fused multiply-add: every
///           processor gives the same bits.
void gw_matrix_product(
    float *c, const float *a, int64_t row_stride, int64_t column_stride, const float *b, int32_t m, int32_t n, int32_t k, bool add);

#endif
