// CIIO's decoding of sensor words: the scan types of spec chips, byte by byte.
#include "check.h"
#include "ciio.h"

static void word(gw_scan_type type, const uint8_t *bytes, int32_t expected, const char *name) {
    CHECK(gw_scan_type_valid(type), "%s", name);
    int32_t got = gw_scan_decode(type, bytes);
    CHECK(got == expected, "%s: %d, not %d", name, got, expected);
}

int main(void) {
    word((gw_scan_type){12, 16, 4, true, true}, (const uint8_t[]){0xff, 0xf0}, -1, "be:s12/16>>4 (mxc4005)");
    word((gw_scan_type){12, 16, 4, true, false}, (const uint8_t[]){0x0f, 0x80}, -2048, "le:s12/16>>4 (lis3dh), low bits set");
    word((gw_scan_type){10, 16, 6, true, false}, (const uint8_t[]){0xc0, 0x7f}, 511, "le:s10/16>>6 (stk8ba50)");
    word((gw_scan_type){10, 16, 0, true, false}, (const uint8_t[]){0x00, 0xfe}, -512, "le:s10/16>>0 (mma7455)");
    word((gw_scan_type){12, 16, 4, false, true}, (const uint8_t[]){0xff, 0xff}, 4095, "be:u12/16>>4 (kxsd9)");
    word((gw_scan_type){16, 32, 0, true, false}, (const uint8_t[]){0x18, 0xfc, 0x34, 0x12}, -1000, "le:s16/32 with the next axis above (HID)");
    word((gw_scan_type){8, 8, 0, true, false}, (const uint8_t[]){0x80}, -128, "s8/8");
    word((gw_scan_type){20, 32, 12, true, true}, (const uint8_t[]){0x80, 0x00, 0x0f, 0xff}, -524288, "be:s20/32>>12 (adxl355)");
    word((gw_scan_type){64, 64, 0, true, false}, (const uint8_t[]){0, 0, 0, 0, 0, 0, 0, 0x80}, INT32_MIN, "s64/64 saturates");
    word((gw_scan_type){32, 32, 0, false, false}, (const uint8_t[]){0xff, 0xff, 0xff, 0xff}, INT32_MAX, "u32/32 saturates");
    const gw_scan_type bad[] = {{0, 16, 0, true, false}, {17, 16, 0, true, false}, {12, 16, 5, true, false}, {12, 24, 0, true, false}, {8, 8, -1, true, false}};
    for (unsigned i = 0; i < sizeof bad / sizeof *bad; i++) { CHECK(!gw_scan_type_valid(bad[i]), "type %u", i); }
    return finish("CIIO");
}
