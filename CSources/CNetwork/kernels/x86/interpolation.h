// gw_sigmoid_interpolated and gw_tanh_interpolated on vectors of int32, the same steps as CFixed's. A kernel defines, before it includes
// this: TARGET (an attribute), VECTOR, LANES (int32 of a vector) and
//   vset(n)  vadd  vsub  vand  vmin  vabs
//   vtimes(a, b)                    the product where both are within int16 and b is not negative
//   vleft(v, bits)  vright(v, bits)  vright_unsigned(v, bits)      bits are a constant
//   vdivided(v, bits)               to the right, by an __m128i
//   vwhere_less(a, b, x, y)         x where a < b, y elsewhere
//   ventries(place)                 entries `place` (0 ... 254) of the table and the next ones, in the lower and upper halves of lanes
//   vfrom(input)  vto(output, v)    int16 in memory

enum { LAST_ENTRY = 255 };

// What lies between two entries of the table, `bits` fraction bits in x and in the result; x >= 0.
TARGET static inline VECTOR between(VECTOR x, int32_t bits, int32_t largest) {
    const VECTOR entry = vright_unsigned(x, bits), both = ventries(vmin(entry, vset(LAST_ENTRY - 1)));
    const VECTOR low = vand(both, vset(0xffff)), difference = vsub(vright_unsigned(both, 16), low);
    const VECTOR drawn = vadd(vleft(low, bits), vtimes(difference, vand(x, vset((1 << bits) - 1))));
    return vwhere_less(entry, vset(LAST_ENTRY), drawn, vset(largest << bits));
}

TARGET static inline VECTOR sigmoids(VECTOR x) {
    const VECTOR above = between(vabs(x), 9, 0x7fff * 2);
    const VECTOR negative = vsub(vset((1 << 25) + (1 << 9) - 1), above), positive = vadd(above, vset(1 << 9));
    return vright(vwhere_less(x, vset(0), negative, positive), 10);
}

TARGET static inline VECTOR tanhs(VECTOR x) {
    const VECTOR above = between(vabs(x), 8, 0xffff);
    const VECTOR negative = vsub(vset((1 << 23) + (1 << 7) - 1), above), positive = vsub(above, vset((1 << 23) - (1 << 7)));
    return vright(vwhere_less(x, vset(0), negative, positive), 8);
}

// What is left behind the last whole vector is for the reference.
#define INTERPOLATE_ALL(curve, reference)                                                                                                  \
    const VECTOR by = vset(factor), half = vset(shift > 0 ? 1 << (shift - 1) : 0);                                                         \
    const __m128i bits = _mm_cvtsi32_si128(shift);                                                                                         \
    int32_t i = 0;                                                                                                                         \
    for (; i + LANES <= count; i += LANES) { vto(output + i, curve(vdivided(vadd(vtimes(vfrom(input + i), by), half), bits))); }           \
    reference(input + i, count - i, factor, shift, output + i);
