/* SPDX-License-Identifier: Apache-2.0
 *
 * On an in-order queue a buffer may be used again at once: the queue itself keeps the order. Between queues an event
 * does. That event is only made when a second queue needs the buffer (a marker on the first), so that the usual case
 * costs nothing.
 *
 * With OCLDNN_QUIRK_EARLY_FINISH a buffer serves one call: who hands it on must flush a queue, who keeps it must
 * release a queue later, and both would make the application's clFinish return too early.
 */
#include "runtime/context.h"

#include <stdlib.h>
#include <string.h>

void od_workspace_init(od_workspace_pool *pool, uint64_t limit)
{
    memset(pool, 0, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->returned, NULL);
    pool->limit = limit;
}

static void forget_user(od_scratch *scratch)
{
    if (scratch->queue)
        clReleaseCommandQueue(scratch->queue);
    if (scratch->last)
        clReleaseEvent(scratch->last);
    scratch->queue = NULL;
    scratch->last = NULL;
}

static od_scratch **place_of(od_workspace_pool *pool, const od_scratch *scratch)
{
    od_scratch **place = &pool->entries;
    while (*place != scratch)
        place = &(*place)->next;
    return place;
}

/* The driver keeps the memory until the commands that use it have finished. */
static void drop(od_workspace_pool *pool, od_scratch **place)
{
    od_scratch *scratch = *place;
    *place = scratch->next;
    pool->bytes -= scratch->bytes;
    forget_user(scratch);
    clReleaseMemObject(scratch->memory);
    free(scratch);
}

void od_workspace_free(od_workspace_pool *pool)
{
    while (pool->entries)
        drop(pool, &pool->entries);
    pthread_cond_destroy(&pool->returned);
    pthread_mutex_destroy(&pool->lock);
}

/* This queue's idle entry that is large enough; failing that (`any`) another queue's. */
static od_scratch *find(od_workspace_pool *pool, cl_command_queue queue, uint64_t bytes, bool any)
{
    od_scratch *entry;
    for (entry = pool->entries; entry; entry = entry->next)
        if (!entry->busy && entry->bytes >= bytes && (any || entry->queue == queue))
            return entry;
    return NULL;
}

static bool has_room(const od_workspace_pool *pool, uint64_t bytes)
{
    return pool->bytes + bytes <= pool->limit;
}

/* Drops the queue's own idle entries, which are too small by now, or (`all`) idle ones until there is room. */
static void drop_idle(od_workspace_pool *pool, cl_command_queue queue, uint64_t bytes, bool all)
{
    od_scratch **place = &pool->entries;
    while (*place) {
        bool goes = all ? !has_room(pool, bytes) : (*place)->queue == queue;
        if (goes && !(*place)->busy)
            drop(pool, place);
        else
            place = &(*place)->next;
    }
}

static ocldnn_status allocate(struct ocldnn_context *context, uint64_t bytes, od_scratch **scratch)
{
    od_workspace_pool *pool = &context->workspace;
    cl_int code;
    od_scratch *made = calloc(1, sizeof *made);
    if (!made)
        return od_fail(OCLDNN_OUT_OF_MEMORY, "no host memory for a workspace entry");
    made->memory = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    if (!made->memory) {
        free(made);
        return od_fail(OCLDNN_OUT_OF_MEMORY, "no device memory for a workspace of %llu bytes (OpenCL error %d)",
                       (unsigned long long)bytes, code);
    }
    made->bytes = bytes;
    made->next = pool->entries;
    pool->entries = made;
    pool->bytes += bytes;
    *scratch = made;
    return OCLDNN_SUCCESS;
}

static bool serves_once(const struct ocldnn_context *context)
{
    return context->facts.quirks & OCLDNN_QUIRK_EARLY_FINISH;
}

/* What must have happened before commands on queue may write to the entry. A failure leaves the entry as it was, or
 * with an event to wait for that it could have done without. */
static ocldnn_status order(od_scratch *scratch, cl_command_queue queue, cl_event *wait)
{
    if (scratch->queue && scratch->queue != queue) {
        if (!scratch->last)
            OD_TRY(od_cl(clEnqueueMarkerWithWaitList(scratch->queue, 0, NULL, &scratch->last),
                         "clEnqueueMarkerWithWaitList"));
        /* The other queue would wait for ever for a command that was never sent off. */
        OD_TRY(od_cl(clFlush(scratch->queue), "clFlush"));
    }
    if (scratch->queue != queue) {
        OD_TRY(od_cl(clRetainCommandQueue(queue), "clRetainCommandQueue"));
        if (scratch->queue)
            clReleaseCommandQueue(scratch->queue);
        scratch->queue = queue;
    }
    *wait = scratch->last; /* the reference moves to the caller */
    scratch->last = NULL;
    return OCLDNN_SUCCESS;
}

static ocldnn_status take_locked(struct ocldnn_context *context, cl_command_queue queue, uint64_t bytes,
                                 od_scratch **scratch)
{
    od_workspace_pool *pool = &context->workspace;
    for (;;) {
        od_scratch *found = find(pool, queue, bytes, false);
        if (!found)
            drop_idle(pool, queue, bytes, false);
        if (!found && !has_room(pool, bytes))
            found = find(pool, queue, bytes, true);
        if (found) {
            *scratch = found;
            return OCLDNN_SUCCESS;
        }
        drop_idle(pool, queue, bytes, true);
        if (has_room(pool, bytes))
            return allocate(context, bytes, scratch);
        pthread_cond_wait(&pool->returned, &pool->lock);
    }
}

ocldnn_status od_workspace_take(struct ocldnn_context *context, cl_command_queue queue, uint64_t bytes,
                                od_scratch **scratch, cl_event *wait)
{
    od_workspace_pool *pool = &context->workspace;
    ocldnn_status status;
    *scratch = NULL;
    *wait = NULL;
    if (bytes > pool->limit)
        return od_fail(OCLDNN_WORKSPACE_TOO_SMALL,
                       "the call needs %llu bytes of workspace, the context's limit is %llu; give it a workspace or a "
                       "higher workspace_limit",
                       (unsigned long long)bytes, (unsigned long long)pool->limit);
    pthread_mutex_lock(&pool->lock);
    status = take_locked(context, queue, bytes, scratch);
    if (status == OCLDNN_SUCCESS)
        status = serves_once(context) ? OCLDNN_SUCCESS : order(*scratch, queue, wait);
    if (status == OCLDNN_SUCCESS)
        (*scratch)->busy = true;
    else
        *scratch = NULL; /* not the caller's: he must not give it back */
    pthread_mutex_unlock(&pool->lock);
    return status;
}

void od_workspace_give(struct ocldnn_context *context, od_scratch *scratch, cl_event last)
{
    od_workspace_pool *pool = &context->workspace;
    pthread_mutex_lock(&pool->lock);
    scratch->busy = false;
    if (last && !serves_once(context) && clRetainEvent(last) == CL_SUCCESS)
        scratch->last = last;
    else if (last || serves_once(context)) /* nobody could be made to wait for it */
        drop(pool, place_of(pool, scratch));
    pthread_cond_broadcast(&pool->returned);
    pthread_mutex_unlock(&pool->lock);
}
