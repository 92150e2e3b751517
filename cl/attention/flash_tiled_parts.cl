// SPDX-License-Identifier: Apache-2.0
// The steps of flash_tiled.cl, which sets the parameters and includes this file.

// An item's second run of four rows; the first where there is only one.
#define SECOND (ROWS_ITEM - 4)
#define SECOND_AT ((RUNS - 1) * LANES_ROW)
#if LOCAL_TOTALS
#define TOTALS __local float
#define SECOND_TOTALS (SECOND_AT * 4)
#else
#define TOTALS float
#define SECOND_TOTALS SECOND
#endif

#define QUERY_KEY_FLOATS (SLICE * 4 * (PITCH_Q + PITCH_K))
#define VALUE_FLOATS (VALUE_KEYS * COLUMNS)
#define TILE_FLOATS (QUERY_KEY_FLOATS > VALUE_FLOATS ? QUERY_KEY_FLOATS : VALUE_FLOATS)

// Where a row of the key head's begins, without its batch.
static inline int place_of(int row, int group, int key_head, int4 strides)
{
    const int query = row / group;
    return (key_head * group + od_rest(row, query, group)) * strides.s1 + query * strides.s2;
}

// Items along D and across rows when queries are staged: eight along D, more where there are few rows.
#define QUERY_ACROSS (LANES_KEY / ROWS_ITEM > 8 ? LANES_KEY / ROWS_ITEM : 8)
#define QUERY_AROUND (SLICE / QUERY_ACROSS)
#define QUERY_PARTS (ROWS * SLICE / ITEMS)

// tile[d][row] = sign * Q[row][d]; 0 past D.
static inline void stage_queries(__global const ELEMENT *query, __local const int *query_at, int left, float sign,
                                 __local float *tile, int item)
{
    const int d0 = (int)((uint)item % QUERY_ACROSS), row0 = (int)((uint)item / QUERY_ACROSS);
    tile += d0 * PITCH_Q * 4 + row0;
    query_at += row0;
#pragma unroll
    for (int part = 0; part < QUERY_PARTS; part++) {
        const int d = part % QUERY_AROUND * QUERY_ACROSS, row = part / QUERY_AROUND * (ITEMS / QUERY_ACROSS);
        const float q = LOAD1(X_TYPE, query, query_at[row] + min(d0 + d, left - 1));
        tile[d * PITCH_Q * 4 + row] = d0 + d < left ? q * sign : 0.0f;
    }
}

static inline void multiply_keys(float4 *scores, __local const float4 *q_tile, __local const float4 *k_tile)
{
#pragma unroll(8)
    for (int d = 0; d < SLICE; d++, q_tile += PITCH_Q, k_tile += PITCH_K) {
        const float4 k = *k_tile, q = *q_tile, below = q_tile[SECOND_AT];
        float2 upper = q.zw, below_upper = below.zw;
        OD_UPPER(RUNS, upper, below_upper);
        OD_ADD_OUTER(scores, q, upper, k);
        if (RUNS > 1)
            OD_ADD_OUTER(scores + SECOND, below, below_upper, k);
    }
}

// An item's j-th key. If the scores moved on by one key instead, Intel's compiler would copy all of them in every turn
// of the loop that makes them.
static inline float of_key(float4 scores, int j)
{
    const float2 pair = j < 2 ? scores.xy : scores.zw;
    return j % 2 == 0 ? pair.x : pair.y;
}

// Drops the first row and appends one: a loop over rows in one piece of code, with all of them in registers.
static inline void turn_rows(float4 *scores, float4 last)
{
    OD_TURN(scores, ROWS_ITEM);
    scores[ROWS_ITEM - 1] = last;
}

// The place of an item's i-th row within the group's.
static inline int row_of(int i, int lane_row)
{
    return (i / 4 * LANES_ROW + lane_row) * 4 + i % 4;
}

// What becomes of the product of a query and a key: softcap, bias, masks. One number at a time: in vectors every
// constant and every uniform value would stand four times in the scalar registers. mask and bias begin with the query's
// row.
static inline float adjust(float score, float scale, float softcap, int key, int last, int last_seen,
                           __global const uchar *mask, int mask_stride, __global const BIAS_ELEMENT *bias,
                           int bias_stride)
{
#if SOFTCAP
    score = od_tanh_1(score * scale) * softcap;
#endif
#if BIAS_TYPE
    score = fma(score, SOFTCAP ? 1.0f : scale, LOAD1(BIAS_TYPE, bias, min(key, last) * bias_stride));
#endif
#if MASK
    score = mask[min(key, last) * mask_stride] ? score : -INFINITY;
#endif
    return key > last_seen ? -INFINITY : score;
}

static inline float4 adjust_row(float4 scores, float scale, float softcap, int key, int last, int last_seen,
                                __global const uchar *mask, int mask_stride, __global const BIAS_ELEMENT *bias,
                                int bias_stride)
{
// A tanh is long: four of them would need registers that a sum could have.
#pragma unroll(SOFTCAP ? 1 : 4)
    for (int k = 0; k < 4; k++) {
        scores.x = adjust(scores.x, scale, softcap, key + k, last, last_seen, mask, mask_stride, bias, bias_stride);
        scores = scores.yzwx;
    }
    return scores;
}

// Stores one by one: Oclgrind takes a vector made of four parts for unset. GPU compilers join them again.
static inline void put4(__local float4 *to, float x, float y, float z, float w)
{
    __local float *at = (__local float *)to;
    at[0] = x;
    at[1] = y;
    at[2] = z;
    at[3] = w;
}

// fmax passes over a NaN; it comes back through exp2(NaN - maximum).
static inline float largest_of4(float4 s)
{
    return fmax(fmax(s.x, s.y), fmax(s.z, s.w));
}

static inline void put_maxima(const float4 *scores, __local float4 *to)
{
    put4(to, largest_of4(scores[0]), largest_of4(scores[1]), largest_of4(scores[2]), largest_of4(scores[3]));
    if (RUNS > 1)
        put4(to + SECOND_AT, largest_of4(scores[SECOND]), largest_of4(scores[SECOND + 1]),
             largest_of4(scores[SECOND + 2]), largest_of4(scores[SECOND + 3]));
}

static inline float largest(__local const float *row, float so_far)
{
#pragma unroll 4
    for (int lane = 0; lane < LANES_KEY; lane++)
        so_far = fmax(so_far, row[lane * PITCH_Q * 4]);
    return so_far;
}

#define SCALE4(rows, by)                                                                                               \
    {                                                                                                                  \
        (rows)[0] *= (by).x;                                                                                           \
        (rows)[1] *= (by).y;                                                                                           \
        (rows)[2] *= (by).z;                                                                                           \
        (rows)[3] *= (by).w;                                                                                           \
    }

static inline void rescale(FLOATV sums[PASSES][ROWS_ITEM], TOTALS *totals, __local const float4 *row_rescale)
{
    const float4 by = *row_rescale, below = row_rescale[SECOND_AT];
    SCALE4(totals, by);
    if (RUNS > 1)
        SCALE4(totals + SECOND_TOTALS, below);
#define RESCALE(pass)                                                                                                  \
    SCALE4(sums[pass], by);                                                                                            \
    if (RUNS > 1)                                                                                                      \
        SCALE4(sums[pass] + SECOND, below);
    OD_REPEAT(PASSES, RESCALE)
}

static inline float weight_of(float score, float base, float unit)
{
    return score == -INFINITY ? -0.0f : exp2((score - base) * unit);
}

#define PUT_WEIGHTS4(scores, totals, base, to)                                                                         \
    {                                                                                                                  \
        const float4 from = base;                                                                                      \
        const float x = weight_of(of_key((scores)[0], j), from.x, unit),                                               \
                    y = weight_of(of_key((scores)[1], j), from.y, unit),                                               \
                    z = weight_of(of_key((scores)[2], j), from.z, unit),                                               \
                    w = weight_of(of_key((scores)[3], j), from.w, unit);                                               \
        put4(to, x, y, z, w);                                                                                          \
        (totals)[0] += x;                                                                                              \
        (totals)[1] += y;                                                                                              \
        (totals)[2] += z;                                                                                              \
        (totals)[3] += w;                                                                                              \
    }

// The weights of every item's j-th key.
static inline void put_weights(const float4 *scores, int j, float unit, TOTALS *totals, __local const float4 *row_base,
                               __local float4 *to)
{
    PUT_WEIGHTS4(scores, totals, row_base[0], to);
    if (RUNS > 1)
        PUT_WEIGHTS4(scores + SECOND, totals + SECOND_TOTALS, row_base[SECOND_AT], to + SECOND_AT);
}

// Items along and across rows of V when they are staged: a power of two of items that divides the columns.
#define POWER_OF(n) ((n) & -(n))
#define VALUE_ACROSS (POWER_OF(COLUMNS) < ITEMS ? POWER_OF(COLUMNS) : ITEMS)
#define VALUE_AROUND (COLUMNS / VALUE_ACROSS)
#define VALUE_DOWN (ITEMS / VALUE_ACROSS)

static inline bool is_strange(float v)
{
    return (as_int(v) & 0x7f800000) == 0x7f800000;
}

// tile[t][column] = V[key + 4 t][column]; 0 past the last key and, if keys may be set aside, for NaN and infinity,
// which are noted. Columns past `last` repeat it and are never stored.
static inline void stage_values(__global const ELEMENT *value, int stride, int key, int keys, int last,
                                __local float *tile, __local int *strange, int item)
{
    const int column0 = (int)((uint)item % VALUE_ACROSS), row0 = (int)((uint)item / VALUE_ACROSS);
    int odd = 0;
    tile += row0 * COLUMNS + column0;
    key += row0 * 4;
#pragma unroll 4
    for (int part = 0; part < VALUE_FLOATS / ITEMS; part++) {
        const int row = part / VALUE_AROUND * VALUE_DOWN, column = part % VALUE_AROUND * VALUE_ACROSS;
        const int t = key + row * 4;
        const float v = LOAD1(X_TYPE, value, min(t, keys - 1) * stride + min(column0 + column, last));
#if SETS_ASIDE
        const int is_odd = is_strange(v);
        tile[row * COLUMNS + column] = t < keys && !is_odd ? v : 0.0f;
        odd |= is_odd;
#else
        tile[row * COLUMNS + column] = t < keys ? v : 0.0f;
#endif
    }
    if (odd)
        *strange = 1;
}

static inline void add_values(FLOATV sums[PASSES][ROWS_ITEM], __local const float4 *p_tile, __local const FLOATV *tile)
{
#pragma unroll(VALUE_KEYS > 8 ? 8 : VALUE_KEYS / 2)
    for (int t = 0; t < VALUE_KEYS; t++, p_tile += PITCH_Q, tile += PASSES * LANES_KEY) {
        const float4 p = *p_tile, below = p_tile[SECOND_AT];
        float2 upper = p.zw, below_upper = below.zw;
        OD_UPPER(RUNS, upper, below_upper);
#define ADD_PASS(pass)                                                                                                 \
    const FLOATV v = tile[pass * LANES_KEY];                                                                           \
    OD_ADD_OUTER(sums[pass], p, upper, v);                                                                             \
    if (RUNS > 1)                                                                                                      \
        OD_ADD_OUTER(sums[pass] + SECOND, below, below_upper, v);
        OD_REPEAT(PASSES, ADD_PASS)
    }
}

#if SETS_ASIDE
static inline float add_if_strange(float sum, float p, float v)
{
    return is_strange(v) && as_uint(p) != 0x80000000u ? sum + p * v : sum;
}

static inline FLOATV add_strange_of_row(FLOATV sum, float p, FLOATV v)
{
    sum.s0 = add_if_strange(sum.s0, p, v.s0);
    sum.s1 = add_if_strange(sum.s1, p, v.s1);
#if VECTOR == 4
    sum.s2 = add_if_strange(sum.s2, p, v.s2);
    sum.s3 = add_if_strange(sum.s3, p, v.s3);
#endif
    return sum;
}

#define ADD_STRANGE4(sums, p, v)                                                                                       \
    {                                                                                                                  \
        const float4 weights = p;                                                                                      \
        (sums)[0] = add_strange_of_row((sums)[0], weights.x, v);                                                       \
        (sums)[1] = add_strange_of_row((sums)[1], weights.y, v);                                                       \
        (sums)[2] = add_strange_of_row((sums)[2], weights.z, v);                                                       \
        (sums)[3] = add_strange_of_row((sums)[3], weights.w, v);                                                       \
    }

// V[row][column] and what lies right of it, which an item takes together; columns past `last` repeat it.
static inline FLOATV values_at(__global const ELEMENT *value, int row, int column, int last)
{
    FLOATV v;
    v.s0 = LOAD1(X_TYPE, value, row + min(column, last));
    v.s1 = LOAD1(X_TYPE, value, row + min(column + 1, last));
#if VECTOR == 4
    v.s2 = LOAD1(X_TYPE, value, row + min(column + 2, last));
    v.s3 = LOAD1(X_TYPE, value, row + min(column + 3, last));
#endif
    return v;
}

// What stage_values left out: NaN and infinity, for the rows that do not set the key aside. `value` begins with the
// item's first column, of which `last` is the last one there is.
static inline void add_strange_values(FLOATV sums[PASSES][ROWS_ITEM], __local const float4 *p_tile,
                                      __global const ELEMENT *value, int stride, int key, int keys, int last)
{
#pragma unroll 1
    for (int t = 0; t < VALUE_KEYS; t++, p_tile += PITCH_Q) {
        const int row = min(key + 4 * t, keys - 1) * stride;
#define ADD_STRANGE(pass)                                                                                              \
    const FLOATV v = values_at(value, row, pass * LANES_KEY * VECTOR, last);                                           \
    ADD_STRANGE4(sums[pass], p_tile[0], v);                                                                            \
    if (RUNS > 1)                                                                                                      \
        ADD_STRANGE4(sums[pass] + SECOND, p_tile[SECOND_AT], v);
        OD_REPEAT(PASSES, ADD_STRANGE)
    }
}
#endif

#if !LOCAL_TOTALS
static inline void put_totals(const float *totals, __local float4 *to)
{
    put4(to, totals[0], totals[1], totals[2], totals[3]);
    if (RUNS > 1)
        put4(to + SECOND_AT, totals[SECOND], totals[SECOND + 1], totals[SECOND + 2], totals[SECOND + 3]);
}
#endif

static inline float total_of(__local const float *row)
{
    float total = 0.0f;
    for (int lane = 0; lane < LANES_KEY; lane++)
        total += row[lane * PITCH_Q * 4];
    return total;
}

static inline void store_part(FLOATV v, __global ELEMENT *output, int column, int value_width)
{
    if (column < value_width)
        STORE1(X_TYPE, v.s0, output, column);
    if (column + 1 < value_width)
        STORE1(X_TYPE, v.s1, output, column + 1);
#if VECTOR == 4
    if (column + 2 < value_width)
        STORE1(X_TYPE, v.s2, output, column + 2);
    if (column + 3 < value_width)
        STORE1(X_TYPE, v.s3, output, column + 3);
#endif
}

// The first of an item's rows, from its first column on.
static inline void store_row(FLOATV sums[PASSES][ROWS_ITEM], float factor, __global ELEMENT *output, int column,
                             int value_width)
{
#define STORE_PASS(pass) store_part(sums[pass][0] * factor, output, column + pass * LANES_KEY * VECTOR, value_width);
    OD_REPEAT(PASSES, STORE_PASS)
}
