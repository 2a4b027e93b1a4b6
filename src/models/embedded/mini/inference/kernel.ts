/** The compiled kernel: assembly/kernel.ts says what each function does. */
import { readFileSync } from 'node:fs'
import { packagePath } from '../../../../files/package-path.ts'

/** All but `exp` take addresses in the memory; `assembly/kernel.ts` has their order. */
export interface Kernel {
  multiply(
    x: number,
    rows: number,
    inputs: number,
    quants: number,
    scales: number,
    outputs: number,
    out: number,
    scratch: number,
  ): void
  normalize(x: number, rows: number, width: number, weight: number, epsilon: number, out: number): void
  place(row: number, width: number, headSize: number, turn: number, key: number, value: number): void
  attend(
    query: number,
    pages: number,
    count: number,
    width: number,
    headSize: number,
    keyAt: number,
    valueAt: number,
    factor: number,
    scores: number,
    out: number,
  ): void
  gate(x: number, rows: number, hidden: number, out: number): void
  addTo(to: number, from: number, count: number): void
  /** To f32. */
  exp(x: number): number
}

/** Outputs of a matrix are filled up to a multiple of this, and lie in panels. */
export const OUTPUT_STEP = 16
export const PANEL = 8
/** Memory of rows is filled up to a multiple of this. */
export const ROW_STEP = 4

export const PAGE_BYTES = 65_536

/** What is used of WebAssembly: its types are among those of web pages. */
declare const WebAssembly: {
  readonly Memory: new (options: { initial: number }) => WasmMemory
  readonly Module: new (bytes: Uint8Array) => WasmModule
  readonly Instance: new (module: WasmModule, imports: object) => { readonly exports: unknown }
}
/** Only handed on. */
type WasmModule = object
export interface WasmMemory {
  readonly buffer: ArrayBuffer
  grow(pages: number): number
}

export function newMemory(): WasmMemory {
  return new WebAssembly.Memory({ initial: 1 })
}

let compiled: WasmModule | undefined

export function loadKernel(memory: WasmMemory): Kernel {
  compiled ??= new WebAssembly.Module(
    readFileSync(packagePath('src/models/embedded/mini/inference/kernel.wasm')),
  )
  return new WebAssembly.Instance(compiled, { env: { memory } }).exports as Kernel
}
