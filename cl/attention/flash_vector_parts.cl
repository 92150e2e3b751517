// SPDX-License-Identifier: Apache-2.0
// The steps of flash_vector.cl, which sets the parameters and includes this file.

// QT[d][row] = sign * Q[row][d]; rows past the last one are zeros.
static inline void turn_queries(__global const ELEMENT *q, int stride, int rows, int width, float sign,
                                float16 *query_t)
{
    for (int i = 0; i < ROW_VECTORS; i++) {
        int present = clamp(rows - 16 * i, 0, 16);
        int d = 0;
        for (; d + 16 <= width; d += 16) {
            float16 block[16];
            for (int r = 0; r < 16; r++)
                block[r] = 0.0f;
            for (int r = 0; r < present; r++)
                block[r] = LOAD16(X_TYPE, q, (16 * i + r) * stride + d);
            od_transpose16(block);
            for (int c = 0; c < 16; c++)
                query_t[(d + c) * ROW_VECTORS + i] = block[c] * sign;
        }
        for (; d < width; d++)
            for (int r = 0; r < 16; r++)
                ((float *)query_t)[(d * ROW_VECTORS + i) * 16 + r] =
                    r < present ? LOAD1(X_TYPE, q, (16 * i + r) * stride + d) * sign : 0.0f;
    }
}

// Keys and values as floats that can be read one by one: F32 where they lie, others from a converted copy.
#if X_TYPE == OD_F32
#define NEAR __global
#else
#define NEAR __private
static inline void convert_row(__global const ELEMENT *from, int width, float *to)
{
    int d = 0;
    for (; d + 16 <= width; d += 16)
        vstore16(LOAD16(X_TYPE, from, d), 0, to + d);
    for (; d < width; d++)
        to[d] = LOAD1(X_TYPE, from, d);
}
#endif

// tile[TILE][row] += element `at` of TILE keys * the same of the rows.
#define SCORE_STEP(at)                                                                                                 \
    do {                                                                                                               \
        float16 rows[ROW_VECTORS];                                                                                     \
        _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++) rows[j] = query_t[(at)*ROW_VECTORS + j];               \
        _Pragma("unroll") for (int i = 0; i < TILE; i++) _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++)       \
            tile[i][j] = fma((float16)(keys[i][at]), rows[j], tile[i][j]);                                             \
    } while (0)

// Asks for the lines of a row.
static inline void ask_row(__global const ELEMENT *row, int width)
{
    for (int d = 0; d < width; d += 64 / (int)sizeof(ELEMENT))
        OD_ASK(row + d, 1);
}

// scores[key][row] for count keys, a tile of keys after the other. Two steps a turn leave a core's issue slots to the
// multiplications; with four the compiler runs out of registers. Meanwhile the keys' values are asked for: where heads
// lie side by side, each is in another page.
static inline void score_keys(__global const ELEMENT *k, int stride, __global const ELEMENT *v, int value_stride,
                              int value_width, const int *places, int count, int width, const float16 *query_t,
                              float *staged, float16 *scores)
{
    for (int first = 0; first < count; first += TILE) {
        float16 tile[TILE][ROW_VECTORS];
        NEAR const float *keys[TILE];
#pragma unroll
        for (int i = 0; i < TILE; i++) {
            int place = places[min(first + i, count - 1)];
            __global const ELEMENT *key = k + place * stride;
            ask_row(v + place * value_stride, value_width);
#if X_TYPE == OD_F32
            keys[i] = key;
#else
            keys[i] = staged + i * WIDTH;
            convert_row(key, width, staged + i * WIDTH);
#endif
        }
#pragma unroll
        for (int i = 0; i < TILE; i++)
#pragma unroll
            for (int j = 0; j < ROW_VECTORS; j++)
                tile[i][j] = 0.0f;
        int d = 0;
        for (; d + 2 <= width; d += 2) {
            SCORE_STEP(d);
            SCORE_STEP(d + 1);
        }
        if (d < width) {
            SCORE_STEP(d);
        }
#pragma unroll
        for (int i = 0; i < TILE; i++)
#pragma unroll
            for (int j = 0; j < ROW_VECTORS; j++)
                scores[(first + i) * ROW_VECTORS + j] = tile[i][j];
    }
}

#if BIAS_TYPE
// scores = scale * scores + bias, in blocks of 16 rows and 16 keys that are read along the keys and turned.
static inline void add_bias(__global const STORAGE(BIAS_TYPE) * bias, int4 strides, const int *places, int count,
                            int rows, float scale, float16 *scores)
{
    for (int first = 0; first < count; first += 16)
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 block[16];
            int keys = min(16, count - first), present = clamp(rows - 16 * j, 0, 16);
            bool together = strides.s3 == 1 && keys == 16 && places[first + 15] - places[first] == 15;
            for (int r = 0; r < 16; r++) {
                int row = (16 * j + r) * strides.s2;
                block[r] = 0.0f;
                if (r < present && together)
                    block[r] = LOAD16(BIAS_TYPE, bias, row + places[first]);
                else if (r < present)
                    for (int c = 0; c < keys; c++)
                        ((float *)&block[r])[c] = LOAD1(BIAS_TYPE, bias, row + places[first + c] * strides.s3);
            }
            od_transpose16(block);
            for (int c = 0; c < keys; c++)
                scores[(first + c) * ROW_VECTORS + j] =
                    fma(scores[(first + c) * ROW_VECTORS + j], (float16)(scale), block[c]);
        }
}
#endif

#if MASK == 2
// Sets the keys aside whose mask is 0, in blocks as above. Keys are those from `place` on.
static inline void rule_out_masked(__global const uchar *mask, int4 strides, int place, int count, int rows,
                                   float16 *scores)
{
    for (int first = 0; first < count; first += 16)
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 block[16];
            int keys = min(16, count - first), present = clamp(rows - 16 * j, 0, 16);
            for (int r = 0; r < 16; r++) {
                int at = (16 * j + r) * strides.s2 + (place + first) * strides.s3;
                block[r] = 0.0f;
                if (r < present && keys == 16 && strides.s3 == 1)
                    block[r] = convert_float16(vload16(0, mask + at));
                else if (r < present)
                    for (int c = 0; c < keys; c++)
                        ((float *)&block[r])[c] = mask[at + c * strides.s3];
            }
            od_transpose16(block);
            for (int c = 0; c < keys; c++) {
                float16 s = scores[(first + c) * ROW_VECTORS + j];
                scores[(first + c) * ROW_VECTORS + j] = block[c] == 0.0f ? (float16)(-INFINITY) : s;
            }
        }
}
#endif

#if CAUSAL
// Sets the keys aside that come after each row's last one.
static inline void rule_out_later(const int *places, int count, int first_limit, float16 *scores)
{
    const int16 steps = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    for (int i = 0; i < count; i++)
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 s = scores[i * ROW_VECTORS + j];
            int16 limits = steps + (first_limit + 16 * j);
            scores[i * ROW_VECTORS + j] = places[i] > limits ? (float16)(-INFINITY) : s;
        }
}
#endif

static inline void weigh(int count, float unit, bool cut, const float16 *most, float16 *scores, float16 *sum)
{
    for (int i = 0; i < count; i++)
#pragma unroll
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 s = scores[i * ROW_VECTORS + j];
            float16 p = od_exp2_16((s - most[j]) * unit);
            sum[j] += p;
            if (cut)
                p = s == -INFINITY ? (float16)(-0.0f) : p;
            scores[i * ROW_VECTORS + j] = p;
        }
}

// Scores become weights exp2((score - maximum) * unit). A key that is set aside gets the weight -0, by which add_values
// knows it from one whose weight merely underflows.
static inline void soften(int count, float unit, bool cut, float16 *scores, float16 *maximum, float16 *sum,
                          float16 *rescale)
{
    float16 most[ROW_VECTORS];
#pragma unroll
    for (int j = 0; j < ROW_VECTORS; j++)
        most[j] = maximum[j];
    for (int i = 0; i < count; i++)
#pragma unroll
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 s = scores[i * ROW_VECTORS + j];
            most[j] = s > most[j] ? s : most[j]; // a NaN is not taken here; its own weight becomes NaN below
        }
#pragma unroll
    for (int j = 0; j < ROW_VECTORS; j++) {
        float16 used = most[j] == -INFINITY ? (float16)(0.0f) : most[j];
        rescale[j] = od_exp2_16((maximum[j] - used) * unit);
        maximum[j] = most[j];
        most[j] = used;
        sum[j] *= rescale[j];
    }
    if (cut)
        weigh(count, unit, true, most, scores, sum);
    else
        weigh(count, unit, false, most, scores, sum);
}

// tile[COLUMNS][row] += value `at` * its weight in each row.
#define VALUE_STEP(COLUMNS, at)                                                                                        \
    do {                                                                                                               \
        NEAR const float *value = values + PLACE(places, at) * stride;                                                 \
        float16 near[ROW_VECTORS];                                                                                     \
        _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++) near[j] = weights[(at)*ROW_VECTORS + j];               \
        _Pragma("unroll") for (int i = 0; i < COLUMNS; i++) _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++)    \
            tile[i][j] = fma((float16)(value[i]), near[j], tile[i][j]);                                                \
    } while (0)

// output_t[column][row] = output_t * rescale + sum over the keys of V[key][column] * weights[key][row], for COLUMNS
// columns. Values lie `stride` apart, or where places say.
#define DEFINE_ADD_VALUES(NAME, COLUMNS)                                                                               \
    static inline void NAME(NEAR const float *values, int stride, const int *places, int count,                        \
                            const float16 *weights, const float16 *rescale, float16 *output_t)                         \
    {                                                                                                                  \
        float16 tile[COLUMNS][ROW_VECTORS];                                                                            \
        _Pragma("unroll") for (int i = 0; i < COLUMNS; i++) _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++)    \
            tile[i][j] = output_t[i * ROW_VECTORS + j] * rescale[j];                                                   \
        int key = 0;                                                                                                   \
        for (; key + 2 <= count; key += 2) {                                                                           \
            VALUE_STEP(COLUMNS, key);                                                                                  \
            VALUE_STEP(COLUMNS, key + 1);                                                                              \
        }                                                                                                              \
        if (key < count) {                                                                                             \
            VALUE_STEP(COLUMNS, key);                                                                                  \
        }                                                                                                              \
        _Pragma("unroll") for (int i = 0; i < COLUMNS; i++) _Pragma("unroll") for (int j = 0; j < ROW_VECTORS; j++)    \
            output_t[i * ROW_VECTORS + j] = tile[i][j];                                                                \
    }
#if X_TYPE == OD_F32
#define PLACE(places, key) (places)[key]
#else
#define PLACE(places, key) (key)
#endif
DEFINE_ADD_VALUES(add_tile, TILE)
DEFINE_ADD_VALUES(add_four, 4)
DEFINE_ADD_VALUES(add_column, 1)

#if MASK == 2 || CAUSAL
// The same for blocks in which some rows set a key aside whose value is NaN or infinite: 0 * NaN must not show.
static inline void add_careful(NEAR const float *values, int stride, const int *places, int count, int columns,
                               const float16 *weights, const float16 *rescale, float16 *output_t)
{
    for (int i = 0; i < columns; i++)
        for (int j = 0; j < ROW_VECTORS; j++) {
            float16 total = output_t[i * ROW_VECTORS + j] * rescale[j];
            for (int key = 0; key < count; key++) {
                float16 weight = weights[key * ROW_VECTORS + j];
                float16 more = fma((float16)(values[PLACE(places, key) * stride + i]), weight, total);
                total = as_uint16(weight) == 0x80000000u ? total : more;
            }
            output_t[i * ROW_VECTORS + j] = total;
        }
}

static inline bool any_not_finite(const float16 *vectors, int count)
{
    float16 t = 0.0f;
    for (int i = 0; i < count; i++)
        t = fma(vectors[i], (float16)(0.0f), t);
    float8 e = t.lo + t.hi;
    float4 f = e.lo + e.hi;
    float g = f.s0 + f.s1 + f.s2 + f.s3;
    return g != g;
}
#endif

// cut: some rows set some of these keys aside.
static inline void add_values(__global const ELEMENT *v, int stride, const int *places, int count, int value_width,
                              const float16 *weights, const float16 *rescale, bool cut, float *staged,
                              float16 *output_t)
{
    for (int column0 = 0; column0 < value_width; column0 += CHUNK) {
        int columns = min(CHUNK, value_width - column0);
        int step = TILE, apart = X_TYPE == OD_F32 ? stride : CHUNK;
#if X_TYPE == OD_F32
        NEAR const float *values = v + column0;
#else
        NEAR const float *values = staged;
        for (int i = 0; i < count; i++)
            convert_row(v + places[i] * stride + column0, columns, staged + i * CHUNK);
#endif
        for (int c = 0; c < columns; c += step) {
            float16 *out = output_t + (column0 + c) * ROW_VECTORS;
#if MASK == 2 || CAUSAL
            float16 before[TILE * ROW_VECTORS];
            if (cut)
                for (int i = 0; i < TILE * ROW_VECTORS; i++)
                    before[i] = out[i];
#endif
            int left = columns - c;
            step = left >= TILE && left != 8 ? TILE : left >= 4 ? 4 : 1;
            if (step == TILE)
                add_tile(values + c, apart, places, count, weights, rescale, out);
            else if (step == 4)
                add_four(values + c, apart, places, count, weights, rescale, out);
            else
                add_column(values + c, apart, places, count, weights, rescale, out);
#if MASK == 2 || CAUSAL
            if (cut && any_not_finite(out, step * ROW_VECTORS)) {
                for (int i = 0; i < step * ROW_VECTORS; i++)
                    out[i] = before[i];
                add_careful(values + c, apart, places, count, step, weights, rescale, out);
            }
#endif
        }
    }
}

// Rows divided by their sums, and turned back.
static inline void store_output(const float16 *output_t, const float16 *sum, int rows, int value_width,
                                __global ELEMENT *out, int stride)
{
    for (int i = 0; i < ROW_VECTORS; i++) {
        int present = clamp(rows - 16 * i, 0, 16);
        float16 inverse = sum[i] == 0.0f ? (float16)(0.0f) : 1.0f / sum[i];
        int d = 0;
        for (; d + 16 <= value_width; d += 16) {
            float16 block[16];
            for (int c = 0; c < 16; c++)
                block[c] = od_divide(output_t[(d + c) * ROW_VECTORS + i], sum[i], inverse);
            od_transpose16(block);
            for (int r = 0; r < present; r++)
                STORE16(X_TYPE, block[r], out, (16 * i + r) * stride + d);
        }
        for (; d < value_width; d++) {
            float ALIGNED column[16];
            vstore16(od_divide(output_t[d * ROW_VECTORS + i], sum[i], inverse), 0, column);
            for (int r = 0; r < present; r++)
                STORE1(X_TYPE, column[r], out, (16 * i + r) * stride + d);
        }
    }
}
