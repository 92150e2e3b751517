/* SPDX-License-Identifier: Apache-2.0
 *
 * Statuses and the sentence behind them.
 */
#ifndef OD_BASE_STATUS_H
#define OD_BASE_STATUS_H

#include <ocldnn/base.h>

#if defined(__GNUC__)
#define OD_PRINTF(FORMAT, FIRST) __attribute__((format(printf, FORMAT, FIRST)))
#else
#define OD_PRINTF(FORMAT, FIRST)
#endif

/* Keeps the sentence for ocldnn_last_error() of this thread and returns the status. Arguments may point into the
 * previous sentence. */
ocldnn_status od_fail(ocldnn_status status, const char *format, ...) OD_PRINTF(2, 3);

/* Leaves the calling function when a step of it fails. */
#define OD_TRY(CALL)                                                                                                   \
    do {                                                                                                               \
        ocldnn_status od_try_status_ = (CALL);                                                                         \
        if (od_try_status_ != OCLDNN_SUCCESS)                                                                          \
            return od_try_status_;                                                                                     \
    } while (0)

/* "F32", "I32", ...; "?" for an unknown number. */
const char *od_dtype_name(uint32_t dtype);

#endif
