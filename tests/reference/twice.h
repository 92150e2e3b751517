/* SPDX-License-Identifier: Apache-2.0
 *
 * Includes REFERENCE_FILE twice: over double, the truth, and over float, what an honest program reaches. Within the
 * file `real` is the type, REFERENCE(name) names a function, and REAL(exp) is exp or expf. No include guard, on
 * purpose.
 */
#include <math.h>
#include <stdbool.h>
#include <stdint.h>

#define real double
#define REFERENCE(NAME) NAME##_double
#define REAL(FUNCTION) FUNCTION
#include REFERENCE_FILE
#undef real
#undef REFERENCE
#undef REAL

#define real float
#define REFERENCE(NAME) NAME##_float
#define REAL(FUNCTION) FUNCTION##f
#include REFERENCE_FILE
#undef real
#undef REFERENCE
#undef REAL
#undef REFERENCE_FILE
