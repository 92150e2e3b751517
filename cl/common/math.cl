// SPDX-License-Identifier: Apache-2.0
// Elementary functions and activations on float, float4, float8 and float16.
//
// Polynomials instead of the built-in functions: a CPU's OpenCL calls a library once per lane of a float16. Fitted by
// weighted least squares for the smallest relative error; good to about 2 ulp over all floats, erf to 6. NaN gives NaN.
//
//     float16 y = od_activate16(ACTIVATION, alpha, x);
//
// ACTIVATION is a number that the preprocessor sees (ocldnn_activation_kind). alpha is the effective parameter: the
// host has put the default in place of 0 (base/activation.h).
#ifndef OD_COMMON_MATH_CL
#define OD_COMMON_MATH_CL

#define OD_MATH_PASTE3_(a, b, c) a##b##c
#define OD_MATH_PASTE3(a, b, c) OD_MATH_PASTE3_(a, b, c)

#define od_activate1(KIND, alpha, x) OD_MATH_PASTE3(od_activation_, KIND, _1)(alpha, x)
#define od_activate4(KIND, alpha, x) OD_MATH_PASTE3(od_activation_, KIND, _4)(alpha, x)
#define od_activate8(KIND, alpha, x) OD_MATH_PASTE3(od_activation_, KIND, _8)(alpha, x)
#define od_activate16(KIND, alpha, x) OD_MATH_PASTE3(od_activation_, KIND, _16)(alpha, x)

// Defines od_exp, od_erf, od_tanh, od_softplus and the activations for one width: S the suffix, V the float type, I the
// int type of the same width.
//
// od_exp: e^x = 2^n e^r with n = round(x / ln 2). Adding 1.5 * 2^23 rounds to an integer and leaves it in the low bits,
// so no conversion is needed. 2^n is multiplied in two halves, so that results down to the smallest denormal come out.
// od_one_plus_exp: 1 + e^x. Where e^x is nothing beside 1 it may be 0: half the steps around the polynomial.
// od_erf: x P(x^2) / Q(x^2) up to where the result is 1 in F32, and exactly 1 from there on.
// od_tanh: x + x^3 P(x^2) for small x, else 1 - 2 / (e^(2 x) + 1), which keeps the last bits near 1.
// GELU by tanh is x times a sigmoid, x / (1 + e^(-2 u)): nothing cancels where x is negative.
// Signs are set by bits, and max(x, 0) is x < 0 ? 0 : x: the other forms keep Mesa 22.3 compiling for minutes.
#define OD_MATH_WIDTH(S, V, I)                                                                                         \
    static inline V od_exp_near_0_##S(V r)                                                                             \
    {                                                                                                                  \
        V p = fma((V)(0.0013836737f), r, (V)(0.0083748987f));                                                          \
        p = fma(p, r, (V)(0.041668232f));                                                                              \
        p = fma(p, r, (V)(0.1666642f));                                                                                \
        p = fma(p, r, (V)(0.49999991f));                                                                               \
        p = fma(p, r, (V)(1.0f));                                                                                      \
        return fma(p, r, (V)(1.0f));                                                                                   \
    }                                                                                                                  \
    static inline V od_exp_##S(V x)                                                                                    \
    {                                                                                                                  \
        V t, n, r, p;                                                                                                  \
        I bits, half_bits;                                                                                             \
        x = x > (V)(89.0f) ? (V)(89.0f) : x;                                                                           \
        x = x < (V)(-104.0f) ? (V)(-104.0f) : x;                                                                       \
        t = fma(x, (V)(1.442695041f), (V)(12582912.0f));                                                               \
        n = t - (V)(12582912.0f);                                                                                      \
        r = fma(n, (V)(-0.693145751953125f), x);                                                                       \
        r = fma(n, (V)(-1.428606765330187e-06f), r);                                                                   \
        p = od_exp_near_0_##S(r);                                                                                      \
        bits = as_##I(t) - (I)(0x4b400000);                                                                            \
        half_bits = bits >> 1;                                                                                         \
        return p * as_##V((half_bits + 127) << 23) * as_##V((bits - half_bits + 127) << 23);                           \
    }                                                                                                                  \
    static inline V od_one_plus_exp_##S(V x)                                                                           \
    {                                                                                                                  \
        V t, n, r, p;                                                                                                  \
        x = x > (V)(89.0f) ? (V)(89.0f) : x;                                                                           \
        x = x < (V)(-87.0f) ? (V)(-87.0f) : x;                                                                         \
        t = fma(x, (V)(1.442695041f), (V)(12582912.0f + 126.0f));                                                      \
        n = t - (V)(12582912.0f + 126.0f);                                                                             \
        r = fma(n, (V)(-0.693145751953125f), x);                                                                       \
        r = fma(n, (V)(-1.428606765330187e-06f), r);                                                                   \
        p = od_exp_near_0_##S(r);                                                                                      \
        return fma(p * as_##V(as_##I(t) << 23), (V)(2.0f), (V)(1.0f));                                                 \
    }                                                                                                                  \
    static inline V od_erf_##S(V x)                                                                                    \
    {                                                                                                                  \
        V z, p, q;                                                                                                     \
        z = x * x;                                                                                                     \
        p = fma((V)(2.04191e-06f), z, (V)(0.00028479967f));                                                            \
        p = fma(p, z, (V)(0.003779484f));                                                                              \
        p = fma(p, z, (V)(0.0527899f));                                                                                \
        p = fma(p, z, (V)(0.19078176f));                                                                               \
        p = fma(p, z, (V)(1.1283791f));                                                                                \
        q = fma((V)(3.8002971e-05f), z, (V)(0.0011651705f));                                                           \
        q = fma(q, z, (V)(0.014997199f));                                                                              \
        q = fma(q, z, (V)(0.11425656f));                                                                               \
        q = fma(q, z, (V)(0.50240862f));                                                                               \
        q = fma(q, z, (V)(1.0f));                                                                                      \
        z = x * p / q;                                                                                                 \
        z = x > (V)(3.93f) ? (V)(1.0f) : z;                                                                            \
        return x < (V)(-3.93f) ? (V)(-1.0f) : z;                                                                       \
    }                                                                                                                  \
    static inline V od_tanh_##S(V x)                                                                                   \
    {                                                                                                                  \
        V size = fabs(x), z = x * x, p, far;                                                                           \
        p = fma((V)(-0.005717037f), z, (V)(0.020650579f));                                                             \
        p = fma(p, z, (V)(-0.053743497f));                                                                             \
        p = fma(p, z, (V)(0.1333149f));                                                                                \
        p = fma(p, z, (V)(-0.33333284f));                                                                              \
        p = fma(p * z, x, x);                                                                                          \
        far = (V)(1.0f) - (V)(2.0f) / od_one_plus_exp_##S(size + size);                                                \
        far = as_##V(as_##I(far) | (as_##I(x) & (I)(0x80000000)));                                                     \
        return size < (V)(0.625f) ? p : far;                                                                           \
    }                                                                                                                  \
    static inline V od_sigmoid_##S(V x)                                                                                \
    {                                                                                                                  \
        return (V)(1.0f) / od_one_plus_exp_##S(-x);                                                                    \
    }                                                                                                                  \
    static inline V od_softplus_##S(V x)                                                                               \
    {                                                                                                                  \
        V t = od_exp_##S(as_##V(as_##I(x) | (I)(0x80000000))), p;                                                      \
        p = fma((V)(-0.0032439807f), t, (V)(0.019851262f));                                                            \
        p = fma(p, t, (V)(-0.05695916f));                                                                              \
        p = fma(p, t, (V)(0.10603617f));                                                                               \
        p = fma(p, t, (V)(-0.1530557f));                                                                               \
        p = fma(p, t, (V)(0.19675931f));                                                                               \
        p = fma(p, t, (V)(-0.24954133f));                                                                              \
        p = fma(p, t, (V)(0.33329964f));                                                                               \
        p = fma(p, t, (V)(-0.49999902f));                                                                              \
        p = fma(p, t, (V)(1.0f));                                                                                      \
        return fma(p, t, x < (V)(0.0f) ? (V)(0.0f) : x);                                                               \
    }                                                                                                                  \
    static inline V od_activation_0_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return x;                                                                                                      \
    }                                                                                                                  \
    static inline V od_activation_1_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return x < (V)(0.0f) ? (V)(0.0f) : x;                                                                          \
    }                                                                                                                  \
    static inline V od_activation_2_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        V h = (V)(0.5f) * x;                                                                                           \
        return fma(h, od_erf_##S(x * (V)(0.70710678f)), h);                                                            \
    }                                                                                                                  \
    static inline V od_activation_3_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return x / od_one_plus_exp_##S(-x * fma(x * x, (V)(0.071354816f), (V)(1.59576912f)));                          \
    }                                                                                                                  \
    static inline V od_activation_4_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return x / od_one_plus_exp_##S(-(V)(alpha)*x);                                                                 \
    }                                                                                                                  \
    static inline V od_activation_5_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return od_sigmoid_##S(x);                                                                                      \
    }                                                                                                                  \
    static inline V od_activation_6_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return od_tanh_##S(x);                                                                                         \
    }                                                                                                                  \
    static inline V od_activation_7_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        V t = fma(x, (V)(0.16666667f), (V)(0.5f));                                                                     \
        t = t < (V)(0.0f) ? (V)(0.0f) : t;                                                                             \
        t = t > (V)(1.0f) ? (V)(1.0f) : t;                                                                             \
        return x * t;                                                                                                  \
    }                                                                                                                  \
    static inline V od_activation_8_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return x < (V)(0.0f) ? (V)(alpha)*x : x;                                                                       \
    }                                                                                                                  \
    static inline V od_activation_9_##S(float alpha, V x)                                                              \
    {                                                                                                                  \
        return od_softplus_##S(x);                                                                                     \
    }

OD_MATH_WIDTH(1, float, int)
OD_MATH_WIDTH(4, float4, int4)
OD_MATH_WIDTH(8, float8, int8)
OD_MATH_WIDTH(16, float16, int16)

#endif
