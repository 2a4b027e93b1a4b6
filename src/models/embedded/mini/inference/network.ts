/**
 * The forward pass. Owns the memory of weights, of pages (what one position of a text leaves for those after it: keys and values of
 * each layer, and its logits), and of the rows that are being computed.
 *
 * 1. What is computed for a row depends on its token, its position and the pages before it alone: not on the rows beside it.
 * 2. A row may be computed in one pass with rows before it in its text, if these stand first.
 */
import { loadKernel, PANEL, ROW_STEP } from './kernel.ts'
import { openMemory } from './memory.ts'
import { type Packed, pack } from './pack.ts'
import { blockNumbers, type Shape, type Weights } from './weights.ts'

/** A token of a text: which, where, and in which page. */
export interface Row {
  readonly token: number
  /** From 0. */
  readonly index: number
  readonly page: number
  /** The one before it in its text. */
  readonly before: Row | undefined
}

export interface Network {
  readonly shape: Shape
  /** The memory of one position. */
  readonly pageBytes: number
  allotPage(): number
  /** At most `maxRows`; logits for those that `needsLogits` has. */
  compute(rows: readonly Row[], needsLogits: ReadonlySet<Row>): void
  /** A view that ends with the next call of anything here. */
  logits(page: number): Float32Array
  /** e^x in f32, the same on every machine. */
  exp(x: number): number
}

interface PackedLayer {
  readonly attentionNorm: number
  readonly queryKeyValue: Packed
  readonly output: Packed
  readonly feedNorm: number
  readonly gateUp: Packed
  readonly down: Packed
}

export function createNetwork(weights: Weights, maxRows: number): Network {
  const { shape } = weights
  const { width, hidden, headSize, context, epsilon } = shape
  const memory = openMemory()
  const kernel = loadKernel(memory.wasm)
  const keep = (numbers: Float32Array) => {
    const address = memory.allot(numbers.byteLength)
    memory.floats(address, numbers.length).set(numbers)
    return address
  }
  const embedding = keep(blockNumbers(weights.embedding.bytes))
  const layers = weights.layers.map(
    (layer): PackedLayer => ({
      attentionNorm: keep(layer.attentionNorm),
      queryKeyValue: pack(memory, [layer.query, layer.key, layer.value]),
      output: pack(memory, [layer.output]),
      feedNorm: keep(layer.feedNorm),
      gateUp: pack(memory, [layer.gate, layer.up]),
      down: pack(memory, [layer.down]),
    }),
  )
  const outputNorm = keep(weights.outputNorm)
  const output = pack(memory, [weights.output])
  const turns = keep(turnsOf(shape))

  const rowBytes = width * 4
  const roomFor = (numbers: number) => memory.allot(Math.ceil(maxRows / ROW_STEP) * ROW_STEP * numbers * 4)
  const x = roomFor(width)
  const normal = roomFor(width)
  const wide = roomFor(Math.max(3 * width, 2 * hidden, output.outputs))
  const narrow = roomFor(Math.max(width, hidden))
  const tables = roomFor(context)
  const scores = memory.allot((context + 3) * 4)
  const scratch = memory.allot(Math.max(width, hidden) * PANEL * 4)

  const multiply = (from: number, rows: number, { inputs, quants, scales, outputs }: Packed, to: number) =>
    kernel.multiply(from, rows, inputs, quants, scales, outputs, to, scratch)

  const layerBytes = 2 * rowBytes
  const logitsAt = layers.length * layerBytes
  const pageBytes = logitsAt + output.outputs * 4

  function attention(layer: PackedLayer, keyAt: number, rows: readonly Row[]) {
    const valueAt = keyAt + rowBytes
    kernel.normalize(x, rows.length, width, layer.attentionNorm, epsilon, normal)
    multiply(normal, rows.length, layer.queryKeyValue, wide)
    rows.forEach(({ index, page }, i) => {
      const turn = turns + index * 2 * headSize * 4
      kernel.place(wide + i * 3 * rowBytes, width, headSize, turn, page + keyAt, page + valueAt)
    })
    const factor = 1 / Math.sqrt(headSize)
    rows.forEach(({ index }, i) => {
      const query = wide + i * 3 * rowBytes
      const table = tables + i * context * 4
      const to = narrow + i * rowBytes
      kernel.attend(query, table, index + 1, width, headSize, keyAt, valueAt, factor, scores, to)
    })
    multiply(narrow, rows.length, layer.output, normal)
    kernel.addTo(x, normal, rows.length * width)
  }

  function feedForward(layer: PackedLayer, rows: number) {
    kernel.normalize(x, rows, width, layer.feedNorm, epsilon, normal)
    multiply(normal, rows, layer.gateUp, wide)
    kernel.gate(wide, rows, hidden, narrow)
    multiply(narrow, rows, layer.down, normal)
    kernel.addTo(x, normal, rows * width)
  }

  return {
    shape,
    pageBytes,
    allotPage: () => memory.allot(pageBytes),
    exp: (value) => kernel.exp(value),
    logits: (page) => memory.floats(page + logitsAt, shape.vocabulary),
    compute(rows, needsLogits) {
      rows.forEach((row, i) => {
        const table = memory.words(tables + i * context * 4, context)
        for (let at: Row | undefined = row; at; at = at.before) table[at.index] = at.page
        memory.floats(x + i * rowBytes, width).set(memory.floats(embedding + row.token * rowBytes, width))
      })
      layers.forEach((layer, i) => {
        attention(layer, i * layerBytes, rows)
        feedForward(layer, rows.length)
      })
      const asked = rows.flatMap((row, i) => (needsLogits.has(row) ? [{ i, page: row.page }] : []))
      asked.forEach(({ i }, at) => {
        kernel.normalize(x + i * rowBytes, 1, width, outputNorm, epsilon, normal + at * rowBytes)
      })
      if (asked.length > 0) multiply(normal, asked.length, output, wide)
      asked.forEach(({ page }, at) => {
        const numbers = memory.floats(wide + at * output.outputs * 4, output.outputs)
        memory.floats(page + logitsAt, output.outputs).set(numbers)
      })
    },
  }
}

/** For each position the cosines of a head's angles, each twice, then the sines, each twice, the first negative. */
function turnsOf({ context, headSize, base }: Shape): Float32Array {
  const turns = new Float32Array(context * 2 * headSize)
  for (let position = 0; position < context; position++) {
    for (let i = 0; i < headSize; i += 2) {
      const angle = position * base ** (-i / headSize)
      const at = position * 2 * headSize + i
      turns.fill(Math.cos(angle), at, at + 2)
      turns[at + headSize] = -Math.sin(angle)
      turns[at + headSize + 1] = Math.sin(angle)
    }
  }
  return turns
}
