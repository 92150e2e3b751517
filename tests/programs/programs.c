/* SPDX-License-Identifier: Apache-2.0
 *
 * programs: prints every program that the planners ask for over the case list, on invented devices: its file below cl/,
 * its options, the device's family, the GPU's name with the offline compilers ("-" for a CPU), the kernel and the items
 * of a group, separated by tabs. Needs no device and calls no OpenCL function.
 */
#include "devices.h"
#include "programs.h"
#include "gemm/gpu.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const od_device *device;
static const char *gpu;

const od_device *device_at_hand(void)
{
    return device;
}

/* The lines printed so far, by hash; most programs serve many cases. */
static uint64_t seen[1 << 16];

static bool is_new(const char *line)
{
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (; *line; line++)
        hash = (hash ^ (unsigned char)*line) * 1099511628211u;
    for (size_t at = hash % 65536;; at = (at + 1) % 65536) {
        if (seen[at] == hash)
            return false;
        if (seen[at] == 0) {
            seen[at] = hash;
            return true;
        }
    }
}

/* A bit for each of the device's tiles that some case reaches. */
static unsigned tiles_reached;

static void note_tile(const char *options)
{
    int32_t tile[4];
    char wanted[128];
    for (int i = 0; od_gemm_tile(device, i, tile); i++) {
        snprintf(wanted, sizeof wanted, "-D TILE_M=%d -D TILE_N=%d ", tile[0], tile[1]);
        if (strstr(options, wanted))
            tiles_reached |= 1u << i;
    }
}

static void say_missing_tiles(void)
{
    int32_t tile[4];
    for (int i = 0; device->family == OD_FAMILY_TILED && od_gemm_tile(device, i, tile); i++)
        if (!(tiles_reached >> i & 1)) {
            fprintf(stderr, "programs: no case reaches the tile %d x %d on %s\n", tile[0], tile[1], device->name);
            exit(1);
        }
    tiles_reached = 0;
}

static void print_once(const od_step *step, const char *options)
{
    char line[1536];
    snprintf(line, sizeof line, "%s\t%s\t%s\t%s\t%s\t%zu", step->source->path, options,
             device->family == OD_FAMILY_VECTOR ? "vector" : "tiled", gpu, step->kernel,
             step->local[0] * step->local[1] * step->local[2]);
    if (is_new(line))
        puts(line);
}

void list(const od_operator *kind, const void *op)
{
    od_plan plan;
    ocldnn_status status;
    char options[1024];
    od_plan_init(&plan);
    status = od_plan_operator(kind, device, op, &plan, NULL);
    if (status != OCLDNN_SUCCESS && status != OCLDNN_UNSUPPORTED) {
        fprintf(stderr, "programs: %s on %s: %s\n", kind->name, device->name, ocldnn_last_error());
        exit(1);
    }
    for (uint32_t i = 0; status == OCLDNN_SUCCESS && i < plan.step_count; i++) {
        const od_step *step = &plan.steps[i];
        if (step->kind != OD_STEP_KERNEL)
            continue;
        od_step_options(step, options, sizeof options);
        print_once(step, options);
        note_tile(options);
    }
    od_plan_free(&plan);
}

ocldnn_tensor dense(uint32_t dtype, uint32_t rank, ...)
{
    int64_t shape[OCLDNN_MAX_RANK];
    va_list sizes;
    va_start(sizes, rank);
    for (uint32_t axis = 0; axis < rank; axis++)
        shape[axis] = va_arg(sizes, int);
    va_end(sizes);
    return ocldnn_tensor_dense(NULL, (ocldnn_dtype)dtype, rank, shape);
}

int main(void)
{
    for (int i = 0; i < INVENTED_DEVICES; i++) {
        device = &invented_devices[i].facts;
        gpu = invented_devices[i].gpu;
        list_normalization();
        list_elementwise();
        list_sequence();
        list_linear();
        list_attention();
        say_missing_tiles();
    }
    return 0;
}
