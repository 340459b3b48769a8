// simdjson behind C: a JSON document as what is in it, in its order.
#ifndef GW_CJSON_H
#define GW_CJSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_json_kind {
    GW_JSON_NULL,
    GW_JSON_BOOLEAN,
    GW_JSON_INTEGER,
    GW_JSON_NUMBER,
    GW_JSON_TEXT,
    GW_JSON_NUMBERS, ///< a list that has numbers alone, one at least
    GW_JSON_LIST,    ///< any other list begins
    GW_JSON_OBJECT,  ///< an object begins
    GW_JSON_END      ///< of the list or object that began last
} gw_json_kind;

/// A value, valid during the visit only.
typedef struct gw_json_value {
    gw_json_kind kind;
    const char *name; ///< of an object's member, UTF-8 of name_length bytes; NULL elsewhere
    size_t name_length;
    int64_t integer;       ///< of an integer or boolean
    double number;         ///< of a number
    const char *text;      ///< of a text, UTF-8; length bytes
    const double *numbers; ///< of a list of numbers; length of them
    size_t length;
} gw_json_value;

typedef void gw_json_visit(void *context, const gw_json_value *value);

/// Calls `visit` for everything in a JSON document (RFC 8259).
///
/// Shapes    text[length], UTF-8.
/// Returns   whether it is one: no more than 1024 levels, numbers within a double, whole numbers below 2^64. Nothing is visited otherwise.
bool gw_json_read(const char *text, size_t length, gw_json_visit *visit, void *context);

#ifdef __cplusplus
}
#endif
#endif
