"""How fast is Python's ONNX runtime with the texts of the benchmark `onnx`?

`onnx.py FOLDER [threads] [tokens a batch]`, where FOLDER is `tmp` of cargo's target folder, once the benchmark has run.
Sorted by length, in batches of a token budget; 0 tokens a batch is 32 texts a batch, in order."""

import json
import pathlib
import sys
import time

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

folder = pathlib.Path(sys.argv[1])
threads = int(sys.argv[2]) if len(sys.argv) > 2 else 1
budget = int(sys.argv[3]) if len(sys.argv) > 3 else 1024
options = onnxruntime.SessionOptions()
options.intra_op_num_threads = threads
model = folder / "all-MiniLM-L6-v2"
session = onnxruntime.InferenceSession(str(model / "model.onnx"), options, ["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(str(model / "tokenizer.json"))
tokenizer.enable_truncation(256)
tokenizer.no_padding()


def embed(encodings):
    width = max(len(encoding.ids) for encoding in encodings)
    ids, mask = np.zeros((2, len(encodings), width), np.int64)
    for row, encoding in enumerate(encodings):
        ids[row, : len(encoding.ids)] = encoding.ids
        mask[row, : len(encoding.ids)] = 1
    feed = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (states,) = session.run(["last_hidden_state"], feed)
    mean = (states * mask[:, :, None]).sum(1) / mask.sum(1, keepdims=True)
    return mean / np.linalg.norm(mean, axis=1, keepdims=True)


queries = ["how are connection pools closed on shutdown", "parse http header fields"]
times, before = [], time.process_time()
for round in range(200):
    start = time.perf_counter()
    embed([tokenizer.encode(queries[round % 2])])
    times.append(time.perf_counter() - start)
print(f"{(time.process_time() - before) * 5:.2f} ms of the processor a query")
print(f"query: p10 {sorted(times)[20] * 1e3:.2f} ms, p50 {sorted(times)[100] * 1e3:.2f} ms")

texts = json.loads((folder / "texts.json").read_text())
start, before = time.perf_counter(), time.process_time()
encodings = tokenizer.encode_batch(texts)
order = list(range(len(texts)))
if budget:
    order.sort(key=lambda at: len(encodings[at].ids))
out = np.zeros((len(texts), 384), np.float32)
at = 0
while at < len(order):
    end = at + 1 if budget else min(at + 32, len(order))
    while budget and end < len(order) and (end + 1 - at) * len(encodings[order[end]].ids) <= budget:
        end += 1
    out[order[at:end]] = embed([encodings[i] for i in order[at:end]])
    at = end
rate, cpu = len(texts) / (time.perf_counter() - start), len(texts) / (time.process_time() - before)
print(f"documents: {rate:.1f} texts a second, {cpu:.1f} a CPU-second, {threads} threads, {budget} tokens a batch")
