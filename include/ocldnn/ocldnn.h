/* SPDX-License-Identifier: Apache-2.0
 *
 * oclDNN: neural-network operators over OpenCL. This header includes the whole public interface; read base.h first,
 * then context.h, then the family you need.
 */
#ifndef OCLDNN_OCLDNN_H
#define OCLDNN_OCLDNN_H

#include <ocldnn/base.h>
#include <ocldnn/context.h>
#include <ocldnn/normalization.h>
#include <ocldnn/linear.h>
#include <ocldnn/elementwise.h>
#include <ocldnn/sequence.h>
#include <ocldnn/attention.h>

#endif
