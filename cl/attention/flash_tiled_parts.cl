// SPDX-License-Identifier: Apache-2.0
// The steps of flash_tiled.cl, which sets the parameters and includes this file.

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
#pragma unroll
    for (int part = 0; part < QUERY_PARTS; part++) {
        const int d = (int)((uint)item % QUERY_ACROSS) + part % QUERY_AROUND * QUERY_ACROSS;
        const int row = (int)((uint)item / QUERY_ACROSS) + part / QUERY_AROUND * (ITEMS / QUERY_ACROSS);
        const float q = LOAD1(X_TYPE, query, query_at[row] + min(d, left - 1));
        tile[d * PITCH_Q * 4 + row] = d < left ? q * sign : 0.0f;
    }
}

static inline void multiply_keys(float4 *scores, __local const float4 *q_tile, __local const float4 *k_tile)
{
#pragma unroll 4
    for (int d = 0; d < SLICE; d++) {
        const float4 k = k_tile[d * PITCH_K];
#pragma unroll
        for (int i = 0; i < RUNS; i++) {
            const float4 q = q_tile[d * PITCH_Q + i * LANES_ROW];
            scores[4 * i] += q.x * k;
            scores[4 * i + 1] += q.y * k;
            scores[4 * i + 2] += q.z * k;
            scores[4 * i + 3] += q.w * k;
        }
    }
}

// Drops the first row and appends one: a loop over rows in one piece of code, with all of them in registers.
static inline void turn_rows(float4 *scores, float4 last)
{
#pragma unroll
    for (int r = 0; r + 1 < ROWS_ITEM; r++)
        scores[r] = scores[r + 1];
    scores[ROWS_ITEM - 1] = last;
}

// The place of an item's i-th row within the group's.
static inline int row_of(int i, int lane_row)
{
    return (i / 4 * LANES_ROW + lane_row) * 4 + i % 4;
}

#if BIAS_TYPE
// scores = scale * scores + bias
static inline void add_bias(float4 *scores, float scale, __global const STORAGE(BIAS_TYPE) * bias,
                            __local const int *bias_at, int stride, int key, int last, int lane_row)
{
    const int k0 = min(key, last) * stride, k1 = min(key + 1, last) * stride, k2 = min(key + 2, last) * stride,
              k3 = min(key + 3, last) * stride;
#pragma unroll 1
    for (int i = 0; i < ROWS_ITEM; i++) {
        const int at = bias_at[row_of(i, lane_row)];
        const float4 b = (float4)(LOAD1(BIAS_TYPE, bias, at + k0), LOAD1(BIAS_TYPE, bias, at + k1),
                                  LOAD1(BIAS_TYPE, bias, at + k2), LOAD1(BIAS_TYPE, bias, at + k3));
        turn_rows(scores, fma(scores[0], (float4)(scale), b));
    }
}
#endif

#if MASK
static inline void set_masked_aside(float4 *scores, __global const uchar *mask, __local const int *mask_at, int stride,
                                    int key, int last, int lane_row)
{
    const int k0 = min(key, last) * stride, k1 = min(key + 1, last) * stride, k2 = min(key + 2, last) * stride,
              k3 = min(key + 3, last) * stride;
#pragma unroll 1
    for (int i = 0; i < ROWS_ITEM; i++) {
        const int at = mask_at[row_of(i, lane_row)];
        const int4 on = (int4)(mask[at + k0], mask[at + k1], mask[at + k2], mask[at + k3]);
        turn_rows(scores, on != 0 ? scores[0] : (float4)(-INFINITY));
    }
}
#endif

#if CAUSAL
// Key number `key` (from which causal_offset has been taken) is for queries from it on.
static inline void set_later_aside(float4 *scores, int key, int row0, int group, int lane_row)
{
#pragma unroll 1
    for (int i = 0; i < ROWS_ITEM; i++) {
        const int query = (row0 + row_of(i, lane_row)) / group;
        turn_rows(scores, (int4)(key, key + 1, key + 2, key + 3) > query ? (float4)(-INFINITY) : scores[0]);
    }
}
#endif

static inline void set_past_aside(float4 *scores, int key, int keys)
{
    const int4 past = (int4)(key, key + 1, key + 2, key + 3) >= keys;
#pragma unroll
    for (int r = 0; r < ROWS_ITEM; r++)
        scores[r] = past ? (float4)(-INFINITY) : scores[r];
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
#pragma unroll
    for (int i = 0; i < RUNS; i++)
        put4(to + i * LANES_ROW, largest_of4(scores[4 * i]), largest_of4(scores[4 * i + 1]),
             largest_of4(scores[4 * i + 2]), largest_of4(scores[4 * i + 3]));
}

static inline float largest(__local const float *row, float so_far)
{
#pragma unroll 4
    for (int lane = 0; lane < LANES_KEY; lane++)
        so_far = fmax(so_far, row[lane * PITCH_Q * 4]);
    return so_far;
}

static inline void rescale(FLOATV sums[ROWS_ITEM][PASSES], float *totals, __local const float4 *row_rescale)
{
#pragma unroll
    for (int i = 0; i < RUNS; i++) {
        const float4 factor = row_rescale[i * LANES_ROW];
        totals[4 * i] *= factor.x;
        totals[4 * i + 1] *= factor.y;
        totals[4 * i + 2] *= factor.z;
        totals[4 * i + 3] *= factor.w;
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++) {
            sums[4 * i][pass] *= factor.x;
            sums[4 * i + 1][pass] *= factor.y;
            sums[4 * i + 2][pass] *= factor.z;
            sums[4 * i + 3][pass] *= factor.w;
        }
    }
}

static inline float weight_of(float score, float base, float unit)
{
    return score == -INFINITY ? -0.0f : exp2((score - base) * unit);
}

// The weights of every item's next key; the scores move on by one key.
static inline void put_weights(float4 *scores, float unit, float *totals, __local const float4 *row_base,
                               __local float4 *to)
{
#pragma unroll
    for (int i = 0; i < RUNS; i++) {
        const float4 base = row_base[i * LANES_ROW];
        const float x = weight_of(scores[4 * i].x, base.x, unit), y = weight_of(scores[4 * i + 1].x, base.y, unit),
                    z = weight_of(scores[4 * i + 2].x, base.z, unit), w = weight_of(scores[4 * i + 3].x, base.w, unit);
        put4(to + i * LANES_ROW, x, y, z, w);
        totals[4 * i] += x;
        totals[4 * i + 1] += y;
        totals[4 * i + 2] += z;
        totals[4 * i + 3] += w;
    }
#pragma unroll
    for (int r = 0; r < ROWS_ITEM; r++)
        scores[r] = scores[r].yzwx;
}

// tile[t][column] = V[key + 4 t][column]; 0 past the last key. Columns past `last` repeat it and are never stored.
static inline void stage_values(__global const ELEMENT *value, int stride, int key, int keys, int last,
                                __local float *tile, __local int *strange, int item)
{
    int odd = 0;
#pragma unroll 4
    for (int part = 0; part < VALUE_FLOATS / ITEMS; part++) {
        const int place = part * ITEMS + item, row = (int)((uint)place / COLUMNS), t = key + row * 4;
        const float v = LOAD1(X_TYPE, value, min(t, keys - 1) * stride + min(od_rest(place, row, COLUMNS), last));
        tile[place] = t < keys ? v : 0.0f;
        odd |= (as_int(v) & 0x7f800000) == 0x7f800000;
    }
    if (SETS_ASIDE && odd)
        *strange = 1;
}

static inline FLOATV add_or_skip(FLOATV sum, float p, FLOATV v)
{
    return as_uint(p) == 0x80000000u ? sum : sum + p * v;
}

static inline void add_values(FLOATV sums[ROWS_ITEM][PASSES], __local const float4 *p_tile, __local const FLOATV *tile,
                              int strange)
{
    if (SETS_ASIDE && strange) {
#pragma unroll 1
        for (int t = 0; t < VALUE_KEYS; t++)
#pragma unroll
            for (int pass = 0; pass < PASSES; pass++) {
                const FLOATV v = tile[(t * PASSES + pass) * LANES_KEY];
#pragma unroll
                for (int i = 0; i < RUNS; i++) {
                    const float4 p = p_tile[t * PITCH_Q + i * LANES_ROW];
                    sums[4 * i][pass] = add_or_skip(sums[4 * i][pass], p.x, v);
                    sums[4 * i + 1][pass] = add_or_skip(sums[4 * i + 1][pass], p.y, v);
                    sums[4 * i + 2][pass] = add_or_skip(sums[4 * i + 2][pass], p.z, v);
                    sums[4 * i + 3][pass] = add_or_skip(sums[4 * i + 3][pass], p.w, v);
                }
            }
        return;
    }
#pragma unroll(PASSES > 2 ? 1 : 4)
    for (int t = 0; t < VALUE_KEYS; t++) {
        float4 p[RUNS];
#pragma unroll
        for (int i = 0; i < RUNS; i++)
            p[i] = p_tile[t * PITCH_Q + i * LANES_ROW];
#pragma unroll
        for (int pass = 0; pass < PASSES; pass++) {
            const FLOATV v = tile[(t * PASSES + pass) * LANES_KEY];
#pragma unroll
            for (int i = 0; i < RUNS; i++) {
                sums[4 * i][pass] += p[i].x * v;
                sums[4 * i + 1][pass] += p[i].y * v;
                sums[4 * i + 2][pass] += p[i].z * v;
                sums[4 * i + 3][pass] += p[i].w * v;
            }
        }
    }
}

static inline void put_totals(const float *totals, __local float4 *to)
{
#pragma unroll
    for (int i = 0; i < RUNS; i++)
        put4(to + i * LANES_ROW, totals[4 * i], totals[4 * i + 1], totals[4 * i + 2], totals[4 * i + 3]);
}

static inline float total_of(__local const float *row)
{
    float total = 0.0f;
    for (int lane = 0; lane < LANES_KEY; lane++)
        total += row[lane * PITCH_Q * 4];
    return total;
}

static inline void store_row(const FLOATV *row, float factor, __global ELEMENT *output, int column0, int value_width,
                             int lane_key)
{
#pragma unroll
    for (int pass = 0; pass < PASSES; pass++) {
        const int column = column0 + (pass * LANES_KEY + lane_key) * VECTOR;
        const FLOATV v = row[pass] * factor;
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
}
