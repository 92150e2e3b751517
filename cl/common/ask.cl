// SPDX-License-Identifier: Apache-2.0
// Asks for memory before it is needed. PoCL's prefetch() is empty; its compiler's own is not. Elsewhere, nothing.
//
// A kernel that goes through much memory once asks for what it will read and, above all, for what it will write: a core
// has few places for lines that are on their way, and a store that misses holds up all that come after it. The
// processor looks ahead by itself, but not past the end of a page.
#ifndef OD_COMMON_ASK_CL
#define OD_COMMON_ASK_CL

#ifdef POCL_DEVICE_ADDRESS_BITS
// Into the first (1) or second (2) cache.
#define OD_ASK(p, cache) __builtin_prefetch((const void *)(size_t)(p), 0, 4 - (cache))
#define OD_ASK_TO_WRITE(p) __builtin_prefetch((const void *)(size_t)(p), 1, 3)
#else
#define OD_ASK(p, cache) ((void)0)
#define OD_ASK_TO_WRITE(p) ((void)0)
#endif

// For a stream that has got to p: so far ahead, in bytes, that memory can answer in time. Asking for what another core
// is about to write costs both of them: whoever asks to write does so within its own part.
enum { OD_READ_AHEAD = 8192, OD_WRITE_AHEAD = 2048 };
#define OD_ASK_STREAM(p) OD_ASK((__global const char *)(p) + OD_READ_AHEAD, 2)
#define OD_ASK_STREAM_TO_WRITE(p) OD_ASK_TO_WRITE((__global char *)(p) + OD_WRITE_AHEAD)

#endif
