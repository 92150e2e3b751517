/* SPDX-License-Identifier: Apache-2.0
 *
 * Of the cases in tests/programs whose launches are the same kernels one is drawn, with the kit's seed: all of them
 * would be hundreds of programs to compile.
 */
#ifndef OD_TESTS_CHOICE_H
#define OD_TESTS_CHOICE_H

#include "base/operator.h"

/* Returns how many were drawn. */
int choice_for_each(void (*run)(const od_operator *kind, const void *op));

/* Of the case at hand in the list; afterwards, how many there are. */
int choice_number(void);

#endif
