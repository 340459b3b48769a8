#include "../kernel.h"

#if defined(__x86_64__)
#include <immintrin.h>

#define TARGET __attribute__((target("avx512f,avx512bw,avx512vl")))
#define VECTOR __m512i
#define LANES 32
#define vset(n) _mm512_set1_epi16(n)
#define vload(p) _mm512_loadu_si512(p)
#define vstore(p, v) _mm512_storeu_si512(p, v)
#define vadd _mm512_add_epi16
#define vsub _mm512_sub_epi16
#define vadd_limited _mm512_adds_epi16
#define vsub_limited _mm512_subs_epi16
#define vmin _mm512_min_epi16
#define vand _mm512_and_si512
#define vequal _mm512_cmpeq_epi16_mask
#define vgreater _mm512_cmpgt_epi16_mask
#define vproduct _mm512_mulhrs_epi16 // -1 x -1, the one that it does not limit, does not occur
#define vleft(v, bits) _mm512_sll_epi16(v, _mm_cvtsi32_si128(bits))
#define vright(v, bits) _mm512_sra_epi16(v, _mm_cvtsi32_si128(bits))
#define vmiddle _mm512_avg_epu16
#define vselect(mask, a, b) _mm512_mask_blend_epi16(mask, b, a)
#include "../curves.h"

void gw_sigmoid_avx512(int16_t *values, int32_t count) { sigmoid(values, count); }

void gw_tanh_avx512(int16_t *values, int32_t count, int32_t integer_bits) { tanh_of_all(values, count, integer_bits); }
#endif
