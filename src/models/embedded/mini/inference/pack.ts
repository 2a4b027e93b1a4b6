/** Weights as the kernel wants them: eight outputs beside each other, input by input; scales the same way, as f32. */
import { OUTPUT_STEP, PANEL } from './kernel.ts'
import type { Memory } from './memory.ts'
import { BLOCK, BLOCK_BYTES } from './read-gguf.ts'
import type { Matrix } from './weights.ts'

/** Addresses of one or more matrices with the same inputs, one after the other; `outputs` is a multiple of OUTPUT_STEP. */
export interface Packed {
  readonly inputs: number
  readonly outputs: number
  readonly quants: number
  readonly scales: number
}

export function pack(memory: Memory, matrices: readonly [Matrix, ...Matrix[]]): Packed {
  const { inputs } = matrices[0]
  const count = matrices.reduce((sum, matrix) => sum + matrix.outputs, 0)
  const outputs = Math.ceil(count / OUTPUT_STEP) * OUTPUT_STEP
  const blocks = inputs / BLOCK
  const packed = {
    inputs,
    outputs,
    quants: memory.allot(outputs * inputs),
    scales: memory.allot(outputs * blocks * 4),
  }
  const quants = memory.bytes(packed.quants, outputs * inputs)
  const scales = memory.floats(packed.scales, outputs * blocks)
  let output = 0
  for (const matrix of matrices) {
    for (let row = 0; row < matrix.outputs; row++, output++) {
      const panel = Math.floor(output / PANEL) * PANEL
      const lane = output % PANEL
      for (let block = 0; block < blocks; block++) {
        const from = (row * blocks + block) * BLOCK_BYTES + 2
        scales[panel * blocks + block * PANEL + lane] = matrix.scales[row * blocks + block] ?? 0
        const to = panel * inputs + block * BLOCK * PANEL + lane
        for (let i = 0; i < BLOCK; i++) quants[to + i * PANEL] = matrix.bytes[from + i] ?? 0
      }
    }
  }
  return packed
}
