"""Pairs of a prompt and its answer, packed into rows: several pairs stand in a row and do not see each other."""
import gzip

import numpy as np
import torch

from model import CHARACTERS, CONTEXT, END, FIRST, encode

PROMPT_END = FIRST + CHARACTERS.index(">")
ROW = CONTEXT


def read(path):
    """All pairs of a file as a list of arrays of tokens, each with the end."""
    opened = gzip.open(path, "rt", encoding="utf8") if path.endswith(".gz") else open(path, encoding="utf8")
    with opened as file:
        tokens = encode(file.read())
    ends = np.flatnonzero(tokens == END) + 1
    return tokens, np.concatenate(([0], ends[:-1])), ends


class Rows:
    """Rows of so many tokens on a device: the tokens, which pair each belongs to, and which are of answers."""

    def __init__(self, path, device, seed=None):
        tokens, starts, ends = read(path)
        order = np.arange(len(ends)) if seed is None else np.random.default_rng(seed).permutation(len(ends))
        starts, lengths = starts[order], (ends - starts)[order]
        row, at, rows, places = 0, 1, [], []  # a row's first token is nobody's: what follows has pairs as a whole
        for length in lengths.tolist():
            if at + length > ROW:
                row, at = row + 1, 1
            rows.append(row)
            places.append(at)
            at += length
        # Where each token comes from and goes to.
        pair = np.repeat(np.arange(len(lengths)), lengths)
        inside = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        source, target = starts[pair] + inside, np.array(rows)[pair] * ROW + np.array(places)[pair] + inside
        shape = (row + 1, ROW)
        flat = np.full(shape[0] * ROW, END, dtype=np.int16)
        flat[target] = tokens[source]
        numbers = np.full(shape[0] * ROW, -1, dtype=np.int32)
        numbers[target] = pair
        # An answer is what follows the first mark of its pair.
        mark = tokens[source] == PROMPT_END
        marks = np.cumsum(mark)
        firsts = np.cumsum(lengths) - lengths
        marks -= np.repeat((marks - mark)[firsts], lengths)
        answers = np.zeros(shape[0] * ROW, dtype=bool)
        answers[target] = (marks > 1) | ((marks == 1) & ~mark)
        to = lambda array: torch.from_numpy(array.reshape(shape)).to(device)
        self.tokens, self.pairs, self.answers = to(flat), to(numbers), to(answers)

    def batch(self, rows):
        """Inputs, what follows, which of these belong to answers, the mask of attention, and the pair of what follows."""
        tokens, pairs = self.tokens[rows].long(), self.pairs[rows]
        seen = pairs[:, :-1, None] == pairs[:, None, :-1]
        mask = (seen & torch.ones(ROW - 1, ROW - 1, dtype=torch.bool, device=rows.device).tril())[:, None]
        same = self.answers[rows][:, 1:] & (pairs[:, 1:] == pairs[:, :-1])
        return tokens[:, :-1], tokens[:, 1:], same, mask, pairs[:, 1:]
