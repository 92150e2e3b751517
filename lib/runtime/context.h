/* SPDX-License-Identifier: Apache-2.0
 *
 * The context's insides, and the services that the rest of the runtime shares.
 */
#ifndef OD_RUNTIME_CONTEXT_H
#define OD_RUNTIME_CONTEXT_H

#include "base/device.h"
#include "base/status.h"
#include "runtime/cache.h"
#include "runtime/program.h"
#include "runtime/workspace.h"

#include <ocldnn/context.h>
#include <pthread.h>

struct ocldnn_context {
    cl_context cl;
    cl_device_id device;
    od_device facts;
    ocldnn_log_callback log;
    void *log_user;
    uint32_t build_threads;
    od_cache cache;
    od_programs programs;
    od_workspace_pool workspace;
};

/* Tells the application's log callback, if there is one. */
void od_log(const ocldnn_context *context, int level, const char *format, ...) OD_PRINTF(3, 4);

/* SUCCESS for CL_SUCCESS, else a failure that names the call and the code. */
ocldnn_status od_cl(cl_int code, const char *call);

/* OUT_OF_MEMORY for the codes that say so, else what the caller takes the failure for. */
ocldnn_status od_cl_status(cl_int code, ocldnn_status otherwise);

uint64_t od_nanoseconds(void); /* monotonic */

/* For tests: the facts the planners see, and replacing them by invented ones (before any other use of the context). */
const od_device *od_context_facts(const ocldnn_context *context);
void od_context_set_facts(ocldnn_context *context, const od_device *facts);

/* facts.c: what the device reports, then what the quirks make of it. */
ocldnn_status od_device_facts(cl_device_id device, const ocldnn_quirk *extra, uint32_t extra_count, od_device *facts);

/* amx.c: sets whether kernels may use AMX, and asks the system for it unless it is forbidden. */
void od_amx_ask(od_device *facts, bool forbidden);

/* quirks.c: applies the library's table and the application's to the facts. */
void od_quirks_apply(od_device *facts, const ocldnn_quirk *extra, uint32_t extra_count);

/* clblast.c */
bool od_clblast_built(void); /* whether this library was built with CLBlast */
ocldnn_status od_clblast_enqueue(const od_clblast_gemm *gemm, const cl_mem buffers[3], cl_command_queue queue,
                                 cl_event *event);

#endif
