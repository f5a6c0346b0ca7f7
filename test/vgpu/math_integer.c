/* libdevice's integer functions (__nv_*), and the intrinsics of the same meaning. */
#include "test/vgpu/device_abi.h"

#define NV(name) vgpu_fn___nv_##name
#define NVVM(name) vgpu_nvvm_##name

#define INTEGER1(name, to, from, e)                                                                          \
    VGPU_DEVICE_FN(to, name, from x) {                                                                       \
        return e;                                                                                            \
    }
#define INTEGER2(name, type, e)                                                                              \
    VGPU_DEVICE_FN(type, name, type x, type y) {                                                             \
        return e;                                                                                            \
    }

static uint64_t reverse(uint64_t x) {
    x = (x >> 1 & 0x5555555555555555u) | (x & 0x5555555555555555u) << 1;
    x = (x >> 2 & 0x3333333333333333u) | (x & 0x3333333333333333u) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0fu) | (x & 0x0f0f0f0f0f0f0f0fu) << 4;
    return __builtin_bswap64(x);
}

INTEGER1(NV(abs), int32_t, int32_t, x < 0 ? (int32_t)(0u - (uint32_t)x) : x)
INTEGER1(NV(llabs), int64_t, int64_t, x < 0 ? (int64_t)(0u - (uint64_t)x) : x)
INTEGER1(NV(brev), uint32_t, uint32_t, (uint32_t)(reverse(x) >> 32))
INTEGER1(NV(brevll), uint64_t, uint64_t, reverse(x))
INTEGER1(NV(clz), int32_t, uint32_t, x ? __builtin_clz(x) : 32)
INTEGER1(NV(clzll), int32_t, uint64_t, x ? __builtin_clzll(x) : 64)
INTEGER1(NV(ffs), int32_t, int32_t, __builtin_ffs(x))
INTEGER1(NV(ffsll), int32_t, int64_t, __builtin_ffsll(x))
INTEGER1(NV(popc), int32_t, uint32_t, __builtin_popcount(x))
INTEGER1(NV(popcll), int32_t, uint64_t, __builtin_popcountll(x))

INTEGER2(NV(max), int32_t, x > y ? x : y)
INTEGER2(NV(min), int32_t, x < y ? x : y)
INTEGER2(NV(umax), uint32_t, x > y ? x : y)
INTEGER2(NV(umin), uint32_t, x < y ? x : y)
INTEGER2(NV(llmax), int64_t, x > y ? x : y)
INTEGER2(NV(llmin), int64_t, x < y ? x : y)
INTEGER2(NV(ullmax), uint64_t, x > y ? x : y)
INTEGER2(NV(ullmin), uint64_t, x < y ? x : y)

/* Averages, without and with rounding up */
INTEGER2(NV(hadd), int32_t, (int32_t)(((int64_t)x + y) >> 1))
INTEGER2(NV(rhadd), int32_t, (int32_t)(((int64_t)x + y + 1) >> 1))
INTEGER2(NV(uhadd), uint32_t, (uint32_t)(((uint64_t)x + y) >> 1))
INTEGER2(NV(urhadd), uint32_t, (uint32_t)(((uint64_t)x + y + 1) >> 1))

/* Products: of the low 24 bits, and upper halves */
__extension__ typedef __int128 wide;
__extension__ typedef unsigned __int128 unsigned_wide;

static int64_t low24(int32_t x) {
    return (int32_t)((uint32_t)x << 8) >> 8;
}

#define PRODUCTS(of, mul24, umul24, mulhi, umulhi, mul64hi, umul64hi)                                        \
    INTEGER2(of(mul24), int32_t, (int32_t)(low24(x) * low24(y)))                                             \
    INTEGER2(of(umul24), uint32_t, (uint32_t)((uint64_t)(x & 0xffffff) * (y & 0xffffff)))                    \
    INTEGER2(of(mulhi), int32_t, (int32_t)(((int64_t)x * y) >> 32))                                          \
    INTEGER2(of(umulhi), uint32_t, (uint32_t)(((uint64_t)x * y) >> 32))                                      \
    INTEGER2(of(mul64hi), int64_t, (int64_t)(((wide)x * y) >> 64))                                           \
    INTEGER2(of(umul64hi), uint64_t, (uint64_t)(((unsigned_wide)x * y) >> 64))

PRODUCTS(NV, mul24, umul24, mulhi, umulhi, mul64hi, umul64hi)
PRODUCTS(NVVM, mul24_i, mul24_ui, mulhi_i, mulhi_ui, mulhi_ll, mulhi_ull)

/* Sum of absolute differences */
#define SAD(name, type)                                                                                      \
    VGPU_DEVICE_FN(uint32_t, name, type x, type y, uint32_t z) {                                             \
        return (x > y ? (uint32_t)x - (uint32_t)y : (uint32_t)y - (uint32_t)x) + z;                          \
    }

SAD(NV(sad), int32_t)
SAD(NV(usad), uint32_t)
SAD(NVVM(sad_i), int32_t)
SAD(NVVM(sad_ui), uint32_t)

/* PTX's prmt in its default mode: four bytes picked from eight, or their sign. */
static uint32_t permute(uint32_t low, uint32_t high, uint32_t selector) {
    const uint64_t bytes = (uint64_t)high << 32 | low;
    uint32_t result = 0;
    for (uint32_t i = 0; i < 4; i++) {
        const uint32_t pick = selector >> 4 * i & 15;
        uint32_t byte = (uint32_t)(bytes >> 8 * (pick & 7)) & 0xff;
        if (pick & 8)
            byte = byte & 0x80 ? 0xff : 0;
        result |= byte << 8 * i;
    }
    return result;
}

/* CUDA's __byte_perm looks at three bits of each selector. */
VGPU_DEVICE_FN(uint32_t, NV(byte_perm), uint32_t x, uint32_t y, uint32_t selector) {
    return permute(x, y, selector & 0x7777);
}
VGPU_DEVICE_FN(uint32_t, NVVM(prmt), uint32_t x, uint32_t y, uint32_t selector) {
    return permute(x, y, selector);
}

/* The n-th bit set in `mask`, from `base` on; upwards for n > 0, downwards for n < 0. */
VGPU_DEVICE_FN(uint32_t, NVVM(fns), uint32_t mask, uint32_t base, int32_t n) {
    const int32_t step = n < 0 ? -1 : 1;
    int32_t left = n < 0 ? -n : n;
    if (!n)
        return mask >> (base & 31) & 1 ? base : ~0u;
    for (int32_t bit = (int32_t)base; bit >= 0 && bit < 32; bit += step)
        if (mask >> bit & 1 && --left == 0)
            return (uint32_t)bit;
    return ~0u;
}

/* Funnel shifts: 32 bits of y:x (y above), shifted by n modulo 32, or by at most 32. */
#define SHIFT(name, e)                                                                                       \
    VGPU_DEVICE_FN(uint32_t, vgpu_asm_shf_##name##_b32, uint32_t x, uint32_t y, uint32_t n) {                \
        const uint64_t both = (uint64_t)y << 32 | x;                                                         \
        return (uint32_t)(e);                                                                                \
    }

SHIFT(l_wrap, both << (n & 31) >> 32)
SHIFT(l_clamp, n < 32 ? both << n >> 32 : x)
SHIFT(r_wrap, both >> (n & 31))
SHIFT(r_clamp, both >> (n < 32 ? n : 32))

/* Bit fields: of the position and the length, the lower 8 bits count. */

static uint64_t field_mask(uint32_t length) {
    return length >= 64 ? ~(uint64_t)0 : ((uint64_t)1 << length) - 1;
}

static uint64_t extract(uint64_t value, uint32_t position, uint32_t length) {
    const uint32_t from = position & 0xff;
    return from < 64 ? value >> from & field_mask(length & 0xff) : 0;
}

VGPU_DEVICE_FN(uint32_t, vgpu_asm_bfe_u32, uint32_t value, uint32_t position, uint32_t length) {
    return (uint32_t)extract(value, position, length);
}
VGPU_DEVICE_FN(uint64_t, vgpu_asm_bfe_u64, uint64_t value, uint32_t position, uint32_t length) {
    return extract(value, position, length);
}

/* The bits of `value` take the place of those of `into`. */
static uint64_t insert(uint64_t value, uint64_t into, uint32_t position, uint32_t length) {
    const uint32_t at = position & 0xff;
    const uint64_t mask = at < 64 ? field_mask(length & 0xff) << at : 0;
    return (into & ~mask) | (at < 64 ? value << at & mask : 0);
}

VGPU_DEVICE_FN(uint32_t, vgpu_asm_bfi_b32, uint32_t value, uint32_t into, uint32_t position,
               uint32_t length) {
    return (uint32_t)insert(value, into, position, length);
}
VGPU_DEVICE_FN(uint64_t, vgpu_asm_bfi_b64, uint64_t value, uint64_t into, uint32_t position,
               uint32_t length) {
    return insert(value, into, position, length);
}

/* A mask of `length` bits from `position` on. */
VGPU_DEVICE_FN(uint32_t, vgpu_asm_bmsk_clamp_b32, uint32_t position, uint32_t length) {
    return (uint32_t)insert(~(uint64_t)0, 0, position < 32 ? position : 32, length < 32 ? length : 32);
}
VGPU_DEVICE_FN(uint32_t, vgpu_asm_bmsk_wrap_b32, uint32_t position, uint32_t length) {
    return (uint32_t)insert(~(uint64_t)0, 0, position & 31, length & 31);
}

VGPU_DEVICE_FN(uint32_t, vgpu_asm_prmt_b32, uint32_t x, uint32_t y, uint32_t selector) {
    return permute(x, y, selector);
}

/* Dot products of packed bytes */
#define DOT4(name, a_type, b_type, result)                                                                   \
    VGPU_DEVICE_FN(result, name, uint32_t a, uint32_t b, result c) {                                         \
        int64_t sum = c;                                                                                     \
        for (int i = 0; i < 32; i += 8)                                                                      \
            sum += (int64_t)(a_type)(a >> i) * (b_type)(b >> i);                                             \
        return (result)sum;                                                                                  \
    }

DOT4(NVVM(idp4a_s_s), int8_t, int8_t, int32_t)
DOT4(NVVM(idp4a_s_u), int8_t, uint8_t, int32_t)
DOT4(NVVM(idp4a_u_s), uint8_t, int8_t, int32_t)
DOT4(NVVM(idp4a_u_u), uint8_t, uint8_t, uint32_t)
