/** The model as its definition reads, in double precision, one text at a time and from its beginning: slow, and easy to check. */
import {
  blockNumbers,
  type Matrix,
  readWeights,
  type Weights,
} from '../../src/models/embedded/mini/inference/weights.ts'

/** The logits after the last of the tokens. */
export function referenceOf(bytes: Uint8Array): (tokens: readonly number[]) => number[] {
  const weights = readWeights(bytes, 'reference')
  const numbers = new Map<Matrix, Float64Array[]>()
  const rowsOf = (matrix: Matrix): Float64Array[] => {
    const known = numbers.get(matrix) ?? rows(matrix)
    numbers.set(matrix, known)
    return known
  }
  return (tokens) => logitsAfter(weights, tokens, rowsOf)
}

type RowsOf = (matrix: Matrix) => Float64Array[]
type Vector = ArrayLike<number> & Iterable<number>

function logitsAfter(weights: Weights, tokens: readonly number[], rowsOf: RowsOf): number[] {
  const { shape, embedding, layers, outputNorm, output } = weights
  const { heads, headSize, epsilon, base } = shape
  const times = (matrix: Matrix, x: Vector) => rowsOf(matrix).map((row) => dot(row, x))
  let xs: number[][] = tokens.map((token) => [...(rowsOf(embedding)[token] as Float64Array)])
  for (const layer of layers) {
    const normal = xs.map((x) => normalized(x, layer.attentionNorm, epsilon))
    const queries = normal.map((x, at) => rotated(times(layer.query, x), at, headSize, base))
    const keys = normal.map((x, at) => rotated(times(layer.key, x), at, headSize, base))
    const values = normal.map((x) => times(layer.value, x))
    const seen = queries.map((query, at) =>
      Array.from({ length: heads }, (_, head) => {
        const part = (vector: number[]) => vector.slice(head * headSize, (head + 1) * headSize)
        const scores = keys.slice(0, at + 1).map((key) => dot(part(query), part(key)) / Math.sqrt(headSize))
        const shares = softmax(scores)
        return part(query).map((_, i) =>
          dot(
            shares,
            values.slice(0, at + 1).map((value) => part(value)[i] as number),
          ),
        )
      }).flat(),
    )
    xs = xs.map((x, at) => sum(x, times(layer.output, seen[at] as number[])))
    xs = xs.map((x) => {
      const inner = normalized(x, layer.feedNorm, epsilon)
      const up = times(layer.up, inner)
      const gated = times(layer.gate, inner).map(
        (gate, i) => (gate / (1 + Math.exp(-gate))) * (up[i] as number),
      )
      return sum(x, times(layer.down, gated))
    })
  }
  return times(output, normalized(xs.at(-1) as number[], outputNorm, epsilon))
}

function rows({ inputs, outputs, bytes }: Matrix): Float64Array[] {
  const numbers = Float64Array.from(blockNumbers(bytes))
  return Array.from({ length: outputs }, (_, row) => numbers.subarray(row * inputs, (row + 1) * inputs))
}

function dot(a: Vector, b: Vector): number {
  let total = 0
  for (let i = 0; i < a.length; i++) total += (a[i] as number) * (b[i] as number)
  return total
}

const sum = (a: number[], b: number[]) => a.map((value, i) => value + (b[i] as number))

function normalized(x: number[], weight: Float32Array, epsilon: number): number[] {
  const root = Math.sqrt(dot(x, x) / x.length + epsilon)
  return x.map((value, i) => (value / root) * (weight[i] as number))
}

/** Pairs of neighbours are turned by the angle of their place in the head. */
function rotated(x: number[], position: number, headSize: number, base: number): number[] {
  return x.map((value, i) => {
    const angle = position * base ** (-(((i % headSize) >> 1) * 2) / headSize)
    const other = x[i ^ 1] as number
    return i % 2 === 0
      ? value * Math.cos(angle) - other * Math.sin(angle)
      : value * Math.cos(angle) + other * Math.sin(angle)
  })
}

function softmax(scores: number[]): number[] {
  const most = Math.max(...scores)
  const weights = scores.map((score) => Math.exp(score - most))
  const total = weights.reduce((a, b) => a + b)
  return weights.map((weight) => weight / total)
}
