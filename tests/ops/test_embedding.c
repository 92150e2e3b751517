/* SPDX-License-Identifier: Apache-2.0 */
#include "kit/kit.h"

#define REFERENCE_FILE "reference/embedding.inc"
#include "reference/twice.h"

/* Ids of which some are outside the table, on both sides where the dtype allows. */
static kit_tensor *draw_ids(uint32_t dtype, int64_t rows, const int64_t *shape)
{
    kit_tensor *ids = kit_input(dtype, KIT_ANY, KIT_ZEROS, 2, shape);
    for (int64_t i = 0; i < ids->count; i++)
        ids->values[i] = (double)kit_between(dtype == OCLDNN_I32 ? -2 : 0, rows + 1);
    kit_write(ids);
    return ids;
}

static void expected(const kit_tensor *const *ids, const kit_tensor *const *tables, int64_t sequence, int64_t width,
                     double *exact, double *naive)
{
    for (int64_t row = 0; row < ids[0]->count; row++) {
        double sum[600] = {0};
        float sum_float[600] = {0};
        for (int term = 0; term < 3; term++) {
            double absent = term == 1 ? (double)(row % sequence) : 0;
            double id = ids[term] ? ids[term]->values[row] : absent;
            if (!tables[term])
                continue;
            embedding_double(tables[term]->values, tables[term]->tensor.shape[0], width, id, sum);
            embedding_float(tables[term]->values, tables[term]->tensor.shape[0], width, id, sum_float);
        }
        for (int64_t h = 0; h < width; h++) {
            exact[row * width + h] = sum[h];
            naive[row * width + h] = (double)sum_float[h];
        }
    }
}

static void one_shape(uint32_t dtype, int64_t batch, int64_t sequence, int64_t width)
{
    uint32_t id_dtype = kit_between(0, 1) ? OCLDNN_U32 : OCLDNN_I32;
    int64_t shape[] = {batch, sequence}, lengths[] = {kit_between(1, 30), kit_between(1, 30), kit_between(1, 3)};
    kit_tensor *ids[3] = {draw_ids(id_dtype, lengths[0], shape)}, *tables[3] = {NULL};
    kit_tensor *y = kit_output(dtype, KIT_STRIDED, 3, (int64_t[]){batch, sequence, width});
    double *exact = kit_doubles(y->count), *naive = kit_doubles(y->count);
    ocldnn_embedding op = {.ids = ids[0]->tensor, .output = y->tensor};
    for (int term = 0; term < 3; term++)
        if (term == 0 || kit_between(0, 1))
            tables[term] = kit_input(dtype, KIT_STRIDED, KIT_NORMAL, 2, (int64_t[]){lengths[term], width});
    for (int term = 1; term < 3; term++)
        if (tables[term] && kit_between(0, 1))
            ids[term] = draw_ids(id_dtype, lengths[term], shape);
    op.table = tables[0]->tensor;
    if (tables[1])
        op.position_table = tables[1]->tensor;
    if (ids[1])
        op.position_ids = ids[1]->tensor;
    if (tables[2])
        op.segment_table = tables[2]->tensor;
    if (ids[2])
        op.segment_ids = ids[2]->tensor;
    kit_run(embedding, &op);
    expected((const kit_tensor *const *)ids, (const kit_tensor *const *)tables, sequence, width, exact, naive);
    kit_compare(y, exact, naive, 3);
    kit_free_all();
}

static void matches_reference(void **state)
{
    (void)state;
    for (int i = 0; i < kit_rounds(40); i++)
        one_shape(kit_float_dtype(), kit_between(0, 4), kit_between(1, 9), kit_between(0, 160));
    one_shape(OCLDNN_F32, 2, 16, 384);
}

static void says_what_is_wrong(void **state)
{
    kit_tensor *ids = kit_input(OCLDNN_U32, KIT_DENSE, KIT_ZEROS, 2, (int64_t[]){2, 3});
    kit_tensor *table = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){7, 4});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 3, (int64_t[]){2, 3, 4});
    const ocldnn_embedding good = {.ids = ids->tensor, .table = table->tensor, .output = y->tensor};
    ocldnn_embedding op = good;
    (void)state;
    op.ids.dtype = OCLDNN_F32;
    kit_refuses(embedding, &op, OCLDNN_INVALID_DTYPE, "ids: dtype is F32, must be U32, I32");
    op = good;
    op.table = (ocldnn_tensor){0};
    kit_refuses(embedding, &op, OCLDNN_INVALID_ARGUMENT, "table: the tensor is missing");
    op = good;
    op.table.shape[1] = 5;
    kit_refuses(embedding, &op, OCLDNN_INVALID_SHAPE, "table: axis 1 is 5, axis 2 of output is 4");
    op = good;
    op.output.shape[1] = 2;
    kit_refuses(embedding, &op, OCLDNN_INVALID_SHAPE, "output: axis 1 is 2, ids has 3");
    op = good;
    op.output.rank = 2;
    kit_refuses(embedding, &op, OCLDNN_INVALID_SHAPE, "output: rank is 2, must be 3");
    op = good;
    op.position_ids = ids->tensor;
    kit_refuses(embedding, &op, OCLDNN_INVALID_ARGUMENT, "position_ids: needs a position_table");
    op.position_table = table->tensor;
    op.position_ids.dtype = OCLDNN_I32;
    kit_refuses(embedding, &op, OCLDNN_INVALID_DTYPE, "position_ids: dtype is I32, must be U32");
    op = good;
    op.segment_ids = ids->tensor;
    kit_refuses(embedding, &op, OCLDNN_INVALID_ARGUMENT, "segment_ids: needs a segment_table");
    op = good;
    op.segment_table = table->tensor;
    op.segment_table.dtype = OCLDNN_F16;
    kit_refuses(embedding, &op, OCLDNN_INVALID_DTYPE, "segment_table: dtype is F16, must be F32");
    kit_free_all();
}

static void honours_events(void **state)
{
    kit_tensor *ids = kit_input(OCLDNN_U32, KIT_DENSE, KIT_BITS, 2, (int64_t[]){2, 3});
    kit_tensor *table = kit_input(OCLDNN_F32, KIT_DENSE, KIT_NORMAL, 2, (int64_t[]){2, 4});
    kit_tensor *y = kit_output(OCLDNN_F32, KIT_DENSE, 3, (int64_t[]){2, 3, 4});
    ocldnn_embedding op = {.ids = ids->tensor, .table = table->tensor, .output = y->tensor};
    (void)state;
    kit_honours_events(embedding, &op, y);
    kit_free_all();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matches_reference),
        cmocka_unit_test(says_what_is_wrong),
        cmocka_unit_test(honours_events),
    };
    return KIT_MAIN("embedding", tests);
}
