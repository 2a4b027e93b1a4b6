"""Pairs of a prompt and its answer, packed into rows: several pairs stand in a row and do not see each other."""
import numpy as np
import torch

from model import END, FIRST, CHARACTERS, encode

PROMPT_END = FIRST + CHARACTERS.index(">")
ROW = 80


class Pairs:
    def __init__(self, path):
        with open(path, encoding="utf8") as file:
            self.tokens = encode(file.read())
        self.ends = np.flatnonzero(self.tokens == END) + 1
        self.starts = np.concatenate(([0], self.ends[:-1]))

    def rows(self, order):
        """Yields (tokens, pair numbers within the row, which are -1 where nothing is)."""
        rows = []
        for i in order:
            tokens = self.tokens[self.starts[i] : self.ends[i]]
            # The first of the rows that are being filled that has the place; a row without is handed out.
            fits = next((row for row in rows if row[0] + len(tokens) <= ROW), None)
            if fits is None:
                if len(rows) == 8:
                    fullest = max(rows, key=lambda row: row[0])
                    rows.remove(fullest)
                    yield fullest[1]
                fits = [0, []]
                rows.append(fits)
            fits[0] += len(tokens)
            fits[1].append(tokens)
        for _, parts in rows:
            yield parts


def batch(rows):
    """The rows as tensors: inputs, what follows, which of these belong to answers, and the mask of attention."""
    tokens = np.full((len(rows), ROW + 1), END, dtype=np.int64)
    pairs = np.full((len(rows), ROW + 1), -1, dtype=np.int64)
    answers = np.zeros((len(rows), ROW + 1), dtype=bool)
    for i, parts in enumerate(rows):
        at = 0
        for number, part in enumerate(parts):
            end = at + len(part)
            tokens[i, at:end], pairs[i, at:end] = part, number
            answers[i, at + int(np.argmax(part == PROMPT_END)) + 1 : end] = True
            at = end
    tokens, pairs, answers = torch.from_numpy(tokens), torch.from_numpy(pairs), torch.from_numpy(answers)
    seen = (pairs[:, :-1, None] == pairs[:, None, :-1]) & torch.ones(ROW, ROW, dtype=torch.bool).tril()
    mask = torch.zeros(seen.shape).masked_fill_(~seen, -1e9)[:, None]
    return tokens[:, :-1], tokens[:, 1:], answers[:, 1:], mask, pairs[:, 1:]
