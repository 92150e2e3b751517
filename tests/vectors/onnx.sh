#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# onnx.sh RUNNER: every case file beside this script.
exec "$1" "$(dirname "$0")"/onnx/*.txt
