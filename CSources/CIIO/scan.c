#include "ciio.h"

bool gw_scan_type_valid(gw_scan_type type) {
    bool storage = type.storage == 8 || type.storage == 16 || type.storage == 32 || type.storage == 64;
    return storage && type.repeat >= 1 && type.repeat <= 8 && type.bits >= 1 && type.shift >= 0 && type.bits <= type.storage &&
           type.shift <= type.storage - type.bits;
}

int32_t gw_scan_decode(gw_scan_type type, const uint8_t *word) {
    int32_t bytes = type.storage / 8;
    uint64_t value = 0;
    for (int32_t i = 0; i < bytes; i++) { value = value << 8 | word[type.big_endian ? i : bytes - 1 - i]; }
    value >>= type.shift;
    uint64_t mask = type.bits == 64 ? UINT64_MAX : (UINT64_C(1) << type.bits) - 1;
    value &= mask;
    if (type.is_signed) {
        if (value >> (type.bits - 1)) { value |= ~mask; }
        int64_t number = (int64_t)value;
        return (int32_t)(number > INT32_MAX ? INT32_MAX : number < INT32_MIN ? INT32_MIN : number);
    }
    return (int32_t)(value > INT32_MAX ? INT32_MAX : value);
}

int32_t gw_scan_layout(const gw_scan_type *types, int32_t count, int32_t *offsets) {
    int32_t bytes = 0, largest = 1;
    for (int32_t i = 0; i < count; i++) {
        if (!gw_scan_type_valid(types[i])) { return 0; }
        int32_t size = types[i].storage / 8 * types[i].repeat;
        bytes = (bytes + size - 1) / size * size;
        offsets[i] = bytes;
        bytes += size;
        largest = size > largest ? size : largest;
    }
    return (bytes + largest - 1) / largest * largest;
}
