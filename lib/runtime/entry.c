/* SPDX-License-Identifier: Apache-2.0 */
#include "runtime/entry.h"

#include <string.h>
#define XXH_INLINE_ALL
#include <xxhash.h>

enum {
    FORMAT = 1,
    AT_FORMAT = 8,
    AT_ZERO = 12,
    AT_KEY = 16,
    AT_LENGTH = 48,
    AT_NANOSECONDS = 56,
    AT_SOURCE = 64,
    AT_OPTIONS = 112,
    AT_DEVICE = 432
};

static const unsigned char entry_magic[8] = {'O', 'C', 'L', 'D', 'N', 'N', 'P', '\n'};
static const unsigned char bundle_magic[8] = {'O', 'C', 'L', 'D', 'N', 'N', 'B', '\n'};

static void put(unsigned char *out, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++)
        out[i] = (unsigned char)(value >> (8 * i));
}

static uint64_t get(const unsigned char *in, int bytes)
{
    uint64_t value = 0;
    for (int i = 0; i < bytes; i++)
        value |= (uint64_t)in[i] << (8 * i);
    return value;
}

static void put_text(void *out, const char *text, size_t room)
{
    const char *end = memchr(text, '\0', room - 1);
    size_t length = end ? (size_t)(end - text) : room - 1;
    memset(out, 0, room);
    memcpy(out, text, length);
}

static bool get_text(const unsigned char *in, char *text, size_t room)
{
    memcpy(text, in, room);
    return memchr(text, '\0', room) != NULL;
}

/* The checksum stands last, so that one pass covers everything before it. */
static void checksum(const unsigned char *entry, size_t binary_bytes, unsigned char out[OD_ENTRY_CHECKSUM])
{
    XXH128_canonical_t canonical;
    XXH128_canonicalFromHash(&canonical, XXH3_128bits(entry, OD_ENTRY_HEADER + binary_bytes));
    memcpy(out, canonical.digest, OD_ENTRY_CHECKSUM);
}

void od_meta_set(od_meta *meta, const char *source, const char *options, const char *device, uint64_t build_nanoseconds)
{
    put_text(meta->source, source, sizeof meta->source);
    put_text(meta->options, options, sizeof meta->options);
    put_text(meta->device, device, sizeof meta->device);
    meta->build_nanoseconds = build_nanoseconds;
}

bool od_key_valid(const char *key)
{
    for (int i = 0; i < OD_KEY_DIGITS; i++)
        if (!((key[i] >= '0' && key[i] <= '9') || (key[i] >= 'a' && key[i] <= 'f')))
            return false;
    return key[OD_KEY_DIGITS] == '\0';
}

size_t od_entry_size(size_t binary_bytes)
{
    return OD_ENTRY_HEADER + binary_bytes + OD_ENTRY_CHECKSUM;
}

void od_entry_encode(const char *key, const od_meta *meta, const void *binary, size_t binary_bytes, unsigned char *out)
{
    memcpy(out, entry_magic, sizeof entry_magic);
    put(out + AT_FORMAT, FORMAT, 4);
    put(out + AT_ZERO, 0, 4);
    memcpy(out + AT_KEY, key, OD_KEY_DIGITS);
    put(out + AT_LENGTH, binary_bytes, 8);
    put(out + AT_NANOSECONDS, meta->build_nanoseconds, 8);
    put_text(out + AT_SOURCE, meta->source, sizeof meta->source);
    put_text(out + AT_OPTIONS, meta->options, sizeof meta->options);
    put_text(out + AT_DEVICE, meta->device, sizeof meta->device);
    memcpy(out + OD_ENTRY_HEADER, binary, binary_bytes);
    checksum(out, binary_bytes, out + OD_ENTRY_HEADER + binary_bytes);
}

/* What can be known of an entry that begins at data without its checksum: its length, 0 if it is not one. */
static size_t entry_length(const unsigned char *data, size_t available)
{
    uint64_t binary_bytes;
    if (available < OD_ENTRY_HEADER + OD_ENTRY_CHECKSUM || memcmp(data, entry_magic, sizeof entry_magic) != 0 ||
        get(data + AT_FORMAT, 4) != FORMAT || get(data + AT_ZERO, 4) != 0)
        return 0;
    binary_bytes = get(data + AT_LENGTH, 8);
    if (binary_bytes == 0 || binary_bytes > available - OD_ENTRY_HEADER - OD_ENTRY_CHECKSUM)
        return 0;
    return od_entry_size((size_t)binary_bytes);
}

bool od_entry_decode(const void *data, size_t bytes, const char *key, od_entry *entry)
{
    const unsigned char *in = data;
    unsigned char sum[OD_ENTRY_CHECKSUM];
    size_t binary_bytes;
    if (bytes == 0 || entry_length(in, bytes) != bytes)
        return false;
    binary_bytes = bytes - OD_ENTRY_HEADER - OD_ENTRY_CHECKSUM;
    checksum(in, binary_bytes, sum);
    if (memcmp(sum, in + OD_ENTRY_HEADER + binary_bytes, sizeof sum) != 0)
        return false;
    memcpy(entry->key, in + AT_KEY, OD_KEY_DIGITS);
    entry->key[OD_KEY_DIGITS] = '\0';
    entry->meta.build_nanoseconds = get(in + AT_NANOSECONDS, 8);
    entry->binary = in + OD_ENTRY_HEADER;
    entry->binary_bytes = binary_bytes;
    return od_key_valid(entry->key) && (!key || strcmp(key, entry->key) == 0) &&
           get_text(in + AT_SOURCE, entry->meta.source, sizeof entry->meta.source) &&
           get_text(in + AT_OPTIONS, entry->meta.options, sizeof entry->meta.options) &&
           get_text(in + AT_DEVICE, entry->meta.device, sizeof entry->meta.device);
}

void od_bundle_begin(uint32_t count, unsigned char *out)
{
    memcpy(out, bundle_magic, sizeof bundle_magic);
    put(out + AT_FORMAT, FORMAT, 4);
    put(out + 12, count, 4);
}

bool od_bundle_next(const void *data, size_t bytes, size_t *position, od_entry *entry)
{
    const unsigned char *in = data;
    size_t at = *position ? *position : OD_BUNDLE_HEADER;
    size_t length;
    if (at >= bytes)
        return false;
    length = entry_length(in + at, bytes - at);
    if (length == 0 || !od_entry_decode(in + at, length, NULL, entry))
        return false;
    *position = at + length;
    return true;
}

bool od_bundle_check(const void *data, size_t bytes, uint32_t *count)
{
    const unsigned char *in = data;
    size_t position = OD_BUNDLE_HEADER;
    uint32_t found = 0;
    od_entry entry;
    if (bytes < OD_BUNDLE_HEADER || memcmp(in, bundle_magic, sizeof bundle_magic) != 0 ||
        get(in + AT_FORMAT, 4) != FORMAT)
        return false;
    while (od_bundle_next(data, bytes, &position, &entry))
        found++;
    *count = found;
    return position == bytes && found == get(in + 12, 4);
}
