/**
 * The format of llama.cpp's model files (GGUF version 3): a header, the metadata as (key, type, value), for each tensor its name,
 * shape, type and offset, then the tensors, each at a multiple of 32 bytes. Everything is little-endian.
 */

export interface GgufTensor {
  readonly name: string
  /** The length of a row first. */
  readonly shape: readonly number[]
  readonly type: number
  readonly data: Buffer
}

/** Types of tensors. */
export const F32 = 0
export const Q8_0 = 8

const ALIGNMENT = 32
const TYPES = { u32: 4, i32: 5, f32: 6, flag: 7, text: 8, list: 9 }

export function ggufBytes(metadata: readonly Buffer[], tensors: readonly GgufTensor[]): Buffer {
  const infos: Buffer[] = []
  let offset = 0
  for (const { name, shape, type, data } of tensors) {
    infos.push(textBytes(name), int(shape.length), ...shape.map(long), int(type), long(offset))
    offset += padded(data).length
  }
  const header = [Buffer.from('GGUF'), int(3), long(tensors.length), long(metadata.length)]
  const head = padded(Buffer.concat([...header, ...metadata, ...infos]))
  return Buffer.concat([head, ...tensors.map(({ data }) => padded(data))])
}

interface Value {
  type: number
  bytes: Buffer
}

export const field = (key: string, { type, bytes }: Value) =>
  Buffer.concat([textBytes(key), int(type), bytes])
export const text = (value: string): Value => ({ type: TYPES.text, bytes: textBytes(value) })
export const u32 = (value: number): Value => ({ type: TYPES.u32, bytes: int(value) })
export const f32 = (value: number): Value => ({ type: TYPES.f32, bytes: float(value) })
export const flag = (value: boolean): Value => ({ type: TYPES.flag, bytes: Buffer.of(value ? 1 : 0) })
export const list = (type: keyof typeof TYPES, items: Buffer[]): Value => ({
  type: TYPES.list,
  bytes: Buffer.concat([int(TYPES[type]), long(items.length), ...items]),
})

export function textBytes(value: string): Buffer {
  const bytes = Buffer.from(value)
  return Buffer.concat([long(bytes.length), bytes])
}

export function int(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

export function float(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return bytes
}

function long(value: number): Buffer {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(BigInt(value))
  return bytes
}

function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes, Buffer.alloc(-bytes.length & (ALIGNMENT - 1))])
}
