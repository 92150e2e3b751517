/* SPDX-License-Identifier: Apache-2.0
 *
 * Between the kit's own files.
 */
#ifndef OD_KIT_INTERNAL_H
#define OD_KIT_INTERNAL_H

#include "kit/kit.h"

extern uint64_t kit_seed;

/* The distance between neighbours at value. */
double kit_ulp(uint32_t dtype, double value);

/* The in-memory form of one element, and back. */
void kit_encode(uint32_t dtype, double value, unsigned char *bytes);
double kit_decode(uint32_t dtype, const unsigned char *bytes);

/* Notes a comparison's errors, if that is asked for; naive_worst as in kit_compare(). */
void kit_note_comparison(const kit_tensor *output, const double *exact, double naive_worst, bool has_naive);

/* Poisons an output again. */
void kit_poison(kit_tensor *tensor);

#endif
