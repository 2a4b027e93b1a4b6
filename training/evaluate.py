"""How many answers the model gives exactly, by kind of prompt, greedily.

    python3 training/evaluate.py training/out/mini.pt training/out/check.txt
"""
import sys
from collections import Counter

import torch

from model import CHARACTERS, FIRST, load
from pairs import Pairs, batch

ROWS = 64


@torch.no_grad()
def accuracy(model, pairs, most=None):
    """By the first letter of the prompt; `T` is told apart by its answer, `R` or `C`. An answer counts when each token is the likeliest."""
    device = next(model.parameters()).device
    right, all_ = Counter(), Counter()
    rows = list(pairs.rows(range(min(most or len(pairs.ends), len(pairs.ends)))))
    for at in range(0, len(rows), ROWS):
        tokens, following, answers, mask, numbers = (t.to(device) for t in batch(rows[at : at + ROWS]))
        with torch.autocast(device.type, torch.bfloat16):
            wrong = (model(tokens, mask).argmax(-1) != following) & answers
        for row, parts in enumerate(rows[at : at + ROWS]):
            missed = set(numbers[row][wrong[row]].tolist())
            for number, part in enumerate(parts):
                kind = letter(part[0])
                if kind == "T":
                    kind += "C" if (part == FIRST + CHARACTERS.index("C")).any() else "R"
                all_[kind] += 1
                right[kind] += number not in missed
    return {kind: right[kind] / all_[kind] for kind in sorted(all_)}


def letter(token):
    return CHARACTERS[token - FIRST]


if __name__ == "__main__":
    model, _ = load(sys.argv[1])
    for kind, share in accuracy(model, Pairs(sys.argv[2])).items():
        print(f"{kind} {share:.4f}")
