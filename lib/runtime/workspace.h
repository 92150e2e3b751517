/* SPDX-License-Identifier: Apache-2.0
 *
 * Scratch memory that calls without a workspace of their own share: at most one buffer for each queue, together never
 * more than a limit.
 */
#ifndef OD_RUNTIME_WORKSPACE_H
#define OD_RUNTIME_WORKSPACE_H

#include "base/status.h"

#include <pthread.h>
#include <stdbool.h>

struct ocldnn_context;

typedef struct od_scratch {
    struct od_scratch *next;
    cl_mem memory;
    uint64_t bytes;
    cl_command_queue queue; /* of the last call that used it; retained, so that its handle cannot come again */
    cl_event last;          /* what the next user waits for; NULL: for that queue */
    bool busy;              /* a thread is enqueueing with it */
} od_scratch;

typedef struct od_workspace_pool {
    pthread_mutex_t lock;
    pthread_cond_t returned;
    od_scratch *entries;
    uint64_t bytes;
    uint64_t limit;
} od_workspace_pool;

void od_workspace_init(od_workspace_pool *pool, uint64_t limit);
void od_workspace_free(od_workspace_pool *pool);

/* At least `bytes` for commands on queue. *wait (NULL or an event the caller releases) must be waited for first. */
ocldnn_status od_workspace_take(struct ocldnn_context *context, cl_command_queue queue, uint64_t bytes,
                                od_scratch **scratch, cl_event *wait);

/* Gives it back. last: what the next user must wait for, the call's last event on an out-of-order queue; retained.
 * NULL where the queue's own order is enough. */
void od_workspace_give(struct ocldnn_context *context, od_scratch *scratch, cl_event last);

#endif
