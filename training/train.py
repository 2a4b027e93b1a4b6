"""Trains the model on pairs that make-data.ts wrote, on one GPU.

    python3 training/train.py --data training/out/data.txt.gz --check training/out/check.txt --out training/out/mini.pt --steps 8000

The same data, seed and steps give about the same model; a GPU adds in another order each time.
"""
import argparse
import time

import torch
import torch.nn.functional as functional

from evaluate import accuracy
from model import Mini, Shape, save
from pairs import Rows


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--data", required=True)
    parser.add_argument("--check", required=True)
    parser.add_argument("--out", required=True)
    parser.add_argument("--steps", type=int, default=8000)
    parser.add_argument("--minutes", type=float, default=9, help="on a slower machine it ends after these, with fewer steps")
    parser.add_argument("--rows", type=int, default=512, help="of a batch; each has about six pairs")
    parser.add_argument("--rate", type=float, default=0.02, help="of the matrices; the rest learns at a tenth of it")
    parser.add_argument("--fall", type=float, default=0.5, help="the part of the steps in which the rate falls")
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--layers", type=int, default=6)
    parser.add_argument("--hidden", type=int, default=640)
    parser.add_argument("--seed", type=int, default=1)
    return parser.parse_args()


class Muon(torch.optim.Optimizer):
    """Momentum whose step is made orthogonal: matrices learn from fewer examples than with AdamW. Those of one shape are done at once."""

    def __init__(self, parameters, lr):
        super().__init__(parameters, dict(lr=lr))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for p in group["params"]:
                momentum = self.state[p].setdefault("momentum", torch.zeros_like(p))
                momentum.lerp_(p.grad, 0.05)
                by_shape.setdefault(p.shape, []).append((p, p.grad.lerp(momentum, 0.95)))
            for shape, members in by_shape.items():
                steps = orthogonal(torch.stack([g for _, g in members]))
                scale = max(1, shape[0] / shape[1]) ** 0.5
                for (p, _), step in zip(members, steps):
                    p.mul_(1 - group["lr"] * 0.01)
                    p.add_(step, alpha=-group["lr"] * scale)


def orthogonal(g):
    """Newton-Schulz: brings the singular values near 1."""
    x = g.bfloat16()
    x = x / (x.float().norm(dim=(-2, -1), keepdim=True) + 1e-7).bfloat16()
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    for _ in range(5):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return (x.mT if tall else x).float()


def main():
    given = options()
    torch.manual_seed(given.seed)
    torch.set_float32_matmul_precision("high")
    device = "cuda" if torch.cuda.is_available() else "cpu"
    began = time.time()
    data = Rows(given.data, device, given.seed)
    print(f"{len(data.tokens)} rows after {time.time() - began:.0f} s", flush=True)
    model = Mini(Shape(width=given.width, layers=given.layers, heads=given.width // 32, hidden=given.hidden)).to(device)
    matrices = [p for p in model.blk.parameters() if p.ndim == 2]
    ids = {id(p) for p in matrices}
    others = [p for p in model.parameters() if id(p) not in ids]
    optimizers = [Muon(matrices, given.rate), torch.optim.AdamW(others, given.rate / 10, betas=(0.9, 0.98), weight_decay=0.01)]
    rates = [given.rate, given.rate / 10]
    print(f"{sum(p.numel() for p in model.parameters())} parameters", flush=True)
    compiled = torch.compile(model) if device == "cuda" else model

    def learn(rows):
        tokens, following, answers, mask, _ = data.batch(rows)
        with torch.autocast(device, torch.bfloat16):
            guessed = compiled(tokens, mask)
        losses = functional.cross_entropy(guessed.float().flatten(0, 1), following.flatten(), reduction="none")
        loss = (losses * answers.flatten()).sum() / answers.sum()
        loss.backward()
        return loss.detach()

    order = torch.randperm(len(data.tokens), device=device)
    at, shown = 0, time.time()
    for step in range(given.steps):
        left = 1 - max(step / given.steps, (time.time() - began) / 60 / given.minutes)
        if left <= 0:
            break
        rate = min(1, (step + 1) / 200, left / given.fall)
        for optimizer, most in zip(optimizers, rates):
            for group in optimizer.param_groups:
                group["lr"] = most * rate
        if at + given.rows > len(order):
            order, at = torch.randperm(len(data.tokens), device=device), 0
        loss = learn(order[at : at + given.rows])
        at += given.rows
        for optimizer in optimizers:
            optimizer.step()
            optimizer.zero_grad()
        if time.time() - shown > 20 and step % 50 == 0:
            print(f"{time.time() - began:.0f} s, step {step}, loss {loss.item():.4f}", flush=True)
            shown = time.time()
    save(given.out, model)
    print(f"{step + 1} steps after {time.time() - began:.0f} s", flush=True)
    for kind, share in accuracy(model, Rows(given.check, device)).items():
        print(f"{kind} {share:.4f}", flush=True)


if __name__ == "__main__":
    main()
