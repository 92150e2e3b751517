// SPDX-License-Identifier: Apache-2.0
// A matrix into AMX tiles (amx_tiles.cl). One work-item for each slice of k, panel of 16 lines and batch.

//! X_TYPE 1..3 dtype of the matrix (1 F32, 2 F16, 3 BF16)
//! PARTS 1..3 tiles that add up to a value: 3 for F32, 2 for F16, 1 for BF16
//! FORM 0..2 how it lies: 0 packed panels of 32 lines, [k][32]; 1 [k, lines]; 2 [lines, k]
//! PAIRS 0..1 the tile's form: 0 rows of 32 k, as of A; 1 two k of each of 16 columns, 16 times, as of B
//! KB 32..1024 k of a slice, a multiple of 32
#ifndef X_TYPE
#define X_TYPE 1
#endif
#ifndef PARTS
#define PARTS 3
#endif
#ifndef FORM
#define FORM 2
#endif
#ifndef PAIRS
#define PAIRS 1
#endif
#ifndef KB
#define KB 256
#endif

#include "common/rows.cl"
#include "common/transpose.cl"
#include "gemm/amx_tiles.cl"

#define OD_LEAST 0x2b800000u   // 2^-40
#define OD_SMALLER 0x2c000000u // 2^-39
#define OD_COARSE 0x08800000u  // 2^-110: 24 bits of less would reach below BF16's smallest denormal
#define OD_MOST 0x5e800000u    // 2^62
#define OD_INFINITY 0x7f800000u
#define OD_ROUNDS_UP 0x7f7f8000u // from here on to infinity, as BF16

// The k at even and odd places of one vector's lines, or of one line, for part after part.
typedef struct pair {
    float16 even, odd;
} pair;

// The bits of x rounded to BF16, in the upper halves. What would round to infinity is cut off instead, as is what is
// not finite.
static inline uint16 rounded(float16 x)
{
    uint16 bits = as_uint16(x);
    return (bits + select((uint16)(0x8000u), (uint16)(0u), (bits & 0x7fffffffu) >= OD_ROUNDS_UP)) & 0xffff0000u;
}

static inline float16 without(float16 x, uint16 part)
{
    return as_float16(select(as_uint16(x - as_float16(part)), (uint16)(0u), (part & 0x7fffffffu) == OD_INFINITY));
}

static inline uint16 last_part(const pair *x)
{
    return as_uint16(x->even) >> 16 | (as_uint16(x->odd) & 0xffff0000u);
}

static inline uint16 next_part(pair *x)
{
    uint16 even = rounded(x->even), odd = rounded(x->odd);
    x->even = without(x->even, even);
    x->odd = without(x->odd, odd);
    return even >> 16 | odd;
}

// Of the lines' magnitudes, as bits: the largest, and one less than the smallest that is not 0.
typedef struct range {
    uint16 most, least;
} range;

static inline void widen(range *r, pair x)
{
    uint16 even = as_uint16(x.even) & 0x7fffffffu, odd = as_uint16(x.odd) & 0x7fffffffu;
    r->most = max(r->most, max(even, odd));
#if PARTS != 2 // F16 has nothing as small as would matter
    r->least = min(r->least, min(even - 1u, odd - 1u));
#endif
}

// Element i of `lines` lines, `step` apart, the other ones 0.
static inline float16 take(__global const STORAGE(X_TYPE) * x, int i, int step, int lines)
{
    float16 value = 0.0f;
    for (int line = 0; line < lines; line++)
        ((float *)&value)[line] = LOAD1(X_TYPE, x, line * step + i);
    return value;
}

#if FORM == 2
// Row `number` of the tile at k: one line's 32 k, of which `depth` are there.
static inline pair take_pair(__global const STORAGE(X_TYPE) * x, int lead, int number, int lines, int k, int depth)
{
    pair p = {0.0f, 0.0f};
    float16 low, high;
    if (number >= lines)
        return p;
    x += number * lead + k;
    if (depth - k >= STEP) {
        low = LOAD16(X_TYPE, x, 0);
        high = LOAD16(X_TYPE, x, 16);
    } else {
        low = take(x, 0, 1, min(16, depth - k));
        high = take(x, 16, 1, clamp(depth - k - 16, 0, 16));
    }
    p.even = (float16)(low.even, high.even);
    p.odd = (float16)(low.odd, high.odd);
    return p;
}
#else
// Row `number` of the tile at k: two k of 16 lines.
static inline pair take_pair(__global const STORAGE(X_TYPE) * x, int lead, int number, int lines, int k, int depth)
{
    pair p = {0.0f, 0.0f};
    k += 2 * number;
    x += k * lead;
    if (k < depth)
        p.even = lines == LINES ? LOAD16(X_TYPE, x, 0) : take(x, 0, 1, lines);
    if (k + 1 < depth)
        p.odd = lines == LINES ? LOAD16(X_TYPE, x, lead) : take(x, lead, 1, lines);
    return p;
}
#endif

// The slice of k from `begin` on into tiles, each line times its scale if `enlarge` has them; the range of each line.
static __attribute__((noinline)) range pack_slice(__global const STORAGE(X_TYPE) * x, __global ushort *tiles, int lead,
                                                  int lines, int begin, int depth, const float16 *enlarge)
{
    uint16 part[PARTS][LINES], most[LINES], least[LINES];
    range all = {0u, 0xffffffffu};
    for (int i = 0; i < LINES; i++) {
        most[i] = all.most;
        least[i] = all.least;
    }
    for (int k = begin; k < min(depth, begin + KB); k += STEP) {
        __global uint *tile = (__global uint *)tiles + (k - begin) / STEP * (PARTS * TILE / 2);
        for (int i = 0; i < LINES; i++) {
            pair p = take_pair(x, lead, i, lines, k, depth);
            range here = {most[i], least[i]};
            widen(&here, p);
            most[i] = here.most;
            least[i] = here.least;
            if (enlarge) {
                float16 scale = FORM == 2 ? (float16)(((const float *)enlarge)[i]) : *enlarge;
                p.even *= scale;
                p.odd *= scale;
            }
            OD_UNROLL for (int j = 0; j + 1 < PARTS; j++) part[j][i] = next_part(&p);
            part[PARTS - 1][i] = last_part(&p);
        }
        for (int j = 0; j < PARTS; j++) {
#if PAIRS != (FORM != 2)
            od_transpose16((float16 *)part[j]);
#endif
            for (int i = 0; i < LINES; i++)
                *(__global od_loose_uint16 *)(tile + (j * LINES + i) * 16) = part[j][i];
        }
    }
#if FORM == 2
    od_transpose16((float16 *)most);
    od_transpose16((float16 *)least);
#endif
    for (int i = 0; i < LINES; i++) {
        all.most = max(all.most, most[i]);
        all.least = min(all.least, least[i]);
    }
    return all;
}

#define OD_WHERE(condition, flag) select((uint16)(0u), (uint16)(flag), condition)

// The notes of amx_tiles.cl.
static inline uint16 note_lines(range r)
{
    int16 tiny = r.most != 0u && r.most < OD_LEAST, coarse = PARTS == 3 && r.least < OD_COARSE - 1u;
    uint16 note = r.most & ~OD_FLAGS;
    note |= OD_WHERE(r.most >= OD_MOST || tiny || coarse, OD_PLAIN);
    note |= OD_WHERE(PARTS == 3 && r.most < OD_MOST && (tiny || coarse), OD_ENLARGED);
    return note | OD_WHERE(r.least < OD_SMALLER - 1u, OD_SMALL);
}

__kernel __attribute__((reqd_work_group_size(1, 1, 1))) void
gemm_amx_pack(__global const STORAGE(X_TYPE) * x, ulong x_offset, __global ushort *tiles, ulong tiles_offset,
              __global uint *notes, ulong notes_offset, int lines, int depth, int lead, int4 batch_shape, int4 batch_x)
{
    int slice = (int)get_group_id(0), panel = (int)get_group_id(1), batch = (int)get_group_id(2);
    int at = panel * LINES, here = min((int)LINES, lines - at), panels = (int)get_num_groups(1), k = slice * KB;
    uint16 note;
    x += x_offset + (ulong)od_row_offset(od_row(batch, batch_shape), batch_x);
#if FORM == 0
    x += (ulong)(at / 32 * 32) * (ulong)depth + (ulong)(at % 32);
    lead = 32;
    here = LINES;
#elif FORM == 1
    x += at;
#else
    x += at * lead;
#endif
    tiles += tiles_offset +
             (ulong)(batch * panels * OD_STEPS(depth) + OD_PLACE(slice, panel, panels, depth)) * (PARTS * TILE);
    note = note_lines(pack_slice(x, tiles, lead, here, k, depth, 0));
    if (any((note & OD_ENLARGED) != 0u)) {
        float16 scales = select((float16)(1.0f), (float16)(OD_ENLARGE), (note & OD_ENLARGED) != 0u);
        pack_slice(x, tiles, lead, here, k, depth, &scales);
    }
    notes += notes_offset + (ulong)((batch * panels + panel) * OD_SLICES(depth) + slice) * LINES;
    *(__global od_loose_uint16 *)notes = note;
}
