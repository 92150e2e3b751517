/* SPDX-License-Identifier: Apache-2.0
 *
 * The context: one device, its facts, its compiled programs, its scratch memory.
 */
#ifndef OCLDNN_CONTEXT_H
#define OCLDNN_CONTEXT_H

#include <ocldnn/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What the program cache asks of an application that keeps the binaries itself (an asset pack, a database).
 * key is 32 hexadecimal digits. Calls may come from several threads at once. */
typedef struct ocldnn_cache_callbacks {
    void *user;
    /* Copies at most capacity bytes of the entry to data and returns its whole size, 0 when there is none. Called once
     * with capacity 0, then with enough room. Bytes are checked (length, checksum) before a driver sees them. */
    size_t (*load)(void *user, const char *key, void *data, size_t capacity);
    void (*store)(void *user, const char *key, const void *data, size_t bytes);
} ocldnn_cache_callbacks;

enum ocldnn_context_flag {
    OCLDNN_CONTEXT_NO_DISK_CACHE = 1, /* programs are cached in memory only */
    OCLDNN_CONTEXT_NO_AMX = 2 /* no AMX, the matrix unit of Intel's server processors. Without this flag the process
                                 asks Linux for it (arch_prctl) where the device has it: its threads may then
                                 need larger signal stacks */
};

enum ocldnn_quirk_flag {
    OCLDNN_QUIRK_VECTOR_FAMILY = 1,  /* treat the device like a CPU: one work-item per group, wide vectors */
    OCLDNN_QUIRK_TILED_FAMILY = 2,   /* treat it like a GPU: groups of 64 to 256 items, local memory */
    OCLDNN_QUIRK_NO_BINARIES = 4,    /* the driver's binaries cannot be trusted: always build from source */
    OCLDNN_QUIRK_SERIAL_BUILDS = 8,  /* the compiler holds a lock: one build at a time */
    OCLDNN_QUIRK_NO_CLBLAST = 16,    /* CLBlast gives wrong results here */
    OCLDNN_QUIRK_KERNEL_LIMITS = 32, /* what the driver says of a kernel's largest work-group is wrong, and it counts a
                                        kernel's local memory twice */
    OCLDNN_QUIRK_LATE_BINARIES = 64, /* a program's binary grows when it is launched: it is cached when the context is
                                        destroyed, not when it has been built */
    OCLDNN_QUIRK_EARLY_FINISH = 128  /* clFinish does not wait for what clFlush or clReleaseCommandQueue has sent off:
                                        the library calls neither, so no workspace is kept from call to call */
};

/* Applies to a device whose vendor, name and driver version contain these strings (NULL matches everything). */
typedef struct ocldnn_quirk {
    const char *vendor;
    const char *device;
    const char *driver;
    uint32_t flags;     /* OCLDNN_QUIRK_* */
    const char *reason; /* shown by `ocldnn info`; may be NULL */
} ocldnn_quirk;

/* level: 0 = error, 1 = something was worked around, 2 = information (a build and its time). May be called from any
 * thread that is inside an oclDNN call; must not call oclDNN. */
typedef void (*ocldnn_log_callback)(void *user, int level, const char *message);

/* All zero but `context` and `device` is a good choice. */
typedef struct ocldnn_context_options {
    cl_context context;       /* retained until the oclDNN context is destroyed */
    cl_device_id device;      /* a device of that context */
    uint32_t flags;           /* OCLDNN_CONTEXT_* */
    uint32_t build_threads;   /* how many programs prepare builds at once; 0 = what is known to help on this driver */
    const char *cache_folder; /* NULL = $XDG_CACHE_HOME/ocldnn, else ~/.cache/ocldnn; created 0700 */
    uint64_t cache_limit;     /* bytes on disk, least recently used go first; 0 = 256 MiB */
    const ocldnn_cache_callbacks *cache_callbacks; /* instead of a folder */
    uint64_t workspace_limit; /* bytes the workspace pool may hold; 0 = a quarter of the device's memory, <= 1 GiB */
    ocldnn_log_callback log;  /* NULL = silence; the library never prints */
    void *log_user;
    const ocldnn_quirk *quirks; /* in addition to those the library knows; copied */
    uint32_t quirk_count;
} ocldnn_context_options;

/* Makes a context. On failure *context is NULL. One context may be used by any number of threads and queues at once. */
OCLDNN_API ocldnn_status ocldnn_context_create(const ocldnn_context_options *options, ocldnn_context **context);

/* The same on a device that the library picks, in a cl_context of its own: a GPU with the most compute units, else any
 * device; platforms without devices are skipped. Environment: OCLDNN_DEVICE, a part of a device or platform name.
 * options may be NULL; its context and device must be NULL. */
OCLDNN_API ocldnn_status ocldnn_context_create_default(const ocldnn_context_options *options, ocldnn_context **context);

/* Frees everything. Commands already enqueued finish undisturbed, but no other thread may be inside a call with this
 * context. NULL is ignored. Where binaries are taken late (OCLDNN_QUIRK_LATE_BINARIES: PoCL) programs that this context
 * has built are put into the cache here, for which PoCL compiles them once more: up to half a second each, on the first
 * start only. OCLDNN_CONTEXT_NO_DISK_CACHE saves that time, and pays it at the next start. */
OCLDNN_API void ocldnn_context_destroy(ocldnn_context *context);

/* The OpenCL objects behind the context; not retained for the caller. NULL for a NULL context. */
OCLDNN_API cl_context ocldnn_context_cl(const ocldnn_context *context);
OCLDNN_API cl_device_id ocldnn_context_device(const ocldnn_context *context);

/* What the device reported and what the library made of it, as text: one "name: value" per line. The same rule as
 * snprintf: returns the length without the terminator, writes at most capacity bytes. */
OCLDNN_API size_t ocldnn_context_describe(const ocldnn_context *context, char *text, size_t capacity);

typedef struct ocldnn_stats {
    uint64_t programs_built;    /* from source */
    uint64_t programs_loaded;   /* from a cached binary */
    uint64_t build_nanoseconds; /* spent building from source */
    uint64_t load_nanoseconds;  /* spent loading binaries */
    uint64_t saved_nanoseconds; /* what building the loaded programs took when they were built */
    uint64_t workspace_bytes;   /* held by the pool now */
} ocldnn_stats;

OCLDNN_API ocldnn_status ocldnn_context_stats(const ocldnn_context *context, ocldnn_stats *stats);

/* ---- the program cache as a thing of its own ----------------------------------------------------------------------
 */

/* All programs this context has used so far, as one blob: an application ships it, or keeps it where it likes.
 * data NULL: only sets *bytes. Else *bytes is the room at data on entry and what was written on return;
 * OCLDNN_INVALID_ARGUMENT when there is too little room. */
OCLDNN_API ocldnn_status ocldnn_cache_export(ocldnn_context *context, void *data, size_t *bytes);

/* Takes programs from such a blob into memory and, if there is one, the cache folder. Entries made by another device,
 * driver or library version are kept out of the way by their key; a damaged blob gives OCLDNN_INVALID_ARGUMENT and
 * imports nothing. *imported (may be NULL): how many programs were taken. */
OCLDNN_API ocldnn_status ocldnn_cache_import(ocldnn_context *context, const void *data, size_t bytes,
                                             uint32_t *imported);

typedef struct ocldnn_cache_entry {
    char key[33];
    char source[48]; /* kernel file below cl/ */
    char options[320];
    char device[96];
    uint64_t bytes;
    uint64_t build_nanoseconds;
    int64_t last_used; /* seconds since 1970 */
} ocldnn_cache_entry;

/* Calls visit for each valid entry in a cache folder (NULL = the default folder) until it returns nonzero. */
OCLDNN_API ocldnn_status ocldnn_cache_visit(const char *folder,
                                            int (*visit)(void *user, const ocldnn_cache_entry *entry), void *user);

/* Removes every entry of a cache folder (NULL = the default folder); other files are left alone. */
OCLDNN_API ocldnn_status ocldnn_cache_clear(const char *folder, uint32_t *removed);

#ifdef __cplusplus
}
#endif

#endif
