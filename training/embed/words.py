"""Of which rows does a text consist? The tokenizer of the built-in model, the twin of `crates/recall-models/src/static_model/tokenizer.rs`.

A text is split into runs of letters and digits, runs into the parts of identifiers (`parseHTTPHeader` → parse, http, header),
and a part, lower-cased, is one row where the vocabulary knows it as a word. Another is cut greedily into the longest known
words, and pieces of up to three letters between them. Letters beyond ASCII have no words: each, and each pair of neighbours, is hashed to a row."""

import regex

# Every row's place in the table: words, then pieces, then hashed letters.
HASHED = 512
# Within an unknown word, words of at least so many letters count as pieces; shorter ones would be found by accident.
SHORTEST_WORD_WITHIN = 4
# No word of the vocabulary is longer.
LONGEST_PART = 24
MOST_TEXT_BYTES = 32 * 1024

RUN = regex.compile(r"[\p{Alphabetic}\p{N}_]+")
# A part ends before `_`, before a capital behind a letter that is none, and before the last capital of a run that a lower-case
# letter follows: the rules of `recall_text::words`.
HUMP = regex.compile(r"(?<=[^\p{Uppercase}])(?=\p{Uppercase})|(?<=\p{Uppercase})(?=\p{Uppercase}\p{Lowercase})")


def parts(text: str) -> list[str]:
    """The lower-cased parts of a text's words, in order."""
    found = []
    for run in RUN.findall(bounded(text)):
        for word in run.split("_"):
            if word.isascii() and (word.islower() or word.isdigit()):
                found.append(word)
            elif word:
                found.extend(part.lower() for part in HUMP.split(word))
    return found


def bounded(text: str) -> str:
    """The beginning of a text that is read: whole characters within the limit."""
    if len(text) * 4 <= MOST_TEXT_BYTES:
        return text
    return text.encode()[:MOST_TEXT_BYTES].decode(errors="ignore")


class Vocabulary:
    def __init__(self, words: list[str], pieces: list[str]):
        self.words, self.pieces = words, pieces
        self.word_rows = {word: row for row, word in enumerate(words)}
        self.piece_rows = {piece: len(words) + row for row, piece in enumerate(pieces)}
        self.first_hashed = len(words) + len(pieces)
        self.known: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return self.first_hashed + HASHED

    def rows(self, text: str) -> list[int]:
        """The rows of a text, in order, with repetitions."""
        out: list[int] = []
        for part in parts(text):
            rows = self.known.get(part)
            if rows is None:
                rows = tuple(self.rows_of_part(part))
                if len(self.known) < 2_000_000:
                    self.known[part] = rows
            out.extend(rows)
        return out

    def rows_of_part(self, part: str) -> list[int]:
        row = self.word_rows.get(part)
        if row is not None:
            return [row]
        out: list[int] = []
        at = 0
        previous = None
        while at < len(part):
            if not part[at].isascii():
                out.append(self.hashed(part[at]))
                if previous is not None:
                    out.append(self.hashed(previous + part[at]))
                previous = part[at]
                at += 1
                continue
            previous = None
            for length in range(min(LONGEST_PART, len(part) - at), 0, -1):
                rows = self.word_rows if length >= SHORTEST_WORD_WITHIN else self.piece_rows
                row = rows.get(part[at : at + length])
                if row is not None:
                    out.append(row)
                    at += length
                    break
            else:
                at += 1
        return out

    def hashed(self, letters: str) -> int:
        """The row of one letter or two neighbours beyond ASCII: FNV-1a over their UTF-8 bytes."""
        value = 0x811C9DC5
        for byte in letters.encode():
            value = ((value ^ byte) * 0x01000193) & 0xFFFFFFFF
        return self.first_hashed + value % HASHED
