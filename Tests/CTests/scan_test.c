// CIIO's decoding of sensor words: the scan types of spec chips, byte by byte.
#include "check.h"
#include "ciio.h"

static void word(gw_scan_type type, const uint8_t *bytes, int32_t expected, const char *name) {
    CHECK(gw_scan_type_valid(type), "%s", name);
    int32_t got = gw_scan_decode(type, bytes);
    CHECK(got == expected, "%s: %d, not %d", name, got, expected);
}

static void layout(const gw_scan_type *types, int32_t count, const int32_t *expected, int32_t bytes, const char *name) {
    int32_t offsets[8];
    int32_t got = gw_scan_layout(types, count, offsets);
    CHECK(got == bytes, "%s: %d bytes, not %d", name, got, bytes);
    for (int32_t i = 0; i < count && got > 0; i++) { CHECK(offsets[i] == expected[i], "%s: element %d at %d", name, i, offsets[i]); }
}

static void layouts(void) {
    const gw_scan_type s16 = {16, 16, 0, 1, true, false}, s32 = {32, 32, 0, 1, true, false}, s64 = {64, 64, 0, 1, true, false},
                       bad = {12, 24, 0, 1, true, false};
    const gw_scan_type twice = {16, 16, 0, 2, true, false};
    layout((gw_scan_type[]){s16, s16, s16}, 3, (int32_t[]){0, 2, 4}, 6, "3 x s16");
    layout((gw_scan_type[]){s16, s16, s16, s64}, 4, (int32_t[]){0, 2, 4, 8}, 16, "3 x s16, time");
    layout((gw_scan_type[]){s32, s32, s32, s64}, 4, (int32_t[]){0, 4, 8, 16}, 24, "3 x s32, time");
    layout((gw_scan_type[]){s64, s16, s16, s16}, 4, (int32_t[]){0, 8, 10, 12}, 16, "time, 3 x s16: padded at the end (trap 9)");
    layout((gw_scan_type[]){s16, s32, s16, s32}, 4, (int32_t[]){0, 4, 8, 12}, 16, "mixed");
    layout((gw_scan_type[]){twice, s64}, 2, (int32_t[]){0, 8}, 16, "s16X2, time");
    layout((gw_scan_type[]){s16, bad}, 2, NULL, 0, "a type that cannot be decoded");
}

int main(void) {
    layouts();
    word((gw_scan_type){12, 16, 4, 1, true, true}, (const uint8_t[]){0xff, 0xf0}, -1, "be:s12/16>>4 (mxc4005)");
    word((gw_scan_type){12, 16, 4, 1, true, false}, (const uint8_t[]){0x0f, 0x80}, -2048, "le:s12/16>>4 (lis3dh), low bits set");
    word((gw_scan_type){10, 16, 6, 1, true, false}, (const uint8_t[]){0xc0, 0x7f}, 511, "le:s10/16>>6 (stk8ba50)");
    word((gw_scan_type){10, 16, 0, 1, true, false}, (const uint8_t[]){0x00, 0xfe}, -512, "le:s10/16>>0 (mma7455)");
    word((gw_scan_type){12, 16, 4, 1, false, true}, (const uint8_t[]){0xff, 0xff}, 4095, "be:u12/16>>4 (kxsd9)");
    word((gw_scan_type){16, 32, 0, 1, true, false}, (const uint8_t[]){0x18, 0xfc, 0x34, 0x12}, -1000,
        "le:s16/32 with the next axis above (HID)");
    word((gw_scan_type){8, 8, 0, 1, true, false}, (const uint8_t[]){0x80}, -128, "s8/8");
    word((gw_scan_type){20, 32, 12, 1, true, true}, (const uint8_t[]){0x80, 0x00, 0x0f, 0xff}, -524288, "be:s20/32>>12 (adxl355)");
    word((gw_scan_type){64, 64, 0, 1, true, false}, (const uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0x80}, INT32_MIN, "s64/64 saturates");
    word((gw_scan_type){32, 32, 0, 1, false, false}, (const uint8_t[]){0xff, 0xff, 0xff, 0xff}, INT32_MAX, "u32/32 saturates");
    const gw_scan_type bad[] = {{0, 16, 0, 1, true, false}, {17, 16, 0, 1, true, false}, {12, 16, 5, 1, true, false},
        {12, 24, 0, 1, true, false}, {8, 8, -1, 1, true, false}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) { CHECK(!gw_scan_type_valid(bad[i]), "type %u", i); }
    return finish("CIIO");
}
