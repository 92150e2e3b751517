// SPDX-License-Identifier: Apache-2.0
// How elements lie in memory, and how they become floats and back.
//
// A kernel is built once per combination of dtypes. Each tensor's dtype comes in as a number, -D X_TYPE=1|2|3 (the
// values of ocldnn_dtype), and these macros turn it into a type and into conversions:
//
//     __global const STORAGE(X_TYPE) *x            float for F32, ushort for F16 and BF16
//     float   v = LOAD1(X_TYPE, x, i);             element i
//     float16 w = LOAD16(X_TYPE, x, i);            elements i .. i+15, no alignment asked for
//     STORE16(X_TYPE, w, x, i);                    one rounding, to nearest even
//
// F16 needs no cl_khr_fp16: vload_half and vstore_half are core OpenCL C. Pointers are __global: OpenCL C 1.2 has no
// generic address space, and local and private memory always hold floats.
#ifndef OD_COMMON_STORAGE_CL
#define OD_COMMON_STORAGE_CL

#define OD_F32 1
#define OD_F16 2
#define OD_BF16 3

#define OD_PASTE_(a, b) a##b
#define OD_PASTE(a, b) OD_PASTE_(a, b)

#define STORAGE(T) OD_PASTE(od_storage_, T)
#define LOAD1(T, p, i) OD_PASTE(od_load1_, T)(p, i)
#define LOAD4(T, p, i) OD_PASTE(od_load4_, T)(p, i)
#define LOAD8(T, p, i) OD_PASTE(od_load8_, T)(p, i)
#define LOAD16(T, p, i) OD_PASTE(od_load16_, T)(p, i)
#define STORE1(T, v, p, i) OD_PASTE(od_store1_, T)(v, p, i)
#define STORE4(T, v, p, i) OD_PASTE(od_store4_, T)(v, p, i)
#define STORE8(T, v, p, i) OD_PASTE(od_store8_, T)(v, p, i)
#define STORE16(T, v, p, i) OD_PASTE(od_store16_, T)(v, p, i)

#include "common/avx512.cl"

typedef float od_storage_1;
typedef ushort od_storage_2;
typedef ushort od_storage_3;

// BF16 is the upper half of a float. The NaN guard keeps a NaN whose payload sits in the lower half a NaN.
#define OD_BF16_CONVERSIONS(SUFFIX, FLOAT, UINT, USHORT, TO_UINT, TO_USHORT, AS_FLOAT, AS_UINT)                        \
    static inline FLOAT od_from_bf16##SUFFIX(USHORT bits)                                                              \
    {                                                                                                                  \
        return AS_FLOAT(TO_UINT(bits) << 16);                                                                          \
    }                                                                                                                  \
    static inline USHORT od_to_bf16##SUFFIX(FLOAT value)                                                               \
    {                                                                                                                  \
        UINT u = AS_UINT(value);                                                                                       \
        UINT rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;                                                         \
        UINT quiet = (u >> 16) | 0x40u;                                                                                \
        return TO_USHORT(select(rounded, quiet, value != value));                                                      \
    }

static inline float od_from_bf16_1(ushort bits)
{
    return as_float((uint)bits << 16);
}

static inline ushort od_to_bf16_1(float value)
{
    uint u = as_uint(value);
    uint rounded = (u + 0x7fffu + ((u >> 16) & 1u)) >> 16;
    uint quiet = (u >> 16) | 0x40u;
    return (ushort)((u & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
}

OD_BF16_CONVERSIONS(_4, float4, uint4, ushort4, convert_uint4, convert_ushort4, as_float4, as_uint4)
OD_BF16_CONVERSIONS(_8, float8, uint8, ushort8, convert_uint8, convert_ushort8, as_float8, as_uint8)
OD_BF16_CONVERSIONS(_16, float16, uint16, ushort16, convert_uint16, convert_ushort16, as_float16, as_uint16)

#ifndef OD_AVX512
#define od_narrow_bf16_16(value) od_to_bf16_16(value)
#endif

// Vectors that lie anywhere an element may. PoCL makes its vload16 of pieces of two elements, between which the
// compiler then pulls the arithmetic that follows, and its vstore16 of three stores, or of one for each element; these
// are whole.
typedef float8 __attribute__((aligned(4))) od_loose_float8;
typedef float16 __attribute__((aligned(4))) od_loose_float16;
typedef ushort4 __attribute__((aligned(2))) od_loose_ushort4;
typedef ushort8 __attribute__((aligned(2))) od_loose_ushort8;
typedef ushort16 __attribute__((aligned(2))) od_loose_ushort16;

// One set of loads and stores for each address space; macros because a pointer's space is part of its type.
#define od_load1_1(p, i) ((p)[i])
#define od_load4_1(p, i) vload4(0, (p) + (i))
#define od_load8_1(p, i) (*(__global const od_loose_float8 *)((p) + (i)))
#define od_load16_1(p, i) (*(__global const od_loose_float16 *)((p) + (i)))
#define od_store1_1(v, p, i) ((p)[i] = (v))
#define od_store4_1(v, p, i) vstore4((v), 0, (p) + (i))
#define od_store8_1(v, p, i) (*(__global od_loose_float8 *)((p) + (i)) = (v))
#define od_store16_1(v, p, i) (*(__global od_loose_float16 *)((p) + (i)) = (v))

#define od_load1_2(p, i) vload_half((i), (__global const half *)(p))
#define od_load4_2(p, i) vload_half4(0, (__global const half *)((p) + (i)))
#define od_store1_2(v, p, i) vstore_half_rte((v), (i), (__global half *)(p))
#define od_store4_2(v, p, i) vstore_half4_rte((v), 0, (__global half *)((p) + (i)))

#ifdef POCL_DEVICE_ADDRESS_BITS
// PoCL 3.1 tells its compiler that halves by 8 and 16 lie at multiples of 16 bytes. That goes well while the conversion
// and the access are one instruction, and faults where they are not (a value that a loop does not change): so shorts
// are moved, and the halves are private. By 8, because that is what one instruction converts.
static inline float8 od_from_f16_8(ushort8 bits)
{
    return vload_half8(0, (__private const half *)&bits);
}

static inline ushort8 od_to_f16_8(float8 value)
{
    ushort8 bits;
    vstore_half8_rte(value, 0, (__private half *)&bits);
    return bits;
}

#ifndef OD_AVX512
static inline float16 od_from_f16_16(ushort16 bits)
{
    return (float16)(od_from_f16_8(bits.lo), od_from_f16_8(bits.hi));
}

static inline ushort16 od_to_f16_16(float16 value)
{
    return (ushort16)(od_to_f16_8(value.lo), od_to_f16_8(value.hi));
}
#endif

#define od_load8_2(p, i) od_from_f16_8(*(__global const od_loose_ushort8 *)((p) + (i)))
#define od_load16_2(p, i) od_from_f16_16(*(__global const od_loose_ushort16 *)((p) + (i)))
#define od_store8_2(v, p, i) (*(__global od_loose_ushort8 *)((p) + (i)) = od_to_f16_8(v))
#define od_store16_2(v, p, i) (*(__global od_loose_ushort16 *)((p) + (i)) = od_to_f16_16(v))
#else
#define od_load8_2(p, i) vload_half8(0, (__global const half *)((p) + (i)))
#define od_load16_2(p, i) vload_half16(0, (__global const half *)((p) + (i)))
#define od_store8_2(v, p, i) vstore_half8_rte((v), 0, (__global half *)((p) + (i)))
#define od_store16_2(v, p, i) vstore_half16_rte((v), 0, (__global half *)((p) + (i)))
#endif

#define od_load1_3(p, i) od_from_bf16_1((p)[i])
#define od_load4_3(p, i) od_from_bf16_4(vload4(0, (p) + (i)))
#define od_load8_3(p, i) od_from_bf16_8(*(__global const od_loose_ushort8 *)((p) + (i)))
#define od_load16_3(p, i) od_from_bf16_16(*(__global const od_loose_ushort16 *)((p) + (i)))
#define od_store1_3(v, p, i) ((p)[i] = od_to_bf16_1(v))
#define od_store4_3(v, p, i) (*(__global od_loose_ushort4 *)((p) + (i)) = od_to_bf16_4(v))
#define od_store8_3(v, p, i) (*(__global od_loose_ushort8 *)((p) + (i)) = od_to_bf16_8(v))
#define od_store16_3(v, p, i) (*(__global od_loose_ushort16 *)((p) + (i)) = od_narrow_bf16_16(v))

#endif
