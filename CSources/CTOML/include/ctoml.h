// toml++ behind C: a configuration file as a list of its values.
#ifndef GW_CTOML_H
#define GW_CTOML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gw_toml_type { GW_TOML_STRING, GW_TOML_INTEGER, GW_TOML_NUMBER, GW_TOML_BOOLEAN, GW_TOML_OTHER } gw_toml_type;

/// A value, valid during the visit only.
typedef struct gw_toml_value {
    const char *key; ///< with the tables' names before it: "fleet.server"
    gw_toml_type type;
    const char *text; ///< of a string; NULL otherwise
    int64_t integer;  ///< of an integer or boolean
    double number;    ///< of a number or an integer
    int32_t line;     ///< 1-based
} gw_toml_value;

typedef void gw_toml_visit(void *context, const gw_toml_value *value);

/// Calls `visit` for every value of a TOML 1.0 document, in the order of the keys.
///
/// Shapes    text[length], UTF-8; message[message_size].
/// Returns   0, or the 1-based line of the first error, described in `message`; nothing is visited then.
int32_t gw_toml_read(const char *text, size_t length, gw_toml_visit *visit, void *context, char *message, size_t message_size);

#ifdef __cplusplus
}
#endif
#endif
