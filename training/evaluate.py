"""What the model can: exact answers by kind of prompt, puzzles by one chain, expressions directly and by recursion.

    python3 training/evaluate.py training/out/mini.pt training/out/check.txt

`npm run bench -- mini` measures the strategies with the weights as they ship.
"""
import re
import sys
from collections import Counter
from fractions import Fraction

import torch

from model import CHARACTERS, END, FIRST, decode, encode, load
from pairs import Rows, read

ROWS = 256


@torch.no_grad()
def accuracy(model, rows):
    """By the first letter of the prompt; `T` is told apart by its answer, `R` or `C`. An answer counts when each token is the likeliest."""
    device = rows.tokens.device
    right, all_ = Counter(), Counter()
    for at in range(0, len(rows.tokens), ROWS):
        tokens, following, answers, mask, pairs = rows.batch(torch.arange(at, min(at + ROWS, len(rows.tokens)), device=device))
        with torch.autocast(device.type, torch.bfloat16):
            wrong = (model(tokens, mask).argmax(-1) != following) & answers
        missed = set(pairs[wrong].tolist())
        for text, numbers in zip(following.tolist(), pairs.tolist()):
            members = {}
            for token, number in zip(text, numbers):
                members.setdefault(number, []).append(token)
            members.pop(-1, None)
            for number, member in members.items():
                kind = kind_of(decode(member))
                all_[kind] += 1
                right[kind] += number not in missed
    return {kind: right[kind] / all_[kind] for kind in sorted(all_)}


def kind_of(text):
    return text[0] + text[text.index(">") + 1] if text[0] == "T" else text[0]


@torch.no_grad()
def ask(model, prompts, temperature=0.0, most=48):
    """What the model says to each, up to the end of the line."""
    device = next(model.parameters()).device
    said = []
    for at in range(0, len(prompts), 4096):
        asked = [encode(prompt) for prompt in prompts[at : at + 4096]]
        lengths = torch.tensor([len(a) for a in asked], device=device)
        context = model.shape.context
        tokens = torch.full((len(asked), context), END, dtype=torch.long)
        for row, a in enumerate(asked):
            tokens[row, : len(a)] = torch.from_numpy(a.astype("int64"))
        tokens, rows = tokens.to(device), torch.arange(len(asked), device=device)
        now, ended = lengths.clone(), torch.zeros(len(asked), dtype=torch.bool, device=device)
        for _ in range(most):
            logits = model(tokens[:, : int(now.max())])[rows, now - 1].float()
            chosen = logits.argmax(-1) if temperature == 0 else torch.multinomial((logits / temperature).softmax(-1), 1)[:, 0]
            goes_on = ~ended & (now < context)
            tokens[rows[goes_on], now[goes_on]] = chosen[goes_on]
            now = now + goes_on.long()
            ended = ended | (chosen == END) | (now >= context)
            if bool(ended.all()):
                break
        for row, (text, start, end) in enumerate(zip(tokens.tolist(), lengths.tolist(), now.tolist())):
            said.append(decode(text[start:end]).split("\n")[0])
    return said


def turned(text):
    """Numbers with their highest digit first."""
    return re.sub(r"\d+", lambda digits: digits[0][::-1], text)


def value(text):
    code = re.sub(r"\d+", lambda digits: f"Fraction({digits[0]})", turned(text).replace("×", "*").replace("÷", "/").replace("^", "**"))
    return eval(code, {"Fraction": Fraction})


def reaches(prompt, chain):
    """Whether the moves are legal and come to the target."""
    _, target, numbers = turned(prompt[:-1]).split("|")
    left = [Fraction(n) for n in numbers.split()]
    try:
        for move in turned(chain).split(";"):
            done, result = move.split("=")
            a, operator, b = re.fullmatch(r"(-?\d+(?:/\d+)?)([-+×÷])(-?\d+(?:/\d+)?)", done).groups()
            a, b, result = Fraction(a), Fraction(b), Fraction(result)
            left.remove(a)
            left.remove(b)
            if {"+": a + b, "-": a - b, "×": a * b, "÷": a / b if b else None}[operator] != result:
                return False
            left.append(result)
    except (ValueError, AttributeError, ZeroDivisionError):
        return False
    return left == [Fraction(target)]


def recursion(model, expressions):
    """Names the operation to work out first, works it out, puts it back: as the strategy fractal does."""
    current, open_ = list(expressions), set(range(len(expressions)))
    for _ in range(64):
        asked = sorted(i for i in open_ if current[i].startswith("("))
        if not asked:
            break
        first = ask(model, [f"T|{current[i]}>" for i in asked])
        named = [(i, said[1:]) for i, said in zip(asked, first) if said.startswith("C") and said[1:] in current[i] and said[1:] != current[i]]
        for i, said in zip(asked, first):
            if said.startswith("R"):
                current[i] = said[1:]
            elif (i, said[1:]) not in named:
                open_.discard(i)
        for (i, operation), said in zip(named, ask(model, [f"T|{operation}>" for _, operation in named])):
            if said.startswith("R"):
                current[i] = current[i].replace(operation, said[1:], 1)
            else:
                open_.discard(i)
    return current


def main():
    model, _ = load(sys.argv[1], "cuda" if torch.cuda.is_available() else "cpu")
    model.eval()
    device = next(model.parameters()).device
    print(" ".join(f"{kind} {share:.4f}" for kind, share in accuracy(model, Rows(sys.argv[2], device)).items()), flush=True)
    tokens, starts, ends = read(sys.argv[2])
    prompts = sorted({decode(tokens[a:b]).split(">")[0] + ">" for a, b in zip(starts, ends)})
    puzzles = [p for p in prompts if p.startswith("P|42|") and all(int(n[::-1]) <= 13 for n in p[5:-1].split())]
    right = lambda chains, of: sum(map(reaches, of, chains)) / len(of)
    print(f"{len(puzzles)} puzzles: greedy {right(ask(model, puzzles), puzzles):.3f}", flush=True)
    for temperature in (0.7, 1.0, 1.3):
        chains = ask(model, puzzles * 20, temperature)
        solved = {p for p, chain in zip(puzzles * 20, chains) if reaches(p, chain)}
        print(f"  sampled at {temperature}: one {right(chains, puzzles * 20):.3f}, one of 20 {len(solved) / len(puzzles):.3f}", flush=True)
    for least, most in ((1, 3), (4, 7), (8, 12), (13, 18), (19, 40)):
        group = [p[2:-1] for p in prompts if p.startswith("T|(") and least <= p.count("(") <= most][:400]
        direct = ask(model, [f"D|{e}>" for e in group])
        worked = recursion(model, group)
        same = lambda texts: sum(re.fullmatch(r"-?\d+(/\d+)?", t) is not None and value(t) == value(e) for t, e in zip(texts, group)) / len(group)
        print(f"{least} to {most} operations ({len(group)}): directly {same(direct):.3f}, by recursion {same(worked):.3f}", flush=True)


if __name__ == "__main__":
    main()
