// SPDX-License-Identifier: Apache-2.0
// The best k of a row by one work-item; top_k.cl, which includes this, says what the numbers are.
//
// A long row is read once, by vectors, for the largest value of each of its blocks, lane by lane. The k-th largest of
// GROUPS such maxima, put together from the blocks', cannot be above the row's k-th largest value and is hardly below:
// only what reaches it is a candidate, and only blocks that have one are looked at again. NaN, rows too short and rows
// with too many candidates go to a heap.

enum {
    GROUPS = BEST < 64 ? 256 : 4 * BEST, // how many maxima the bound is taken from
    GROUP_VECTORS = GROUPS / 16,
    CANDIDATES = 4 * BEST, // a multiple of 8
    MOST_BLOCKS = GROUP_VECTORS < 256 ? 256 : GROUP_VECTORS,
    STEP = 8,    // vectors of a block, or a part of them
    RANKED = 256 // so many candidates are sorted by counting, more by a heap
};

// heap[0] is the least of the kept ones.
static inline void sink(ulong *heap, int count, int at)
{
    for (;;) {
        int child = 2 * at + 1;
        ulong moved;
        if (child >= count)
            return;
        if (child + 1 < count && heap[child + 1] < heap[child])
            child++;
        if (heap[at] <= heap[child])
            return;
        moved = heap[at];
        heap[at] = heap[child];
        heap[child] = moved;
        at = child;
    }
}

static inline void make_heap(ulong *numbers, int k)
{
    for (int at = k / 2 - 1; at >= 0; at--)
        sink(numbers, k, at);
}

static inline void offer(ulong *heap, int k, ulong number)
{
    if (number > heap[0]) {
        heap[0] = number;
        sink(heap, k, 0);
    }
}

// Least to the end, over and over: what is left is in falling order.
static inline void sort_heap(ulong *heap, int k)
{
    for (int last = k - 1; last > 0; last--) {
        const ulong least = heap[0];
        heap[0] = heap[last];
        heap[last] = least;
        sink(heap, last, 0);
    }
}

static inline void keep_best(__global const STORAGE(TYPE) * input, int length, ulong *heap, int k)
{
    for (int i = 0; i < k; i++)
        heap[i] = ordered(LOAD1(TYPE, input, i), i);
    make_heap(heap, k);
    for (int i = k; i < length; i++)
        offer(heap, k, ordered(LOAD1(TYPE, input, i), i));
    sort_heap(heap, k);
}

// The same of `count` numbers, in place.
static inline void keep_from(ulong *numbers, int count, int k)
{
    make_heap(numbers, k);
    for (int i = k; i < count; i++)
        offer(numbers, k, numbers[i]);
    sort_heap(numbers, k);
}

#if SMALLEST
#define TOWARDS_LARGEST(x) (-(x))
#else
#define TOWARDS_LARGEST(x) (x)
#endif
#define VALUES16(i) TOWARDS_LARGEST(LOAD16(TYPE, input, i))

static inline int any_of(int16 truth)
{
    const int8 a = truth.lo | truth.hi;
    const int4 b = a.lo | a.hi;
    const int2 c = b.lo | b.hi;
    return c.s0 | c.s1;
}

// Truths are counted in floats: of a sum of them compilers make zext of bits, which Oclgrind takes for 255 each.
static inline int sum_of(float16 v)
{
    const float8 a = v.lo + v.hi;
    const float4 b = a.lo + a.hi;
    return (int)(b.s0 + b.s1 + b.s2 + b.s3);
}

// Maxima of blocks of 16 * per_block elements; whether there was a NaN, or infinities of both signs: a sum shows it.
static inline int maxima_of(__global const STORAGE(TYPE) * input, int blocks, int per_block, float16 *maxima)
{
    int16 not_a_number = (int16)(0);
    for (int block = 0; block < blocks; block++) {
        float16 most = (float16)(-INFINITY), sum = (float16)(0.0f);
        for (int v = 0; v < per_block; v += STEP) {
#pragma unroll
            for (int i = 0; i < STEP; i++) {
                const float16 x = VALUES16((block * per_block + v + i) * 16);
                sum += x;
                most = x > most ? x : most;
            }
        }
        not_a_number |= sum != sum;
        maxima[block] = most;
    }
    return any_of(not_a_number);
}

// The k-th largest of the maxima's groups, bit by bit from the top; it may stop at less when few reach that.
static inline float bound_of(const float16 *maxima, int blocks, int k)
{
    float16 groups[GROUP_VECTORS];
    uint found = 0;
    for (int g = 0; g < GROUP_VECTORS; g++)
        groups[g] = (float16)(-INFINITY);
    for (int block = 0; block < blocks; block++) {
        const float16 m = maxima[block], g = groups[block % GROUP_VECTORS];
        groups[block % GROUP_VECTORS] = m > g ? m : g;
    }
    for (int g = 0; g < GROUP_VECTORS; g++) {
        const uint16 bits = as_uint16(groups[g] == 0.0f ? (float16)(0.0f) : groups[g]);
        groups[g] = as_float16(bits ^ (as_uint16(as_int16(bits) >> 31) | 0x80000000u));
    }
    for (uint bit = 0x80000000u; bit != 0; bit >>= 1) {
        const uint16 tried = (uint16)(found | bit);
        float16 reached = (float16)(0.0f);
        int count;
        for (int g = 0; g < GROUP_VECTORS; g++)
            reached += as_uint16(groups[g]) >= tried ? (float16)(1.0f) : (float16)(0.0f);
        count = sum_of(reached);
        if (count >= k)
            found |= bit;
        if (count >= k && count <= k + k / 8)
            break;
    }
    return as_float(found & 0x80000000u ? found ^ 0x80000000u : ~found);
}

// The k largest of count numbers to the front, in falling order.
static inline void sort_candidates(ulong *numbers, int count, int k)
{
    ulong sorted[RANKED];
    while (count % 8 != 0)
        numbers[count++] = 0;
    for (int i = 0; i < count; i++) {
        float8 larger = (float8)(0.0f);
        int rank;
        for (int j = 0; j < count; j += 8)
            larger +=
                select((float8)(0.0f), (float8)(1.0f), convert_int8(vload8(0, numbers + j) > (ulong8)(numbers[i])));
        rank = sum_of((float16)(larger, (float8)(0.0f)));
        sorted[rank] = numbers[i]; // the zeros all go to one place, past the k
    }
    for (int i = 0; i < k; i++)
        numbers[i] = sorted[i];
}

// Whether the row could be done so.
static inline int keep_candidates(__global const STORAGE(TYPE) * input, int length, ulong *numbers, int k)
{
    const int per_block = (length + 16 * STEP * MOST_BLOCKS - 1) / (16 * STEP * MOST_BLOCKS) * STEP;
    const int blocks = length / (16 * per_block);
    int count = 0, equals = 0;
    float bound;
    float16 maxima[MOST_BLOCKS];
    if (blocks < 4 || blocks * 16 < 2 * k || maxima_of(input, blocks, per_block, maxima))
        return 0;
    bound = bound_of(maxima, blocks, k);
    if (!(bound > -INFINITY))
        return 0;
    for (int block = 0; block < blocks; block++) {
        const int take_equals = equals < k; // of those equal to the bound only the first k can matter
        const float *lanes = (const float *)(maxima + block);
        if (!any_of(take_equals ? maxima[block] >= bound : maxima[block] > bound))
            continue;
        for (int lane = 0; lane < 16; lane++) {
            if (!(lanes[lane] >= bound))
                continue;
            for (int v = 0; v < per_block; v++) {
                const int index = (block * per_block + v) * 16 + lane;
                const float x = LOAD1(TYPE, input, index), value = TOWARDS_LARGEST(x);
                if (value < bound || (value == bound && !take_equals))
                    continue;
                if (count == CANDIDATES)
                    return 0;
                equals += value == bound;
                numbers[count++] = ordered(x, index);
            }
        }
    }
    for (int i = blocks * per_block * 16; i < length; i++) {
        const float x = LOAD1(TYPE, input, i), value = TOWARDS_LARGEST(x);
        if (value < bound)
            continue;
        if (x != x || count == CANDIDATES)
            return 0;
        numbers[count++] = ordered(x, i);
    }
    if (count <= RANKED)
        sort_candidates(numbers, count, k);
    else
        keep_from(numbers, count, k);
    return 1;
}
