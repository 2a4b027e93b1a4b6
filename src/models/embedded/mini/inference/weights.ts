/**
 * What a file of weights has to be for `embedded:mini`: llama architecture, matrices in Q8_0, norms in F32, and the vocabulary of
 * tokens.ts. Sizes are the file's. Throws NO_MODEL otherwise.
 */
import { DecodingBudget } from '../../../../protocol/decoding-budget.ts'
import { bytesText } from '../../../../protocol/index.ts'
import { CHARACTERS } from '../tokens.ts'
import { BLOCK, BLOCK_BYTES, type GgufFile, readGguf, type Tensor, unreadable } from './read-gguf.ts'

export interface Shape {
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly headSize: number
  readonly hidden: number
  readonly vocabulary: number
  readonly context: number
  readonly epsilon: number
  /** Of the angles of RoPE. */
  readonly base: number
}

/** Rows of `inputs` weights, one for each output. */
export interface Matrix {
  readonly inputs: number
  readonly outputs: number
  /** Blocks, each with its scale: BLOCK_BYTES. */
  readonly bytes: Uint8Array
  /** As they are in the blocks. */
  readonly scales: Float32Array
}

export interface Layer {
  readonly attentionNorm: Float32Array
  readonly query: Matrix
  readonly key: Matrix
  readonly value: Matrix
  readonly output: Matrix
  readonly feedNorm: Float32Array
  readonly gate: Matrix
  readonly up: Matrix
  readonly down: Matrix
}

export interface Weights {
  readonly shape: Shape
  readonly embedding: Matrix
  readonly layers: readonly Layer[]
  readonly outputNorm: Float32Array
  readonly output: Matrix
}

/** Sizes beyond these are of another model, or of a damaged file. */
const MOST = { width: 4096, layers: 64, hidden: 16_384, vocabulary: 65_536, context: 4096 }
/** The kernel computes as many numbers of a head at once. */
const HEAD_STEP = 16

/** `file` is for messages. */
export function readWeights(bytes: Uint8Array, file: string): Weights {
  const error = (limit: number) => unreadable(file, `its metadata takes more than ${bytesText(limit)}`)
  const gguf = readGguf(bytes, file, new DecodingBudget(file, { error }))
  const shape = shapeOf(gguf, file)
  const { width, hidden, vocabulary } = shape
  const tensor = (name: string, type: Tensor['type'], ...lengths: number[]): Uint8Array => {
    const found = gguf.tensors.get(name)
    if (found === undefined) throw unreadable(file, `it has no ${name}`)
    if (found.type !== type) throw unreadable(file, `${name} is ${found.type}, not ${type}`)
    if (found.shape.join('×') !== lengths.join('×'))
      throw unreadable(file, `${name} is ${found.shape.join('×')}, not ${lengths.join('×')}`)
    return found.bytes
  }
  const norm = (name: string): Float32Array => {
    const numbers = new Float32Array(Uint8Array.from(tensor(name, 'F32', width)).buffer)
    if (!numbers.every(Number.isFinite)) throw unreadable(file, `${name} is damaged`)
    return numbers
  }
  const matrix = (name: string, inputs: number, outputs: number): Matrix => {
    const blocks = tensor(name, 'Q8_0', inputs, outputs)
    const scales = scalesOf(blocks)
    if (!scales.every(Number.isFinite)) throw unreadable(file, `${name} is damaged`)
    return { inputs, outputs, bytes: blocks, scales }
  }
  return {
    shape,
    embedding: matrix('token_embd.weight', width, vocabulary),
    layers: Array.from({ length: shape.layers }, (_, n) => ({
      attentionNorm: norm(`blk.${n}.attn_norm.weight`),
      query: matrix(`blk.${n}.attn_q.weight`, width, width),
      key: matrix(`blk.${n}.attn_k.weight`, width, width),
      value: matrix(`blk.${n}.attn_v.weight`, width, width),
      output: matrix(`blk.${n}.attn_output.weight`, width, width),
      feedNorm: norm(`blk.${n}.ffn_norm.weight`),
      gate: matrix(`blk.${n}.ffn_gate.weight`, width, hidden),
      up: matrix(`blk.${n}.ffn_up.weight`, width, hidden),
      down: matrix(`blk.${n}.ffn_down.weight`, hidden, width),
    })),
    outputNorm: norm('output_norm.weight'),
    output: matrix('output.weight', width, vocabulary),
  }
}

function scalesOf(blocks: Uint8Array): Float32Array {
  const view = new DataView(blocks.buffer, blocks.byteOffset, blocks.byteLength)
  const scales = new Float32Array(blocks.length / BLOCK_BYTES)
  for (let i = 0; i < scales.length; i++) scales[i] = halfToNumber(view.getUint16(i * BLOCK_BYTES, true))
  return scales
}

/** The numbers that blocks stand for. */
export function blockNumbers(blocks: Uint8Array): Float32Array<ArrayBuffer> {
  const signed = new Int8Array(blocks.buffer, blocks.byteOffset, blocks.byteLength)
  const scales = scalesOf(blocks)
  const numbers = new Float32Array(scales.length * BLOCK)
  scales.forEach((scale, block) => {
    const from = block * BLOCK_BYTES + 2
    for (let i = 0; i < BLOCK; i++) numbers[block * BLOCK + i] = scale * (signed[from + i] ?? 0)
  })
  return numbers
}

const POWERS = Float64Array.from({ length: 31 }, (_, exponent) => 2 ** (exponent - 25))

/** Node 22 has no getFloat16. */
function halfToNumber(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction ? Number.NaN : sign * Number.POSITIVE_INFINITY
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1024 + fraction) * (POWERS[exponent] as number)
}

function shapeOf(gguf: GgufFile, file: string): Shape {
  const { metadata } = gguf
  if (metadata.get('general.architecture') !== 'llama')
    throw unreadable(file, `its architecture is ${metadata.get('general.architecture')}, not llama`)
  const number = (key: string, otherwise?: number): number => {
    const value = metadata.get(`llama.${key}`) ?? otherwise
    if (typeof value !== 'number' || !(value > 0)) throw unreadable(file, `llama.${key} is ${value}`)
    return value
  }
  const whole = (key: string, most: number, step = 1): number => {
    const value = number(key)
    if (!Number.isInteger(value / step) || value > most)
      throw unreadable(file, `llama.${key} is ${value}, not a multiple of ${step} up to ${most}`)
    return value
  }
  const width = whole('embedding_length', MOST.width, BLOCK)
  const heads = whole('attention.head_count', width / HEAD_STEP)
  const headSize = width / heads
  const expect = (key: string, value: number) => {
    if (number(key, value) !== value) throw unreadable(file, `llama.${key} is ${number(key)}, not ${value}`)
  }
  if (headSize % HEAD_STEP !== 0) throw unreadable(file, `its heads have ${headSize} numbers`)
  expect('attention.head_count_kv', heads)
  expect('rope.dimension_count', headSize)
  return {
    width,
    heads,
    headSize,
    layers: whole('block_count', MOST.layers),
    hidden: whole('feed_forward_length', MOST.hidden, BLOCK),
    vocabulary: vocabularyOf(gguf, file),
    context: whole('context_length', MOST.context),
    epsilon: number('attention.layer_norm_rms_epsilon'),
    base: number('rope.freq_base', 10_000),
  }
}

/** Tokens beyond those of tokens.ts fill the last group of rows, and are never chosen. */
function vocabularyOf({ metadata }: GgufFile, file: string): number {
  const tokens = metadata.get('tokenizer.ggml.tokens')
  if (!Array.isArray(tokens) || tokens.length > MOST.vocabulary)
    throw unreadable(file, 'it has no vocabulary')
  const strange = ourTokens().findIndex((token, i) => token !== tokens[i])
  if (strange !== -1) throw unreadable(file, `its token ${strange} is not that of tokens.ts`)
  return tokens.length
}

function ourTokens(): string[] {
  const bytes = Array.from(
    { length: 256 },
    (_, byte) => `<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`,
  )
  const characters = [...CHARACTERS].map((character) => (character === ' ' ? '▁' : character))
  return ['<unk>', '<s>', '</s>', ...bytes, ...characters]
}
