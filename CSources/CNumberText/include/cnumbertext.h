// The shortest text of a double: the C++ library's, in Swift's spelling.
#ifndef GW_CNUMBERTEXT_H
#define GW_CNUMBERTEXT_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// Writes what Swift's Double.description gives: the shortest digits that read back as `value`, "1.0", "1e-05", "-0.0", "nan", "-inf".
///
/// Shapes    text[GW_DOUBLE_TEXT_MAX]; not terminated.
/// Returns   how many bytes were written.
int32_t gw_double_text(double value, char *text);

enum { GW_DOUBLE_TEXT_MAX = 32 };

/// The same of units / 4096, without floating point.
int32_t gw_q12_text(int16_t units, char *text);

#ifdef __cplusplus
}
#endif
#endif
