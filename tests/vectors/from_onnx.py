#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Case files from node tests of the ONNX project, as its Python package installs them.

usage: from_onnx.py NAME...      such as l1normalization_axis_0; writes onnx/NAME.txt beside this script

Needs the package: pip install onnx. A later one may have other values under the same name.
"""
import pathlib
import sys

import numpy
import onnx
import onnx.backend.test

INSTALLED = pathlib.Path(onnx.backend.test.__file__).parent / "data" / "node"
DTYPES = {"float16": "f16", "float32": "f32", "float64": "f64", "int64": "i64", "uint8": "u8", "bool": "bool"}


def number(value):
    return f"{float(value):.9g}"


def attribute(given):
    value = onnx.helper.get_attribute_value(given)
    values = [value] if isinstance(value, (bytes, int, float)) else list(value)
    kind = "s" if isinstance(values[0], bytes) else "i" if isinstance(values[0], int) else "f"
    words = [word.decode() if kind == "s" else number(word) for word in values]
    return " ".join(["attr", given.name, kind, str(len(words)), *words])


def tensors(kind, names, folder):
    """A line for each, and one with its values; names are empty where a tensor is absent, and files count what is there."""
    present = iter(range(len(names)))
    for place, name in enumerate(names):
        if not name:
            yield f"{kind} {place} -"
            continue
        tensor = onnx.TensorProto.FromString((folder / f"{kind}_{next(present)}.pb").read_bytes())
        values = onnx.numpy_helper.to_array(tensor)
        yield " ".join(map(str, [kind, place, DTYPES[values.dtype.name], values.ndim, *values.shape]))
        yield " ".join(map(number, numpy.ravel(values)))


def case(folder):
    model = onnx.load(folder / "model.onnx")
    node, = model.graph.node
    yield f"case {folder.name}"
    yield f"op {node.op_type} {model.opset_import[0].version}"
    yield from map(attribute, node.attribute)
    yield from tensors("input", node.input, folder / "test_data_set_0")
    yield from tensors("output", node.output, folder / "test_data_set_0")
    yield "end"


def main():
    for name in sys.argv[1:] or sys.exit(__doc__):
        lines = "\n".join(case(INSTALLED / f"test_{name}"))
        (pathlib.Path(__file__).parent / "onnx" / f"{name}.txt").write_text(lines + "\n")


if __name__ == "__main__":
    main()
