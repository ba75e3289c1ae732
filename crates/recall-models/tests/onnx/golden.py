"""What does Python's ONNX runtime make of a few texts? `golden.py MODEL_FOLDER > golden-minilm.json`

Each text is run by itself, pooled in numpy. Needs numpy, onnxruntime and tokenizers."""

import json
import pathlib
import sys

import numpy as np
import onnxruntime
from tokenizers import Tokenizer

TEXTS = [
    "",
    "open the store",
    "how are connection pools closed on shutdown",
    "fn retry(mut attempt: u32) -> Duration { Duration::from_millis(100) * 2u32.pow(attempt.min(6)) }",
    "数据库连接池在哪里关闭？",
    "🦀🎉",
    "Соединения закрываются, die zu lange nicht gebraucht wurden.",
    "def parse(line: str) -> dict[str, int]:\n    key, value = line.split(\"=\")\n    return {key: int(value)}\n" * 30,
]
WINDOW = 256

folder = pathlib.Path(sys.argv[1])
session = onnxruntime.InferenceSession(str(folder / "model.onnx"), providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
tokenizer.enable_truncation(WINDOW)
tokenizer.no_padding()
lines = []
for text in TEXTS:
    encoding = tokenizer.encode(text)
    feed = {
        "input_ids": np.array([encoding.ids]),
        "attention_mask": np.array([encoding.attention_mask]),
        "token_type_ids": np.array([encoding.type_ids]),
    }
    (states,) = session.run(["last_hidden_state"], feed)
    mean = states[0].astype(np.float64).mean(0)
    embedding = [round(float(x), 6) for x in mean / np.linalg.norm(mean)]
    lines.append(json.dumps({"text": text, "embedding": embedding}, ensure_ascii=False))
print("[\n" + ",\n".join(lines) + "\n]")
