/** The memory of the kernel: addresses are handed out from below, for good. It grows when more is asked for. */
import { newMemory, PAGE_BYTES, type WasmMemory } from './kernel.ts'

export interface Memory {
  readonly wasm: WasmMemory
  /** At a multiple of 64. */
  allot(bytes: number): number
  /** Views end when the memory grows: ask for one each time. */
  floats(address: number, count: number): Float32Array
  words(address: number, count: number): Uint32Array
  bytes(address: number, count: number): Int8Array
}

const LINE = 64
/** In pages: a megabyte. */
const STEP = 16

export function openMemory(): Memory {
  const wasm = newMemory()
  // No address is 0.
  let end = LINE
  return {
    wasm,
    allot(bytes) {
      const address = end
      end = Math.ceil((end + bytes) / LINE) * LINE
      const missing = end - wasm.buffer.byteLength
      if (missing > 0) wasm.grow(Math.max(Math.ceil(missing / PAGE_BYTES), STEP))
      return address
    },
    floats: (address, count) => new Float32Array(wasm.buffer, address, count),
    words: (address, count) => new Uint32Array(wasm.buffer, address, count),
    bytes: (address, count) => new Int8Array(wasm.buffer, address, count),
  }
}
