/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/disk.h"

typedef struct public_visit {
    int (*visit)(void *user, const ocldnn_cache_entry *entry);
    void *user;
} public_visit;

static int visit_one(void *user, const ocldnn_cache_entry *about, const od_blob *blob)
{
    const public_visit *outer = user;
    (void)blob;
    return outer->visit(outer->user, about);
}

ocldnn_status ocldnn_cache_visit(const char *folder, int (*visit)(void *user, const ocldnn_cache_entry *entry),
                                 void *user)
{
    public_visit outer = {visit, user};
    od_disk *disk;
    if (!visit)
        return od_fail(OCLDNN_INVALID_ARGUMENT, "cache_visit: visit is NULL");
    OD_TRY(od_disk_open_existing(folder, &disk));
    if (disk)
        od_disk_visit(disk, visit_one, &outer);
    od_disk_close(disk);
    return OCLDNN_SUCCESS;
}

ocldnn_status ocldnn_cache_clear(const char *folder, uint32_t *removed)
{
    od_disk *disk;
    uint32_t count = 0;
    if (removed)
        *removed = 0;
    OD_TRY(od_disk_open_existing(folder, &disk));
    if (disk)
        count = od_disk_clear(disk);
    od_disk_close(disk);
    if (removed)
        *removed = count;
    return OCLDNN_SUCCESS;
}
