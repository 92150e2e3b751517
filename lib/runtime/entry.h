/* SPDX-License-Identifier: Apache-2.0
 *
 * One program of the cache as bytes: how it is written, and how it is checked before anybody uses it. The same bytes
 * lie in a file of the cache folder, go through an application's callbacks, and stand one after the other in a bundle
 * (what ocldnn_cache_export gives). Pure functions; safe from any thread.
 *
 * An entry is a header of OD_ENTRY_HEADER bytes, the driver's binary, and the XXH3-128 (canonical, 16 bytes) of both.
 * The header; numbers are little-endian:
 *
 *     0 magic (8)   8 format (u32)   12 zero (u32)   16 key (32)   48 binary's length (u64)   56 build time, ns (u64)
 *     64 source (48)   112 options (320)   432 device (96)
 *
 * A bundle is magic (8), format (u32), count (u32), then its entries.
 */
#ifndef OD_RUNTIME_ENTRY_H
#define OD_RUNTIME_ENTRY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    OD_KEY_DIGITS = 32, /* lower-case hexadecimal digits; a key has a terminator too */
    OD_ENTRY_HEADER = 528,
    OD_ENTRY_CHECKSUM = 16,
    OD_BUNDLE_HEADER = 16
};

/* What is kept beside a binary, for people and for statistics. */
typedef struct od_meta {
    char source[48]; /* kernel file below cl/ */
    char options[320];
    char device[96];
    uint64_t build_nanoseconds; /* what building it from source took */
} od_meta;

typedef struct od_entry {
    char key[OD_KEY_DIGITS + 1];
    od_meta meta;
    const unsigned char *binary; /* points into the checked bytes */
    size_t binary_bytes;         /* > 0 */
} od_entry;

/* Cuts what is too long. */
void od_meta_set(od_meta *meta, const char *source, const char *options, const char *device,
                 uint64_t build_nanoseconds);

bool od_key_valid(const char *key);

/* Bytes of an entry with a binary of this length. */
size_t od_entry_size(size_t binary_bytes);

/* Writes od_entry_size(binary_bytes) bytes. binary_bytes > 0, key valid. */
void od_entry_encode(const char *key, const od_meta *meta, const void *binary, size_t binary_bytes, unsigned char *out);

/* Checks everything: magic, format, lengths (an entry of exactly `bytes`), checksum, and the key where one is given
 * (NULL: any). False if anything is wrong; *entry says nothing then. */
bool od_entry_decode(const void *data, size_t bytes, const char *key, od_entry *entry);

/* Writes OD_BUNDLE_HEADER bytes; the entries follow it. */
void od_bundle_begin(uint32_t count, unsigned char *out);

/* Whether all of it is right, to the last byte; *count is the number of entries. */
bool od_bundle_check(const void *data, size_t bytes, uint32_t *count);

/* The next entry of a checked bundle; *position is 0 before the first. False at the end. */
bool od_bundle_next(const void *data, size_t bytes, size_t *position, od_entry *entry);

#endif
