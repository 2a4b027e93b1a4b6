/**
 * A model file of 500 KB in the format of llama.cpp (GGUF version 3): llama architecture, random weights, one token per byte. It
 * writes nonsense, as fast as any, and llama.cpp treats it like a real model.
 */
import { writeFileSync } from 'node:fs'
import { F32, f32, field, float, ggufBytes, int, list, text, textBytes, u32 } from '../../gguf-bytes.ts'

export interface TinyModel {
  /** The context that the model claims to be trained with. */
  contextLength?: number
  /** A Jinja template of a conversation. */
  chatTemplate?: string
  seed?: number
}

const [WIDTH, HEADS, LAYERS, INNER] = [64, 4, 2, 128]
const [UNKNOWN_TOKEN, CONTROL_TOKEN, BYTE_TOKEN] = [2, 3, 6]

/** Every byte is a token, so any text can be read and written; a reply ends with `</s>`. */
const SPECIAL = ['<unk>', '<s>', '</s>']
const BYTES = Array.from(
  { length: 256 },
  (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
)
const TOKENS = [...SPECIAL, ...BYTES]

export function writeGguf(
  file: string,
  { contextLength = 4096, chatTemplate, seed = 1 }: TinyModel = {},
): void {
  const random = randomFrom(seed)
  const tensors = tensorShapes().map(([name, ...shape]) => ({
    name,
    shape,
    type: F32,
    data: weights(name, shape, random),
  }))
  const metadata = [
    field('general.architecture', text('llama')),
    field('general.name', text('tiny')),
    field('llama.context_length', u32(contextLength)),
    field('llama.embedding_length', u32(WIDTH)),
    field('llama.block_count', u32(LAYERS)),
    field('llama.feed_forward_length', u32(INNER)),
    field('llama.attention.head_count', u32(HEADS)),
    field('llama.attention.layer_norm_rms_epsilon', f32(1e-5)),
    field('tokenizer.ggml.model', text('llama')),
    field('tokenizer.ggml.tokens', list('text', TOKENS.map(textBytes))),
    field(
      'tokenizer.ggml.scores',
      list(
        'f32',
        TOKENS.map(() => float(0)),
      ),
    ),
    field(
      'tokenizer.ggml.token_type',
      list(
        'i32',
        TOKENS.map((_, id) => int(tokenType(id))),
      ),
    ),
    field('tokenizer.ggml.bos_token_id', u32(1)),
    field('tokenizer.ggml.eos_token_id', u32(2)),
    ...(chatTemplate === undefined ? [] : [field('tokenizer.chat_template', text(chatTemplate))]),
  ]
  writeFileSync(file, ggufBytes(metadata, tensors))
}

/** Name, then length of a row, then number of rows. */
function tensorShapes(): [name: string, ...shape: number[]][] {
  const layer = (n: number): [string, ...number[]][] => [
    [`blk.${n}.attn_norm.weight`, WIDTH],
    [`blk.${n}.attn_q.weight`, WIDTH, WIDTH],
    [`blk.${n}.attn_k.weight`, WIDTH, WIDTH],
    [`blk.${n}.attn_v.weight`, WIDTH, WIDTH],
    [`blk.${n}.attn_output.weight`, WIDTH, WIDTH],
    [`blk.${n}.ffn_norm.weight`, WIDTH],
    [`blk.${n}.ffn_gate.weight`, WIDTH, INNER],
    [`blk.${n}.ffn_up.weight`, WIDTH, INNER],
    [`blk.${n}.ffn_down.weight`, INNER, WIDTH],
  ]
  return [
    ['token_embd.weight', WIDTH, TOKENS.length],
    ...Array.from({ length: LAYERS }, (_, n) => layer(n)).flat(),
    ['output_norm.weight', WIDTH],
    ['output.weight', WIDTH, TOKENS.length],
  ]
}

/**
 * The first number of each token's vector is 2, and no layer adds to it, so that of a token's row in the output is its bias: only
 * printable characters and the end are ever written. Other bytes would make no text.
 */
function weights(name: string, [row = 1, rows = 1]: readonly number[], random: () => number): Buffer {
  const value = (index: number) => {
    const isFirst = index % row === 0
    if (name.includes('norm')) return 1
    if (name === 'token_embd.weight' && isFirst) return 2
    if (/attn_output|ffn_down/.test(name) && index < row) return 0
    if (name === 'output.weight') return isFirst ? bias(index / row) : (random() - 0.5) * 0.3
    return (random() - 0.5) * 0.5
  }
  return Buffer.from(Float32Array.from({ length: row * rows }, (_, index) => value(index)).buffer)
}

function bias(id: number): number {
  const byte = id - SPECIAL.length
  return TOKENS[id] === '</s>' || (byte >= 0x20 && byte < 0x7f) ? 0 : -60
}

function tokenType(id: number): number {
  if (id >= SPECIAL.length) return BYTE_TOKEN
  return id === 0 ? UNKNOWN_TOKEN : CONTROL_TOKEN
}

/** Mulberry32: the same weights for the same seed. */
function randomFrom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
