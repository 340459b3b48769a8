// Made by butterworth.py with scipy 1.17.1; do not edit.
// Butterworth low-pass, order 10, 20 Hz at 50 Hz: {g, a1, a2} in Q1.30; L1 norm so far.
static const gw_section noise_sections[5] = {
    {137839473, 1099207403, 284953247}, // 0.322
    {1073741824, 1140203057, 335626663}, // 0.552
    {1073741824, 1227265970, 443242341}, // 0.961
    {1073741824, 1371395388, 621396099}, // 1.621
    {1073741824, 1591053593, 892908573}, // 3.096
};
// Butterworth low-pass, order 3, 0.3 Hz at 50 Hz: {g, a1, a2} in Q1.30; L1 norm so far.
static const gw_section gravity_sections[2] = {
    {19867418, -1034006989, 0}, // 1.000
    {374406, -2106265045, 1034020844}, // 1.198
};
