/* SPDX-License-Identifier: Apache-2.0 */
#include "device.h"
#include "runtime/verbs.h"

#include <string.h>
#include <xxhash.h>

static fuzz_device device;

static ocldnn_status open_contexts(void)
{
    const ocldnn_quirk as_tiled = {.flags = OCLDNN_QUIRK_TILED_FAMILY},
                       as_vector = {.flags = OCLDNN_QUIRK_VECTOR_FAMILY};
    ocldnn_context_options options = {.quirks = &as_vector, .quirk_count = 1};
    OD_TRY(ocldnn_context_create_default(NULL, &device.contexts[OD_FAMILY_VECTOR]));
    device.cl = options.context = ocldnn_context_cl(device.contexts[OD_FAMILY_VECTOR]);
    options.device = ocldnn_context_device(device.contexts[OD_FAMILY_VECTOR]);
    if (od_context_facts(device.contexts[OD_FAMILY_VECTOR])->family == OD_FAMILY_VECTOR)
        options.quirks = &as_tiled;
    return ocldnn_context_create(&options, &device.contexts[OD_FAMILY_TILED]);
}

fuzz_device *fuzz_open(void)
{
    cl_device_id id;
    cl_int code = CL_SUCCESS;
    if (device.cl)
        return &device;
    if (open_contexts() != OCLDNN_SUCCESS)
        return NULL;
    id = ocldnn_context_device(device.contexts[0]);
    device.queues[0] = clCreateCommandQueue(device.cl, id, 0, &code);
    device.queues[1] = clCreateCommandQueue(device.cl, id, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (!device.queues[1])
        device.queues[1] = clCreateCommandQueue(device.cl, id, 0, &code);
    for (int i = 0; i < FUZZ_BUFFERS && code == CL_SUCCESS; i++)
        device.buffers[i] = clCreateBuffer(device.cl, CL_MEM_READ_WRITE, CAPACITY, NULL, &code);
    return code == CL_SUCCESS ? &device : NULL;
}

void fuzz_close(void)
{
    if (!device.cl)
        return;
    for (int i = 0; i < FUZZ_BUFFERS; i++)
        clReleaseMemObject(device.buffers[i]);
    clReleaseCommandQueue(device.queues[0]);
    clReleaseCommandQueue(device.queues[1]);
    ocldnn_context_destroy(device.contexts[OD_FAMILY_TILED]);
    ocldnn_context_destroy(device.contexts[OD_FAMILY_VECTOR]);
    device.cl = NULL;
}

/* ---- every element of a view ------------------------------------------------------------------------------------- */

typedef void each_element(unsigned char *bytes, size_t size, uint32_t dtype, void *user);

static void walk(const od_view *view, unsigned char *buffer, each_element *each, void *user)
{
    int64_t at[OCLDNN_MAX_RANK] = {0};
    size_t size = ocldnn_dtype_size((ocldnn_dtype)view->dtype);
    for (int64_t i = 0; i < view->count; i++) {
        int64_t place = (int64_t)view->offset;
        for (uint32_t axis = 0; axis < view->rank; axis++)
            place += at[axis] * view->strides[axis];
        each(buffer + (size_t)place * size, size, view->dtype, user);
        for (uint32_t axis = view->rank; axis-- > 0 && ++at[axis] == view->shape[axis];)
            at[axis] = 0;
    }
}

static void add_role(unsigned char *bytes, size_t size, uint32_t dtype, void *user)
{
    (void)dtype;
    for (size_t i = 0; i < size; i++)
        bytes[i] |= *(const unsigned char *)user;
}

/* Which buffer the view lies in, whole; -1 for none. */
static int holder(const fuzz_device *d, const od_view *view)
{
    size_t size = ocldnn_dtype_size((ocldnn_dtype)view->dtype);
    uint64_t room = size ? CAPACITY / size : 0;
    int i = FUZZ_BUFFERS - 1;
    if (view->offset > room || (uint64_t)view->extent > room - view->offset)
        return -1;
    while (i >= 0 && d->buffers[i] != view->buffer)
        i--;
    return i;
}

bool fuzz_mark(fuzz_device *d, const od_plan *plan)
{
    memset(d->roles, 0, sizeof d->roles);
    for (uint32_t i = 0; i < plan->view_count; i++) {
        const od_view *view = &plan->views[i];
        unsigned char role = view->access == OD_WRITE ? ROLE_WRITTEN : ROLE_READ;
        int number = holder(d, view);
        if (view->extent == 0)
            continue;
        if (number < 0)
            return false;
        walk(view, d->roles[number], add_role, &role);
    }
    return true;
}

/* ---- contents ---------------------------------------------------------------------------------------------------- */

/* Floats are of size 1/4 to 4; whole numbers are small. */
static void put_number(unsigned char *bytes, size_t size, uint32_t dtype, void *user)
{
    uint32_t *state = user, r, number;
    *state = *state * 1664525u + 1013904223u;
    r = *state >> 8;
    switch (dtype) {
    case OCLDNN_F32:
        number = (r & 1) << 31 | (0x3e800000 + (r << 3 & 0x1ffffff));
        break;
    case OCLDNN_F16:
        number = (r & 1) << 15 | (0x3400 + (r >> 1 & 0xfff));
        break;
    case OCLDNN_BF16:
        number = (r & 1) << 15 | (0x3e80 + (r >> 1 & 0x1ff));
        break;
    case OCLDNN_U8:
        number = r & 1;
        break;
    default:
        number = r & 7;
        break;
    }
    memcpy(bytes, &number, size); /* its low bytes: this is a test for little-endian machines, as PoCL's are */
}

static void put_bits(unsigned char *bytes, size_t size, uint32_t dtype, void *user)
{
    uint32_t *state = user;
    (void)dtype;
    *state = *state * 1664525u + 1013904223u;
    for (size_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(*state >> (8 * i)) ^ (unsigned char)(*state >> 24);
}

static bool transfer(fuzz_device *d, bool to_device)
{
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < FUZZ_BUFFERS && code == CL_SUCCESS; i++)
        code = to_device
                   ? clEnqueueWriteBuffer(d->queues[0], d->buffers[i], 1, 0, CAPACITY, d->before[i], 0, NULL, NULL)
                   : clEnqueueReadBuffer(d->queues[0], d->buffers[i], 1, 0, CAPACITY, d->after[i], 0, NULL, NULL);
    return code == CL_SUCCESS;
}

bool fuzz_fill(fuzz_device *d, const od_plan *plan, uint32_t seed, bool any_bits, unsigned char rest)
{
    memset(d->before, rest, sizeof d->before);
    for (uint32_t i = 0; i < plan->view_count; i++) {
        int number = holder(d, &plan->views[i]);
        if (plan->views[i].access == OD_READ && plan->views[i].extent > 0 && number >= 0)
            walk(&plan->views[i], d->before[number], any_bits ? put_bits : put_number, &seed);
    }
    return transfer(d, true);
}

bool fuzz_read(fuzz_device *d)
{
    return transfer(d, false);
}

/* ---- programs ---------------------------------------------------------------------------------------------------- */

bool fuzz_too_new(const od_plan *plan, uint64_t most)
{
    enum { PLACES = 1 << 16 };
    static uint64_t seen[PLACES], count;
    char options[1024];
    for (uint32_t i = 0; i < plan->step_count; i++) {
        const od_step *step = &plan->steps[i];
        uint64_t hash = 1;
        size_t at;
        if (step->kind == OD_STEP_KERNEL) {
            int length = od_step_options(step, options, sizeof options);
            hash = XXH3_64bits_withSeed(options, (size_t)length,
                                        XXH3_64bits(step->source->path, strlen(step->source->path)));
        }
        for (at = hash % PLACES; seen[at] && seen[at] != hash;)
            at = (at + 1) % PLACES;
        if (seen[at] == 0 && (count >= most || count >= PLACES / 2))
            return true;
        count += seen[at] == 0;
        seen[at] = hash;
    }
    return false;
}
