# SPDX-License-Identifier: Apache-2.0
"""all-MiniLM-L6-v2 in PyTorch, OpenVINO and ONNX Runtime, each from the same safetensors file and each in the form that
it runs fastest: query, key and value fused, no mask (the batches of the bench are full), static shapes for OpenVINO,
ONNX Runtime's own fused operators. A peer is a function of token ids [B, S] that gives embeddings [B, hidden]."""
import json
import os
import struct

import numpy

HEADS, LAYERS, HIDDEN, EPSILON = 12, 6, 384, 1e-12


def read_weights(path):
    with open(path, "rb") as file:
        (length,) = struct.unpack("<Q", file.read(8))
        header, start = json.loads(file.read(length)), 8 + length
    data = numpy.memmap(path, numpy.uint8, "r")
    weights = {}
    for name, entry in header.items():
        if entry.get("dtype") == "F32":
            begin, end = entry["data_offsets"]
            weights[name] = data[start + begin:start + end].view(numpy.float32).reshape(entry["shape"]).copy()
    for layer in range(LAYERS):
        base = f"encoder.layer.{layer}.attention.self."
        for kind in "weight", "bias":
            weights[f"qkv.{layer}.{kind}"] = numpy.concatenate(
                [weights[base + part + "." + kind] for part in ("query", "key", "value")])
    return weights


def torch_peer(weights, threads):
    import torch
    import torch.nn.functional as F
    torch.set_num_threads(threads)
    w = {name: torch.from_numpy(value) for name, value in weights.items()}

    def norm(x, prefix):
        return F.layer_norm(x, (HIDDEN,), w[prefix + ".LayerNorm.weight"], w[prefix + ".LayerNorm.bias"], EPSILON)

    def dense(x, prefix):
        return F.linear(x, w[prefix + ".weight"], w[prefix + ".bias"])

    @torch.inference_mode()
    def run(ids):
        batch, length = ids.shape
        x = F.embedding(torch.from_numpy(ids.astype(numpy.int64)), w["embeddings.word_embeddings.weight"])
        x = x + w["embeddings.position_embeddings.weight"][:length] + w["embeddings.token_type_embeddings.weight"][0]
        x = norm(x, "embeddings")
        for layer in range(LAYERS):
            base = f"encoder.layer.{layer}."
            qkv = dense(x, f"qkv.{layer}").view(batch, length, 3, HEADS, HIDDEN // HEADS).permute(2, 0, 3, 1, 4)
            values = F.scaled_dot_product_attention(qkv[0], qkv[1], qkv[2]).transpose(1, 2).reshape(x.shape)
            x = norm(dense(values, base + "attention.output.dense") + x, base + "attention.output")
            wide = F.gelu(dense(x, base + "intermediate.dense"))
            x = norm(dense(wide, base + "output.dense") + x, base + "output")
        return F.normalize(x.mean(1), dim=1).numpy()

    return run


class Graph:
    """An ONNX graph under construction; every node has one output, named after it."""

    def __init__(self, weights):
        from onnx import helper, numpy_helper
        self.helper, self.numpy_helper, self.weights = helper, numpy_helper, weights
        self.nodes, self.constants = [], {}

    def constant(self, name, value):
        if name not in self.constants:
            self.constants[name] = self.numpy_helper.from_array(numpy.array(value, order="C"), name)
        return name

    def weight(self, name, transpose=False):
        value = self.weights[name]
        return self.constant(name + (".T" if transpose else ""), value.T if transpose else value)

    def add(self, kind, *inputs, domain="", **attributes):
        name = f"{kind}_{len(self.nodes)}"
        self.nodes.append(self.helper.make_node(kind, inputs, [name], name, domain=domain, **attributes))
        return name


def norm(g, x, prefix):
    return g.add("LayerNormalization", x, g.weight(prefix + ".LayerNorm.weight"), g.weight(prefix + ".LayerNorm.bias"),
                 axis=-1, epsilon=EPSILON)


def dense(g, x, prefix):
    return g.add("Add", g.add("MatMul", x, g.weight(prefix + ".weight", True)), g.weight(prefix + ".bias"))


def standard_layer(g, x, layer, shape):
    base, head = f"encoder.layer.{layer}.", HIDDEN // HEADS
    split = g.constant("split", numpy.array([*shape, 3, HEADS, head], numpy.int64))
    flat = g.constant("flat", numpy.array([*shape, HIDDEN], numpy.int64))
    qkv = g.add("Transpose", g.add("Reshape", dense(g, x, f"qkv.{layer}"), split), perm=[2, 0, 3, 1, 4])
    q, k, v = [g.add("Gather", qkv, g.constant(f"part{i}", numpy.array(i, numpy.int64)), axis=0) for i in range(3)]
    scores = g.add("MatMul", q, g.add("Transpose", k, perm=[0, 1, 3, 2]))
    scaled = g.add("Mul", scores, g.constant("scale", numpy.array(head ** -0.5, numpy.float32)))
    values = g.add("MatMul", g.add("Softmax", scaled, axis=-1), v)
    values = g.add("Reshape", g.add("Transpose", values, perm=[0, 2, 1, 3]), flat)
    x = norm(g, g.add("Add", dense(g, values, base + "attention.output.dense"), x), base + "attention.output")
    wide = g.add("Gelu", dense(g, x, base + "intermediate.dense"))
    return norm(g, g.add("Add", dense(g, wide, base + "output.dense"), x), base + "output")


def fused_layer(g, x, layer, _shape):
    """ONNX Runtime's own operators, which its optimizer makes of exported BERT models."""
    base, own = f"encoder.layer.{layer}.", {"domain": "com.microsoft"}

    def skip_norm(values, residual, prefix):
        return g.add("SkipLayerNormalization", values, residual, g.weight(prefix + ".LayerNorm.weight"),
                     g.weight(prefix + ".LayerNorm.bias"), g.weight(prefix + ".dense.bias"), epsilon=EPSILON, **own)

    values = g.add("Attention", x, g.weight(f"qkv.{layer}.weight", True), g.weight(f"qkv.{layer}.bias"),
                   num_heads=HEADS, **own)
    values = g.add("MatMul", values, g.weight(base + "attention.output.dense.weight", True))
    x = skip_norm(values, x, base + "attention.output")
    wide = g.add("MatMul", x, g.weight(base + "intermediate.dense.weight", True))
    wide = g.add("BiasGelu", wide, g.weight(base + "intermediate.dense.bias"), **own)
    return skip_norm(g.add("MatMul", wide, g.weight(base + "output.dense.weight", True)), x, base + "output")


def onnx_model(weights, shape, layer):
    from onnx import TensorProto, helper
    g = Graph(weights)
    x = g.add("Gather", g.weight("embeddings.word_embeddings.weight"), "ids", axis=0)
    position = weights["embeddings.position_embeddings.weight"][:shape[1]]
    x = g.add("Add", x, g.constant("position", position + weights["embeddings.token_type_embeddings.weight"][0]))
    x = norm(g, x, "embeddings")
    for number in range(LAYERS):
        x = layer(g, x, number, shape)
    pooled = g.add("ReduceMean", x, g.constant("axis1", numpy.array([1], numpy.int64)), keepdims=0)
    g.nodes.append(helper.make_node("LpNormalization", [pooled], ["embedding"], axis=-1, p=2))
    graph = helper.make_graph(g.nodes, "minilm", [helper.make_tensor_value_info("ids", TensorProto.INT64, shape)],
                              [helper.make_tensor_value_info("embedding", TensorProto.FLOAT, [shape[0], HIDDEN])],
                              list(g.constants.values()))
    opsets = [helper.make_opsetid("", 20), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(graph, opset_imports=opsets, ir_version=9).SerializeToString()


def onnxruntime_peer(weights, shape, threads):
    import onnxruntime
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads, options.log_severity_level = threads, 3
    session = onnxruntime.InferenceSession(onnx_model(weights, shape, fused_layer), options,
                                           providers=["CPUExecutionProvider"])
    return lambda ids: session.run(None, {"ids": ids})[0]


def openvino_peer(weights, shape, threads):
    import openvino
    core = openvino.Core()
    compiled = core.compile_model(core.read_model(onnx_model(weights, shape, standard_layer)), "CPU", {
        "INFERENCE_PRECISION_HINT": "f32", "PERFORMANCE_HINT": "LATENCY", "INFERENCE_NUM_THREADS": threads})
    request = compiled.create_infer_request()

    def run(ids):
        request.infer({"ids": ids}, share_inputs=True)
        return request.get_output_tensor(0).data

    return run


def make_peers(weights, shape):
    threads = len(os.sched_getaffinity(0))
    peers = {"OpenVINO": openvino_peer(weights, shape, threads),
             "ONNX Runtime": onnxruntime_peer(weights, shape, threads)}
    try:
        peers["PyTorch"] = torch_peer(weights, threads)
    except ImportError:
        pass
    return peers
