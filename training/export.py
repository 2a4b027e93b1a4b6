"""Writes the weights as they ship: GGUF, matrices in 8 bits (Q8_0). Thinkon's own inference and llama.cpp read the same file.

    python3 training/export.py training/out/mini.pt training/out/check.txt --out training/out/mini.gguf --vectors training/out/vectors.json

The vectors are what the model says to 300 prompts at temperature 0 with these 8-bit weights: what every inference must say, too.
"""
import argparse
import json
import struct

import numpy as np
import torch

from evaluate import ask
from model import CHARACTERS, FIRST, decode, load
from pairs import read

GROUP = 32
F32, Q8_0 = 0, 8
U32, FLOAT, BOOL, STRING, ARRAY, I32 = 4, 6, 7, 8, 9, 5


def quantized(weights):
    """Groups of 32 numbers with a scale in 16 bits, as llama.cpp has them: the bytes, and the numbers that they stand for."""
    groups = weights.reshape(-1, GROUP)
    scales = (np.abs(groups).max(1) / 127).astype(np.float16)
    divisors = np.where(scales == 0, 1, scales).astype(np.float32)
    whole = np.round(groups / divisors[:, None]).clip(-127, 127).astype(np.int8)
    packed = np.concatenate([scales[:, None].view(np.int8).reshape(-1, 2), whole], 1).tobytes()
    return packed, (whole * scales.astype(np.float32)[:, None]).reshape(weights.shape)


def text(value):
    return struct.pack("<Q", len(value.encode())) + value.encode()


def entry(key, kind, value):
    packed = {U32: "<I", FLOAT: "<f", BOOL: "<?", I32: "<i"}
    return text(key) + struct.pack("<I", kind) + (text(value) if kind == STRING else struct.pack(packed[kind], value))


def array(key, kind, values):
    items = [text(v) if kind == STRING else struct.pack("<f" if kind == FLOAT else "<i", v) for v in values]
    return text(key) + struct.pack("<II", ARRAY, kind) + struct.pack("<Q", len(items)) + b"".join(items)


def header(shape):
    names = ["<unk>", "<s>", "</s>"] + [f"<0x{byte:02X}>" for byte in range(256)] + ["\u2581" if c == " " else c for c in CHARACTERS]
    spare = [f"<spare{i}>" for i in range(shape.vocabulary - len(names))]
    unknown, control, unused, byte, normal = 2, 3, 5, 6, 1
    kinds = [unknown, control, control] + [byte] * 256 + [normal] * len(CHARACTERS) + [unused] * len(spare)
    return [
        entry("general.architecture", STRING, "llama"),
        entry("general.name", STRING, "thinkon-mini"),
        entry("general.license", STRING, "mit"),
        entry("llama.context_length", U32, shape.context),
        entry("llama.embedding_length", U32, shape.width),
        entry("llama.block_count", U32, shape.layers),
        entry("llama.feed_forward_length", U32, shape.hidden),
        entry("llama.vocab_size", U32, shape.vocabulary),
        entry("llama.attention.head_count", U32, shape.heads),
        entry("llama.attention.head_count_kv", U32, shape.heads),
        entry("llama.attention.layer_norm_rms_epsilon", FLOAT, shape.epsilon),
        entry("llama.rope.dimension_count", U32, shape.width // shape.heads),
        entry("llama.rope.freq_base", FLOAT, shape.base),
        entry("tokenizer.ggml.model", STRING, "llama"),
        array("tokenizer.ggml.tokens", STRING, names + spare),
        array("tokenizer.ggml.scores", FLOAT, [0.0] * shape.vocabulary),
        array("tokenizer.ggml.token_type", I32, kinds),
        entry("tokenizer.ggml.bos_token_id", U32, 1),
        entry("tokenizer.ggml.eos_token_id", U32, FIRST),
        entry("tokenizer.ggml.unknown_token_id", U32, 0),
        entry("tokenizer.ggml.add_space_prefix", BOOL, False),
        entry("tokenizer.ggml.add_bos_token", BOOL, False),
    ]


def padded(data):
    return data + b"\0" * (-len(data) % 32)


def write(model, path):
    """Writes the file and leaves the model with the weights that are in it."""
    entries, infos, data = header(model.shape), [], []
    for name, tensor in model.state_dict().items():
        weights = tensor.float().cpu().numpy()
        if weights.ndim == 1:
            kind, packed = F32, weights.astype("<f4").tobytes()
        else:
            kind = Q8_0
            packed, kept = quantized(weights)
            tensor.copy_(torch.from_numpy(kept))
        dims = weights.shape[::-1]
        offset = sum(map(len, data))
        infos.append(text(name) + struct.pack("<I", len(dims)) + struct.pack(f"<{len(dims)}Q", *dims) + struct.pack("<IQ", kind, offset))
        data.append(padded(packed))
    head = b"GGUF" + struct.pack("<IQQ", 3, len(infos), len(entries)) + b"".join(entries) + b"".join(infos)
    with open(path, "wb") as file:
        file.write(padded(head) + b"".join(data))


def vectors(model, path):
    """What is said to 300 prompts, of each kind about as many as strategies ask without temperature."""
    tokens, starts, ends = read(path)
    prompts = sorted({decode(tokens[a:b]).split(">")[0] + ">" for a, b in zip(starts, ends)})
    order = np.random.default_rng(1).permutation(len(prompts))
    kept, most = [], {"T": 226, "W": 40, "D": 12, "P": 8, "V": 8, "U": 6}
    for i in order:
        letter = prompts[i][0]
        if most.get(letter, 0) > 0:
            most[letter] -= 1
            kept.append(prompts[i])
    return list(zip(kept, ask(model, kept)))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("check")
    parser.add_argument("--out", required=True)
    parser.add_argument("--vectors", required=True)
    given = parser.parse_args()
    # In 32 bits throughout, and on the processor: what is compared must not depend on a GPU's shortcuts.
    model, _ = load(given.weights, "cpu")
    model.eval()
    with torch.no_grad():
        write(model, given.out)
    pairs = vectors(model, given.check)
    with open(given.vectors, "w", encoding="utf8") as file:
        file.write("[\n" + ",\n".join(json.dumps(pair, ensure_ascii=False) for pair in pairs) + "\n]\n")
    print(f"{len(pairs)} vectors")


if __name__ == "__main__":
    main()
