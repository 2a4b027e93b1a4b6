"""The model: a decoder of llama architecture (RMSNorm, SwiGLU, RoPE on neighbouring pairs, no biases), and its vocabulary.

The names of the tensors are those of GGUF. tokens.ts has the same vocabulary for inference; export.py writes it into the GGUF.
"""
import math
from dataclasses import asdict, dataclass

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as functional

CHARACTERS = "\n 0123456789+-×÷^/()=;|>.,?':DTSPVWU#abcdefghijklmnopqrstuvwxyzABCEFGHIJKLMNOQRXYZ、丢个买了人元先共几出分到剩又后和子小得找把明有本李果每盒红给苹蛋袋还送鸡，？"
FIRST = 3 + 256  # <unk>, <s>, </s> and a token for each byte come before the characters
END = FIRST
VOCABULARY = math.ceil((FIRST + len(CHARACTERS)) / 4) * 4


CONTEXT = 144


@dataclass(frozen=True)
class Shape:
    width: int = 256
    layers: int = 6
    heads: int = 8
    hidden: int = 640
    vocabulary: int = VOCABULARY
    context: int = CONTEXT
    base: float = 10000.0
    epsilon: float = 1e-5


def encode(text: str) -> np.ndarray:
    """Characters of the vocabulary are tokens; every other one becomes its bytes."""
    known = set(CHARACTERS)
    other = {c: "".join(chr(0xE000 + b) for b in c.encode()) for c in set(text) - known}
    points = np.frombuffer(text.translate(str.maketrans(other)).encode("utf-32-le"), dtype=np.uint32)
    ids = np.zeros(0x10000, dtype=np.int16)
    ids[[ord(c) for c in CHARACTERS]] = FIRST + np.arange(len(CHARACTERS))
    ids[0xE000:0xE100] = 3 + np.arange(256)
    return ids[points]


def decode(tokens) -> str:
    """Tokens that stand for nothing are left out."""

    def part(token):
        if token >= FIRST:
            return CHARACTERS[token - FIRST : token - FIRST + 1].encode()
        return bytes([token - 3]) if token >= 3 else b""

    return b"".join(map(part, tokens)).decode(errors="replace")


class Norm(nn.Module):
    def __init__(self, width, epsilon):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x):
        y = x.float()
        return (y * torch.rsqrt((y * y).mean(-1, keepdim=True) + self.epsilon) * self.weight).type_as(x)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        width, hidden = shape.width, shape.hidden
        linear = lambda i, o: nn.Linear(i, o, bias=False)
        self.heads = shape.heads
        self.attn_norm, self.ffn_norm = Norm(width, shape.epsilon), Norm(width, shape.epsilon)
        self.attn_q, self.attn_k, self.attn_v = linear(width, width), linear(width, width), linear(width, width)
        self.attn_output = linear(width, width)
        self.ffn_gate, self.ffn_up, self.ffn_down = linear(width, hidden), linear(width, hidden), linear(hidden, width)

    def forward(self, x, turn, mask):
        batch, length, width = x.shape
        split = lambda y: y.view(batch, length, self.heads, -1).transpose(1, 2)
        n = self.attn_norm(x)
        q, k, v = rope(split(self.attn_q(n)), turn), rope(split(self.attn_k(n)), turn), split(self.attn_v(n))
        seen = functional.scaled_dot_product_attention(q, k, v, attn_mask=mask, is_causal=mask is None)
        x = x + self.attn_output(seen.transpose(1, 2).reshape(batch, length, width))
        n = self.ffn_norm(x)
        return x + self.ffn_down(functional.silu(self.ffn_gate(n)) * self.ffn_up(n))


def rope(x, turn):
    cos, sin = turn
    a, b = x.float().unflatten(-1, (-1, 2)).unbind(-1)
    return torch.stack((a * cos - b * sin, a * sin + b * cos), -1).flatten(-2).type_as(x)


class Mini(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Embedding(shape.vocabulary, shape.width)
        self.blk = nn.ModuleList([Block(shape) for _ in range(shape.layers)])
        self.output_norm = Norm(shape.width, shape.epsilon)
        self.output = nn.Linear(shape.width, shape.vocabulary, bias=False)
        nn.init.normal_(self.token_embd.weight, std=0.02)
        for block in self.blk:  # blocks begin as small changes
            for last in (block.attn_output, block.ffn_down):
                nn.init.normal_(last.weight, std=0.02 / math.sqrt(2 * shape.layers))
        each = shape.width // shape.heads
        turns = shape.base ** (-torch.arange(0, each, 2).float() / each)
        angles = torch.arange(shape.context).float()[:, None] * turns
        self.register_buffer("cos", angles.cos(), persistent=False)
        self.register_buffer("sin", angles.sin(), persistent=False)

    def forward(self, tokens, mask=None):
        """`mask` says which positions see which: each sees itself and what is before it by default."""
        length = tokens.shape[1]
        x = self.token_embd(tokens)
        turn = self.cos[:length], self.sin[:length]
        for block in self.blk:
            x = block(x, turn, mask)
        return self.output(self.output_norm(x))


def save(path, model, **more):
    torch.save({"shape": asdict(model.shape), "model": model.state_dict(), **more}, path)


def load(path, device="cpu"):
    stored = torch.load(path, map_location=device, weights_only=True)
    model = Mini(Shape(**stored["shape"])).to(device)
    model.load_state_dict(stored["model"])
    return model, stored
