// SPDX-License-Identifier: Apache-2.0
// The steps of flash_few.cl, which sets the parameters and includes this file.

static inline void load_query(__global const ELEMENT *q, int width, float sign, float16 *query)
{
    int i = 0;
    for (; 16 * i + 32 <= width; i += 2) {
        float16 x[2];
        od_load_pair(q + 16 * i, x);
        query[i * ROWS] = x[0] * sign;
        query[(i + 1) * ROWS] = x[1] * sign;
    }
    for (; i < od_vectors(width); i++)
        query[i * ROWS] = od_load_single_once(q, i, width) * sign;
}

// Lane i of the result: the sum of vector i's lanes, for 16 vectors. Each stage joins two vectors and halves what is
// left to be added in each.
static inline float16 sum_each(const float16 *v)
{
    float16 halves[8], quarters[4], x, y;
    OD_UNROLL for (int i = 0; i < 8; i++)
    {
        float16 a = v[i + (i & 4)], b = v[i + (i & 4) + 4];
        halves[i] = (float16)(a.lo, b.lo) + (float16)(a.hi, b.hi);
    }
    OD_UNROLL for (int i = 0; i < 4; i++)
    {
        x = halves[i];
        y = halves[i + 4];
        quarters[i] = (float16)(x.s0123, x.s89ab, y.s0123, y.s89ab) + (float16)(x.s4567, x.scdef, y.s4567, y.scdef);
    }
#define JOIN(a, b)                                                                                                     \
    (float16)(a.s01, b.s01, a.s45, b.s45, a.s89, b.s89, a.scd, b.scd) +                                                \
        (float16)(a.s23, b.s23, a.s67, b.s67, a.sab, b.sab, a.sef, b.sef)
    x = JOIN(quarters[0], quarters[1]);
    y = JOIN(quarters[2], quarters[3]);
#undef JOIN
    return (float16)(x.s02, y.s02, x.s46, y.s46, x.s8a, y.s8a, x.sce, y.sce) +
           (float16)(x.s13, y.s13, x.s57, y.s57, x.s9b, y.s9b, x.sdf, y.sdf);
}

// Asks for the lines of a row.
static inline void ask_row(__global const ELEMENT *row, int width)
{
    for (int d = 0; d < width; d += 64 / (int)sizeof(ELEMENT))
        OD_ASK(row + d, 2);
}

// tile[key][row] += vector `at` of SIDE keys * the same of the rows.
#define SCORE_STEP(keys, at)                                                                                           \
    OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                           \
    {                                                                                                                  \
        float16 near = query[(at)*ROWS + r];                                                                           \
        OD_UNROLL for (int j = 0; j < SIDE; j++) tile[j][r] = fma(keys, near, tile[j][r]);                             \
    }

// scores[row][key] for count keys, of 16 keys the sums of products first. Meanwhile their values are asked for.
static inline void score_keys(__global const ELEMENT *k, int stride, __global const ELEMENT *v, int value_stride,
                              int value_width, const int *places, int count, int width, const float16 *query,
                              float16 *scores)
{
    for (int first = 0; first < count; first += 16) {
        float16 sums[ROWS][16];
        for (int i = 0; i < 16; i += SIDE) {
            float16 tile[SIDE][ROWS];
            __global const ELEMENT *key[SIDE];
            OD_UNROLL for (int j = 0; j < SIDE; j++)
            {
                key[j] = k + places[first + i + j] * stride;
                ask_row(key[j] + 16 * stride, width);
                ask_row(v + places[first + i + j] * value_stride, value_width);
                OD_UNROLL for (int r = 0; r < ROWS; r++) tile[j][r] = 0.0f;
            }
            int at = 0;
            for (; 16 * at + 32 <= width; at += 2) {
                float16 x[SIDE][2];
                OD_UNROLL for (int j = 0; j < SIDE; j++) od_load_pair(key[j] + 16 * at, x[j]);
                SCORE_STEP(x[j][0], at)
                SCORE_STEP(x[j][1], at + 1)
            }
            for (; at < od_vectors(width); at++) {
                float16 x[SIDE];
                OD_UNROLL for (int j = 0; j < SIDE; j++) x[j] = od_load_single_once(key[j], at, width);
                SCORE_STEP(x[j], at)
            }
            OD_UNROLL for (int r = 0; r < ROWS; r++)
            {
                OD_UNROLL for (int j = 0; j < SIDE; j++) sums[r][i + j] = tile[j][r];
            }
        }
        OD_UNROLL for (int r = 0; r < ROWS; r++) scores[(r * KEYS + first) / 16] = sum_each(sums[r]);
    }
}

#if BIAS_TYPE
// One row's scores = scale * scores + bias.
static inline void add_bias(__global const STORAGE(BIAS_TYPE) * bias, int stride, const int *places, int count,
                            float scale, float16 *scores)
{
    for (int first = 0; first < count; first += 16) {
        float16 block = 0.0f;
        if (stride == 1 && first + 16 <= count && places[first + 15] - places[first] == 15)
            block = LOAD16(BIAS_TYPE, bias, places[first]);
        else
            for (int i = 0; i < min(16, count - first); i++)
                ((float *)&block)[i] = LOAD1(BIAS_TYPE, bias, places[first + i] * stride);
        scores[first / 16] = fma(scores[first / 16], (float16)(scale), block);
    }
}
#endif

#if MASK == 2
// Sets one row's keys aside whose mask is 0. Keys are those from `place` on.
static inline void rule_out_masked(__global const uchar *mask, int stride, int place, int count, float16 *scores)
{
    for (int first = 0; first < count; first += 16) {
        int16 block = 0;
        if (stride == 1 && first + 16 <= count)
            block = convert_int16(vload16(0, mask + place + first));
        else
            for (int i = 0; i < min(16, count - first); i++)
                ((int *)&block)[i] = mask[(place + first + i) * stride];
        scores[first / 16] = block == 0 ? (float16)(-INFINITY) : scores[first / 16];
    }
}
#endif

#if CAUSAL
// Sets one row's keys aside that come after its last one.
static inline void rule_out_later(const int *places, int count, int last, float16 *scores)
{
    for (int first = 0; first < count; first += 16)
        scores[first / 16] = *(const int16 *)(places + first) > last ? (float16)(-INFINITY) : scores[first / 16];
}
#endif

// Scores become weights exp2((score - maximum) * unit); the rows' maxima and rescalings are lanes of a vector. A key
// that is set aside gets the weight -0, by which add_values knows it from one whose weight merely underflows.
static inline void soften(int count, float unit, bool cut, float16 *scores, float16 *maximum, float16 *sum,
                          float16 *rescale)
{
    float16 most = *maximum, used;
    for (int r = 0; r < ROWS; r++) {
        float16 row = -INFINITY;
        float larger;
        for (int i = 0; i < count; i++) // a NaN is not taken here; its own weight becomes NaN below
            row = OD_LARGER(row, scores[r * KEYS / 16 + i]);
        larger = od_max_16(row);
        ((float *)&most)[r] = OD_LARGER(((float *)&most)[r], larger);
    }
    used = most == -INFINITY ? (float16)(0.0f) : most;
    *rescale = od_exp2_16((*maximum - used) * unit);
    *maximum = most;
    for (int r = 0; r < ROWS; r++) {
        float16 total = sum[r] * ((float *)rescale)[r];
        for (int i = 0; i < count; i++) {
            float16 s = scores[r * KEYS / 16 + i];
            float16 p = od_exp2_16((s - ((float *)&used)[r]) * unit);
            total += p;
            if (cut)
                p = s == -INFINITY ? (float16)(-0.0f) : p;
            scores[r * KEYS / 16 + i] = p;
        }
        sum[r] = total;
    }
}

static inline bool any_not_finite(const float16 *vectors, int count)
{
    float16 t = 0.0f;
    float sum;
    for (int i = 0; i < count; i++)
        t = fma(vectors[i], (float16)(0.0f), t);
    sum = od_sum_16(t);
    return sum != sum;
}

// tile[row][column] += the weights of all keys that TAKE(weight) * their values.
#define ADD_KEYS(COLUMNS, LOAD, TAKE)                                                                                  \
    for (int key = 0; key < count; key++) {                                                                            \
        __global const ELEMENT *value = v + places[key] * stride;                                                      \
        float16 x[COLUMNS];                                                                                            \
        LOAD;                                                                                                          \
        OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                       \
        {                                                                                                              \
            float p = weights[r * KEYS + key];                                                                         \
            if (TAKE) {                                                                                                \
                OD_UNROLL for (int i = 0; i < COLUMNS; i++) tile[r][i] = fma((float16)(p), x[i], tile[r][i]);          \
            }                                                                                                          \
        }                                                                                                              \
    }

#define START(COLUMNS)                                                                                                 \
    OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                           \
    {                                                                                                                  \
        OD_UNROLL for (int i = 0; i < COLUMNS; i++) tile[r][i] = output[(at + i) * ROWS + r] * rescale[r];             \
    }

// output[column][row] = output * rescale + sum over the keys of weights[row][key] * V[key][column], for COLUMNS vectors
// from `at` on. Where some rows set some keys aside (cut), a value that is NaN or infinite must not show in them by
// 0 * NaN: then it is done again without these. After the block's keys come others, which are asked for.
#define DEFINE_ADD_VALUES(NAME, COLUMNS, LOAD)                                                                         \
    static inline void NAME(__global const ELEMENT *v, int stride, int width, const int *places, int count, int at,    \
                            const float *weights, const float *rescale, bool cut, float16 *output)                     \
    {                                                                                                                  \
        float16 tile[ROWS][COLUMNS];                                                                                   \
        START(COLUMNS)                                                                                                 \
        ADD_KEYS(COLUMNS, LOAD, true)                                                                                  \
        if (cut && any_not_finite(tile[0], ROWS * COLUMNS)) {                                                          \
            START(COLUMNS)                                                                                             \
            ADD_KEYS(COLUMNS, LOAD, as_uint(p) != 0x80000000u)                                                         \
        }                                                                                                              \
        OD_UNROLL for (int r = 0; r < ROWS; r++)                                                                       \
        {                                                                                                              \
            OD_UNROLL for (int i = 0; i < COLUMNS; i++) output[(at + i) * ROWS + r] = tile[r][i];                      \
        }                                                                                                              \
    }
#define LOAD_PAIRS(COLUMNS) OD_UNROLL for (int i = 0; i < COLUMNS; i += 2) od_load_pair(value + 16 * (at + i), x + i)
DEFINE_ADD_VALUES(add_many, COLUMNS, LOAD_PAIRS(COLUMNS))
#if COLUMNS > 2
DEFINE_ADD_VALUES(add_pair, 2, LOAD_PAIRS(2))
#endif
DEFINE_ADD_VALUES(add_single, 1, x[0] = od_load_single(value, at, width))

static inline void add_values(__global const ELEMENT *v, int stride, int width, const int *places, int count,
                              const float *weights, const float *rescale, bool cut, float16 *output)
{
    int at = 0;
    for (; 16 * (at + COLUMNS) <= width; at += COLUMNS)
        add_many(v, stride, width, places, count, at, weights, rescale, cut, output);
#if COLUMNS > 2
    for (; 16 * (at + 2) <= width; at += 2)
        add_pair(v, stride, width, places, count, at, weights, rescale, cut, output);
#endif
    for (; at < od_vectors(width); at++)
        add_single(v, stride, width, places, count, at, weights, rescale, cut, output);
}
