// SPDX-License-Identifier: Apache-2.0
// Several items work on a row together: a team. A group holds TEAMS teams of LANES items each, with a row for each
// team; on a CPU both are 1. Functions with a `shared` argument have barriers: all items of the group call them
// together.
//
//     __kernel void k(...)
//     {
//         TEAM_SHARED(shared);                       local memory for what follows
//         for (int i = TEAM_LANE * WIDTH; i < width; i += LANES * WIDTH) ...
//         float sum = od_team_sum(od_sum(v), shared);
#ifndef OD_COMMON_TEAM_CL
#define OD_COMMON_TEAM_CL

#include "common/width.cl"

#define READS_AHEAD (LANES * TEAMS == 1)

#if LANES * TEAMS == 1

#define TEAM_LANE 0
#define TEAM_NUMBER ((uint)get_group_id(0))
#define TEAM_SHARED(name) __local float *const name = 0
#define TEAM_HAS_READ()

static inline float od_team_sum(float v, __local float *shared)
{
    return v;
}

static inline float od_team_max(float v, __local float *shared)
{
    return v;
}

static inline int od_group_any(int condition, __local float *shared)
{
    return condition;
}

#else

#define TEAM_LANE ((int)get_local_id(0) % LANES)
#define TEAM_NUMBER ((uint)get_global_id(0) / LANES)
#define TEAM_SHARED(name) __local float name[LANES * TEAMS]
// From here on an item may write, in place, what others have read.
#define TEAM_HAS_READ() barrier(CLK_GLOBAL_MEM_FENCE)

// A tree, so that the order of additions depends on nothing but LANES.
#define OD_TEAM_REDUCE(NAME, MERGED)                                                                                   \
    static inline float NAME(float v, __local float *shared)                                                           \
    {                                                                                                                  \
        const int id = (int)get_local_id(0), lane = TEAM_LANE;                                                         \
        shared[id] = v;                                                                                                \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        for (int half_way = LANES / 2; half_way > 0; half_way /= 2) {                                                  \
            if (lane < half_way) {                                                                                     \
                const float a = shared[id], b = shared[id + half_way];                                                 \
                shared[id] = MERGED;                                                                                   \
            }                                                                                                          \
            barrier(CLK_LOCAL_MEM_FENCE);                                                                              \
        }                                                                                                              \
        v = shared[id - lane];                                                                                         \
        barrier(CLK_LOCAL_MEM_FENCE);                                                                                  \
        return v;                                                                                                      \
    }
OD_TEAM_REDUCE(od_team_sum, a + b)
OD_TEAM_REDUCE(od_team_max, OD_LARGER(a, b))

// Whether it holds for any team of the group; each item of a team gives the same.
static inline int od_group_any(int condition, __local float *shared)
{
    int any = 0;
    if (TEAM_LANE == 0)
        shared[get_local_id(0) / LANES] = condition ? 1.0f : 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int team = 0; team < TEAMS; team++)
        any |= shared[team] != 0.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
    return any;
}

#endif

// A team's rows are first .. end-1: `block` of them from TEAM_NUMBER * block on; on a GPU a team has one row, which the
// compiler should know. 0 is given to a team past the last row: it goes along as if it had that row, since barriers ask
// for all, but must neither read nor write it.
static inline int od_team_rows(int rows, int block, int *first, int *end)
{
    const uint start = TEAM_NUMBER * (READS_AHEAD ? (uint)block : 1u);
    const int there = TEAMS == 1 || start < (uint)rows;
    *first = there ? (int)start : rows - 1;
    *end = *first + (READS_AHEAD ? min(block, rows - *first) : 1);
    return there;
}

#endif
