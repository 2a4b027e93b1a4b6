/**
 * A file of weights for embedded:mini with random weights: what training/export.py writes, without the training. Of any size, with the
 * vocabulary of tokens.ts.
 */
import { seededRandom } from '../../src/kernel/random.ts'
import { CHARACTERS, END_TOKEN, VOCABULARY } from '../../src/models/embedded/mini/tokens.ts'
import {
  F32,
  f32,
  field,
  flag,
  float,
  type GgufTensor,
  ggufBytes,
  int,
  list,
  Q8_0,
  text,
  textBytes,
  u32,
} from '../gguf-bytes.ts'

export interface RandomModel {
  width?: number
  layers?: number
  heads?: number
  hidden?: number
  context?: number
  seed?: number
}

/** A network that is small, and has more than one of everything. */
export const TINY: Required<RandomModel> = {
  width: 64,
  layers: 2,
  heads: 2,
  hidden: 96,
  context: 64,
  seed: 1,
}
/** The size that is trained. */
export const FULL: Required<RandomModel> = {
  width: 256,
  layers: 6,
  heads: 8,
  hidden: 640,
  context: 128,
  seed: 1,
}

export function modelBytes(model: RandomModel = {}): Buffer {
  const size = { ...TINY, ...model }
  return ggufBytes(metadataOf(size), tensorsOf(size))
}

export function tensorsOf(size: Required<RandomModel>): GgufTensor[] {
  const random = seededRandom(`weights ${size.seed}`)
  return shapesOf(size).map(([name, ...shape]) => tensor(name, shape, random))
}

export function metadataOf({ width, layers, heads, hidden, context }: Required<RandomModel>): Buffer[] {
  return [
    field('general.architecture', text('llama')),
    field('general.name', text('mini')),
    field('llama.context_length', u32(context)),
    field('llama.embedding_length', u32(width)),
    field('llama.block_count', u32(layers)),
    field('llama.feed_forward_length', u32(hidden)),
    field('llama.vocab_size', u32(VOCABULARY)),
    field('llama.attention.head_count', u32(heads)),
    field('llama.attention.head_count_kv', u32(heads)),
    field('llama.attention.layer_norm_rms_epsilon', f32(1e-5)),
    field('llama.rope.dimension_count', u32(width / heads)),
    field('llama.rope.freq_base', f32(10_000)),
    field('tokenizer.ggml.model', text('llama')),
    field('tokenizer.ggml.tokens', list('text', tokens().map(textBytes))),
    field(
      'tokenizer.ggml.scores',
      list(
        'f32',
        tokens().map(() => float(0)),
      ),
    ),
    field(
      'tokenizer.ggml.token_type',
      list(
        'i32',
        tokens().map((_, id) => int(tokenType(id))),
      ),
    ),
    field('tokenizer.ggml.bos_token_id', u32(1)),
    field('tokenizer.ggml.eos_token_id', u32(END_TOKEN)),
    field('tokenizer.ggml.unknown_token_id', u32(0)),
    field('tokenizer.ggml.add_space_prefix', flag(false)),
    field('tokenizer.ggml.add_bos_token', flag(false)),
  ]
}

const SPECIAL = ['<unk>', '<s>', '</s>']

function tokens(): string[] {
  const bytes = Array.from({ length: 256 }, (_, i) => `<0x${i.toString(16).toUpperCase().padStart(2, '0')}>`)
  const characters = [...CHARACTERS].map((character) => (character === ' ' ? '▁' : character))
  const known = [...SPECIAL, ...bytes, ...characters]
  return Array.from({ length: VOCABULARY }, (_, id) => known[id] ?? `<unused${id}>`)
}

/** 1 is a text, 2 unknown, 3 of control, 5 unused, 6 a byte. */
function tokenType(id: number): number {
  if (id < SPECIAL.length) return id === 0 ? 2 : 3
  if (id < SPECIAL.length + 256) return 6
  return id < SPECIAL.length + 256 + [...CHARACTERS].length ? 1 : 5
}

function shapesOf({ width, layers, hidden }: Required<RandomModel>): [name: string, ...shape: number[]][] {
  const layer = (n: number): [string, ...number[]][] => [
    [`blk.${n}.attn_norm.weight`, width],
    [`blk.${n}.attn_q.weight`, width, width],
    [`blk.${n}.attn_k.weight`, width, width],
    [`blk.${n}.attn_v.weight`, width, width],
    [`blk.${n}.attn_output.weight`, width, width],
    [`blk.${n}.ffn_norm.weight`, width],
    [`blk.${n}.ffn_gate.weight`, width, hidden],
    [`blk.${n}.ffn_up.weight`, width, hidden],
    [`blk.${n}.ffn_down.weight`, hidden, width],
  ]
  return [
    ['token_embd.weight', width, VOCABULARY],
    ...Array.from({ length: layers }, (_, n) => layer(n)).flat(),
    ['output_norm.weight', width],
    ['output.weight', width, VOCABULARY],
  ]
}

function tensor(name: string, shape: readonly number[], random: () => number): GgufTensor {
  const [inputs = 1, outputs] = shape
  if (outputs === undefined) {
    const numbers = Float32Array.from({ length: inputs }, () => 0.5 + random())
    return { name, shape, type: F32, data: Buffer.from(numbers.buffer) }
  }
  // Outputs of about the size of inputs, and logits that are apart.
  const scale = (name === 'output.weight' ? 4 : 1.7) / Math.sqrt(inputs) / 127
  const blocks = (inputs * outputs) / 32
  const data = Buffer.alloc(blocks * 34)
  for (let block = 0; block < blocks; block++) {
    data.writeUInt16LE(half(scale * (0.5 + random())), block * 34)
    for (let i = 0; i < 32; i++) data.writeInt8(Math.floor(random() * 255) - 127, block * 34 + 2 + i)
  }
  return { name, shape, type: Q8_0, data }
}

/** Of a normal number, cut off. */
function half(value: number): number {
  const exponent = Math.floor(Math.log2(value))
  return ((exponent + 15) << 10) | Math.floor((value / 2 ** exponent - 1) * 1024)
}
