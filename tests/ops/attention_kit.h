/* SPDX-License-Identifier: Apache-2.0
 *
 * What the test programs of attention share.
 */
#ifndef OD_TESTS_ATTENTION_KIT_H
#define OD_TESTS_ATTENTION_KIT_H

#include "kit/kit.h"

/* The strategies under test; each must be right wherever it can run. */
static const uint32_t strategies[] = {OCLDNN_ATTENTION_FLASH_UNIT, OCLDNN_ATTENTION_FALLBACK};

static inline bool runs(const ocldnn_attention *op)
{
    size_t bytes;
    ocldnn_status status = ocldnn_attention_workspace(kit.context, op, &bytes);
    if (status != OCLDNN_UNSUPPORTED)
        kit_expect(status, OCLDNN_SUCCESS, NULL, "attention_workspace");
    return status == OCLDNN_SUCCESS;
}

#endif
