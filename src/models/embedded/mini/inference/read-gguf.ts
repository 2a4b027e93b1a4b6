/**
 * The container of the weights: GGUF version 3, which llama.cpp reads, too. A header; metadata as (key, type, value); for each tensor
 * its name, shape, type and place; then the tensors. Everything is little-endian.
 *
 * Throws NO_MODEL if the bytes are no such file, are cut off, or hold what llama.cpp's file of this model never does.
 */
import type { DecodingBudget } from '../../../../protocol/decoding-budget.ts'
import { ThinkonError } from '../../../../protocol/index.ts'

export type GgufValue = string | number | boolean | readonly GgufValue[]

export interface Tensor {
  /** The length of a row first. */
  readonly shape: readonly number[]
  readonly type: 'F32' | 'Q8_0'
  /** A view of the file. */
  readonly bytes: Uint8Array
}

export interface GgufFile {
  readonly metadata: ReadonlyMap<string, GgufValue>
  readonly tensors: ReadonlyMap<string, Tensor>
}

/** Q8_0: blocks of a scale (f16) and this many signed bytes. */
export const BLOCK = 32
export const BLOCK_BYTES = 2 + BLOCK

const ALIGNMENT = 32
const MAX_DEPTH = 2
const [STRING, ARRAY] = [8, 9]

export function unreadable(file: string, why: string, cause?: unknown): ThinkonError {
  const details = { data: { file }, ...(cause === undefined ? {} : { cause }) }
  return new ThinkonError('NO_MODEL', `can't use ${file} as the weights of embedded:mini: ${why}`, details)
}

/** `file` is for messages, `budget` for the metadata: a byte of the file becomes a value of VALUE_BYTES. */
export function readGguf(bytes: Uint8Array, file: string, budget: DecodingBudget): GgufFile {
  const reader = readerOf(bytes, file, budget)
  if (bytes.length < 4 || reader.take(4).some((byte, i) => byte !== 'GGUF'.charCodeAt(i)))
    throw unreadable(file, 'it is not a GGUF file')
  const version = reader.u32()
  if (version !== 3) throw unreadable(file, `it has version ${version} of GGUF, not 3`)
  const tensorCount = reader.count('tensors')
  const fieldCount = reader.count('metadata')
  const metadata = new Map<string, GgufValue>()
  for (let i = 0; i < fieldCount; i++) metadata.set(reader.text(), reader.value(reader.u32()))
  const infos = Array.from({ length: tensorCount }, () => reader.tensor())
  const alignment = metadata.get('general.alignment') ?? ALIGNMENT
  if (typeof alignment !== 'number' || !(alignment > 0)) throw unreadable(file, 'its alignment is no number')
  const start = Math.ceil(reader.at() / alignment) * alignment
  const tensors = new Map<string, Tensor>()
  for (const { name, shape, type, offset } of infos) {
    const from = start + offset
    const to = from + sizeOf(shape, type)
    if (!(to <= bytes.length)) throw unreadable(file, `it ends before ${name} does`)
    tensors.set(name, { shape, type, bytes: bytes.subarray(from, to) })
  }
  return { metadata, tensors }
}

function sizeOf(shape: readonly number[], type: Tensor['type']): number {
  const count = shape.reduce((product, length) => product * length, 1)
  return type === 'F32' ? count * 4 : (count / BLOCK) * BLOCK_BYTES
}

const VALUE_BYTES = 16

function readerOf(bytes: Uint8Array, file: string, budget: DecodingBudget) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const utf8 = new TextDecoder('utf-8', { fatal: true })
  let at = 0
  const advance = (length: number): number => {
    if (!(at + length <= bytes.length)) throw unreadable(file, 'it is cut off')
    at += length
    return at - length
  }
  const take = (length: number) => bytes.subarray(advance(length), at)
  const u32 = () => view.getUint32(advance(4), true)
  const u64 = () => Number(view.getBigUint64(advance(8), true))
  /** Everything that is counted takes a byte at least. */
  const count = (of: string, size = VALUE_BYTES) => {
    const number = u64()
    if (number > bytes.length - at)
      throw unreadable(file, `it is cut off, or damaged: it claims ${number} ${of}`)
    budget.take(size * number)
    return number
  }
  const text = () => {
    const raw = take(count('bytes of a text', 1))
    try {
      return utf8.decode(raw)
    } catch (cause) {
      throw unreadable(file, 'it is damaged: a text is not in UTF-8', cause)
    }
  }
  /** By the types' numbers. */
  const numbers: readonly (() => number | boolean)[] = [
    () => view.getUint8(advance(1)),
    () => view.getInt8(advance(1)),
    () => view.getUint16(advance(2), true),
    () => view.getInt16(advance(2), true),
    u32,
    () => view.getInt32(advance(4), true),
    () => view.getFloat32(advance(4), true),
    () => view.getUint8(advance(1)) !== 0,
  ]
  const long: Readonly<Record<number, () => number>> = {
    10: u64,
    11: () => Number(view.getBigInt64(advance(8), true)),
    12: () => view.getFloat64(advance(8), true),
  }
  const value = (type: number, depth = 0): GgufValue => {
    if (type === STRING) return text()
    if (type === ARRAY && depth < MAX_DEPTH) {
      const itemType = u32()
      return Array.from({ length: count('values') }, () => value(itemType, depth + 1))
    }
    const read = numbers[type] ?? long[type]
    if (read === undefined) throw unreadable(file, `it is damaged: there is no type ${type} of metadata`)
    return read()
  }
  const tensor = () => {
    const name = text()
    const dimensions = u32()
    if (dimensions < 1 || dimensions > 4) throw unreadable(file, `${name} has ${dimensions} dimensions`)
    const shape = Array.from({ length: dimensions }, u64)
    const type = tensorType(u32())
    if (type === undefined) throw unreadable(file, `${name} is neither F32 nor Q8_0`)
    if (type === 'Q8_0' && (shape[0] ?? 0) % BLOCK !== 0)
      throw unreadable(file, `the rows of ${name} are not whole blocks of Q8_0`)
    return { name, shape, type, offset: u64() }
  }
  return { take, u32, count, text, value, tensor, at: () => at }
}

function tensorType(number: number): Tensor['type'] | undefined {
  if (number === 0) return 'F32'
  return number === 8 ? 'Q8_0' : undefined
}
