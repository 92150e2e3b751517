/* SPDX-License-Identifier: Apache-2.0
 *
 * programs: prints every program that the planners ask for over the case list, on invented devices: its file below cl/,
 * its options and the device's family, separated by tabs. Needs no device and calls no OpenCL function.
 */
#include "programs.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const od_device devices[] = {
    {.name = "a CPU",
     .family = OD_FAMILY_VECTOR,
     .is_cpu = true,
     .has_compiler = true,
     .clblast = true,
     .pack_tag = 1,
     .compute_units = 8,
     .max_group_size = 4096,
     .local_memory = 256 << 10,
     .global_memory = 16ull << 30,
     .max_allocation = 4ull << 30},
    {.name = "a Radeon",
     .vendor = OD_VENDOR_AMD,
     .family = OD_FAMILY_TILED,
     .has_compiler = true,
     .clblast = true,
     .pack_tag = 1,
     .out_of_order = true,
     .fp16 = true,
     .compute_units = 48,
     .max_group_size = 256,
     .local_memory = 64 << 10,
     .global_memory = 16ull << 30,
     .max_allocation = 4ull << 30},
    {.name = "an Arc",
     .vendor = OD_VENDOR_INTEL,
     .family = OD_FAMILY_TILED,
     .has_compiler = true,
     .clblast = true,
     .pack_tag = 1,
     .out_of_order = true,
     .fp16 = true,
     .compute_units = 512,
     .max_group_size = 1024,
     .local_memory = 64 << 10,
     .global_memory = 16ull << 30,
     .max_allocation = 4ull << 30},
    {.name = "a GeForce",
     .vendor = OD_VENDOR_NVIDIA,
     .family = OD_FAMILY_TILED,
     .has_compiler = true,
     .clblast = true,
     .pack_tag = 1,
     .out_of_order = true,
     .compute_units = 82,
     .max_group_size = 1024,
     .local_memory = 48 << 10,
     .global_memory = 24ull << 30,
     .max_allocation = 6ull << 30},
};

static const od_device *device;

const od_device *device_at_hand(void)
{
    return device;
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
        printf("%s\t%s\t%s\n", step->source->path, options, device->family == OD_FAMILY_VECTOR ? "vector" : "tiled");
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
    for (size_t i = 0; i < sizeof devices / sizeof *devices; i++) {
        device = &devices[i];
        list_normalization();
        list_elementwise();
        list_sequence();
        list_linear();
        list_attention();
    }
    return 0;
}
