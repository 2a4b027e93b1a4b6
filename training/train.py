"""Trains the model on pairs that make-data.ts wrote. Run again with the same --out it goes on where it was stopped.

    python3 training/train.py --data training/out/data-*.txt --check training/out/check.txt --out training/out/mini.pt --minutes 10

The learning rate warms up, stays, and falls to nothing in the last part of the time: the end is planned by the clock.
"""
import argparse
import os
import random
import time

import numpy as np
import torch
import torch.nn.functional as functional

from evaluate import accuracy
from model import Mini, Shape, load, save
from pairs import Pairs, batch


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", nargs="+", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--minutes", type=float, default=10)
    parser.add_argument("--fall", type=float, default=0.35, help="the part of the time in which the rate falls")
    parser.add_argument("--rows", type=int, default=96)
    parser.add_argument("--rate", type=float, default=0.02, help="of the matrices; the rest learns at a tenth of it")
    parser.add_argument("--width", type=int, default=192)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--hidden", type=int, default=512)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Muon(torch.optim.Optimizer):
    """Momentum whose step is made orthogonal: matrices learn from fewer examples than with AdamW."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            for p in group["params"]:
                state = self.state[p]
                momentum = state.setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 0.05)
                step = orthogonal(p.grad.lerp(momentum, 0.95))
                p.mul_(1 - group["lr"] * 0.01)
                p.add_(step, alpha=-group["lr"] * max(1, p.shape[0] / p.shape[1]) ** 0.5)


def orthogonal(g):
    """Newton-Schulz: brings the singular values near 1."""
    x = g.bfloat16()
    x = x / (x.float().norm() + 1e-7).bfloat16()
    tall = x.shape[0] > x.shape[1]
    if tall:
        x = x.T
    for _ in range(5):
        a = x @ x.T
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return (x.T if tall else x).float()


def endless(paths, seed):
    """Batches' rows for ever: file after file, each shuffled; a file that comes later in training may be made meanwhile."""
    for round_ in range(10_000):
        path = paths[round_ % len(paths)]
        if not os.path.exists(path):
            continue
        pairs = Pairs(path)
        yield from pairs.rows(np.random.default_rng(seed * 100_003 + round_).permutation(len(pairs.ends)))


def main():
    given = options()
    torch.set_num_threads(given.threads)
    torch.manual_seed(given.seed)
    random.seed(given.seed)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    shape = Shape(width=given.width, layers=given.layers, heads=given.width // 32, hidden=given.hidden)
    if os.path.exists(given.out):
        model, stored = load(given.out, device)
    else:
        model, stored = Mini(shape).to(device), {"step": 0, "spent": 0.0}
    matrices = [p for p in model.blk.parameters() if p.ndim == 2]
    ids = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in ids]
    optimizers = [Muon(matrices, given.rate), torch.optim.AdamW(others, given.rate / 10, betas=(0.9, 0.98), weight_decay=0.01)]
    if "optimizers" in stored:
        for optimizer, state in zip(optimizers, stored["optimizers"]):
            optimizer.load_state_dict(state)
    rates = [given.rate, given.rate / 10]
    step, before = stored["step"], stored["spent"]
    print(f"{sum(p.numel() for p in model.parameters())} parameters, step {step}", flush=True)
    rows = endless(given.data, given.seed + step)
    check = Pairs(given.check)
    began, seen, losses, saved, shown = time.time(), 0, [], time.time(), time.time()
    while (spent := (before + time.time() - began) / 60) < given.minutes:
        fall = min(1.0, (given.minutes - spent) / (given.minutes * given.fall))
        for optimizer, rate in zip(optimizers, rates):
            for group in optimizer.param_groups:
                group["lr"] = rate * min(1, (step + 1) / 200) * fall
        tokens, following, answers, mask, _ = (t.to(device) for t in batch([next(rows) for _ in range(given.rows)]))
        with torch.autocast(device, torch.bfloat16):
            guessed = model(tokens, mask, answers)
        loss = functional.cross_entropy(guessed.float(), following[answers])
        for optimizer in optimizers:
            optimizer.zero_grad()
        loss.backward()
        for optimizer in optimizers:
            optimizer.step()
        step, seen = step + 1, seen + tokens.numel()
        losses.append(loss.item())
        if time.time() - shown > 30:
            print(f"{spent:.1f} min, step {step}, {seen / (time.time() - began):.0f} tokens/s, loss {np.mean(losses):.4f}", flush=True)
            losses, shown = [], time.time()
        if time.time() - saved > 180:
            keep(given.out, model, optimizers, step, before + time.time() - began)
            print(" ".join(f"{kind} {share:.3f}" for kind, share in accuracy(model, check, 2000).items()), flush=True)
            saved = time.time()
    keep(given.out, model, optimizers, step, before + time.time() - began)
    print(" ".join(f"{kind} {share:.4f}" for kind, share in accuracy(model, check).items()), flush=True)


def keep(path, model, optimizers, step, spent):
    """Replaced at once: a stop while it is written loses nothing."""
    save(path + ".new", model, optimizers=[o.state_dict() for o in optimizers], step=step, spent=spent)
    os.replace(path + ".new", path)


main()
