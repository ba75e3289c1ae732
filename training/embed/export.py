"""How is the model written down? Rounds the table to bytes and writes the file that the program contains, and its golden test.

usage: export.py VOCABULARY.json TABLE.npy OUT.bin GOLDEN.json

The form of the file is told in `crates/recall-models/src/static_model/format.rs`."""

import json
import pathlib
import struct
import sys
import zlib

import numpy as np

from words import HASHED, Vocabulary

VERSION = 1
# Components of a golden vector that are written down; the others are as good as tested by its length.
GOLDEN_COMPONENTS = 8
GOLDEN_TEXTS = [
    "", " ", "\n\t", "(){};", "🦀", "a", "I", "0", "42", "1234567", "the", "The THE the", "how does the router match a path",
    "parseHTTPHeader2", "snake_case_name", "SCREAMING_SNAKE", "__init__", "_x", "a__b", "camelCase HTTPServer XMLHttpRequest",
    "std::io::Error", "utf8 v1 server2 x86_64", "readline", "zzyzxqqk", "internationalization", "pneumonoultramicroscopic",
    "fn main() { println!(\"{}\", x); }", "def __repr__(self): return f'<{self.name}>'", "SELECT * FROM users WHERE id = ?;",
    "https://example.com/a/b?c=d#e", "user@example.com", "C:\\Windows\\System32", "don't can't it's", "e.g. i.e. etc.",
    "日本語", "日本語 text 中文", "中文分词", "한국어 문장", "Привет мир", "ПРИВЕТ", "größeÄndern", "naïve café", "CAFÉ", "ÉcoleÀ",
    "σίγμα ΣΊΓΜΑΣ", "İstanbul", "ǅ titlecase", "ﬁ ligature", "Ⅷ numeral ½", "हिन्दी पाठ", "ไทย", "שלום", "مرحبا",
    "e\u0301 combining", "a\u200bb zero width", "🦀 crab 🎉 party", "👩‍💻", "x²", "№5", "word " * 50, "字" * 40,
    "ABCdefGHI", "aB", "ABc", "iOS macOS IPv6Address", "OAuth2Token", "---\ntitle: x\n---", "\u00a0nbsp\u00a0", "tab\tsep",
]


def rounded(table: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Bytes and the factor of each row."""
    scales = np.maximum(np.abs(table).max(1), 1e-12) / 127
    return np.rint(table / scales[:, None]).astype(np.int8), scales.astype("<f4")


def embed(vocabulary: Vocabulary, table: np.ndarray, scales: np.ndarray, text: str) -> np.ndarray:
    rows, times = np.unique(np.array(vocabulary.rows(text), np.int64), return_counts=True)
    vector = (np.sqrt(times) * scales[rows]) @ table[rows].astype(np.float64) if len(rows) else np.zeros(table.shape[1])
    return vector / max(np.linalg.norm(vector), 1e-12)


def main() -> None:
    vocabulary = Vocabulary(**json.loads(pathlib.Path(sys.argv[1]).read_text()))
    table, scales = rounded(np.load(sys.argv[2]))
    assert table.shape[0] == len(vocabulary) and max(map(len, vocabulary.words)) <= 24
    text = "".join(entry + "\n" for entry in vocabulary.words + vocabulary.pieces).encode("ascii")
    counts = (len(vocabulary.words), len(vocabulary.pieces), HASHED, len(text))
    body = b"RCLE" + struct.pack("<HHIIII", VERSION, table.shape[1], *counts) + text + scales.tobytes() + table.tobytes()
    pathlib.Path(sys.argv[3]).write_bytes(body + struct.pack("<I", zlib.crc32(body)))
    golden = [
        {
            "text": text,
            "rows": vocabulary.rows(text),
            "embedding": [round(float(x), 6) for x in embed(vocabulary, table, scales, text)[:GOLDEN_COMPONENTS]],
        }
        for text in GOLDEN_TEXTS
    ]
    lines = ",\n".join(json.dumps(entry, ensure_ascii=False) for entry in golden)
    pathlib.Path(sys.argv[4]).write_text(f"[\n{lines}\n]\n")
    print(len(body) + 4, "bytes")


if __name__ == "__main__":
    main()
