/**
 * The arithmetic of the model, in AssemblyScript: `npm run kernel` compiles it to inference/kernel.wasm.
 *
 * Every number that is computed for a row depends on that row alone, and is a sum in a fixed order: the same whatever other rows are
 * computed with it, in whichever group. Only plain f32 operations are used, so it is also the same on every machine.
 *
 * Addresses and sizes come from inference/network.ts, which owns the memory. Rows of numbers begin at multiples of 16 bytes.
 */

/** Outputs that are computed together: their weights lie together, input by input. */
const PANEL: i32 = 8
/** Weights that share a scale. */
const BLOCK: i32 = 32
/** Rows that are computed together. The memory of rows goes up to a multiple of it. */
const TILE: i32 = 4

/**
 * `out[row][o] = Σ x[row][i] · quants[o][i] · scales[o][i / 32]`, added up in the order of i.
 * `outputs` is a multiple of 16, `inputs` of 32; `scratch` has room for one panel of f32.
 */
export function multiply(
  x: usize,
  rows: i32,
  inputs: i32,
  quants: usize,
  scales: usize,
  outputs: i32,
  out: usize,
  scratch: usize,
): void {
  const quantsOfPanel: usize = inputs * PANEL
  const scalesOfPanel: usize = (inputs / BLOCK) * PANEL * 4
  if (rows == 1) {
    for (let o = 0; o < outputs; o += 2 * PANEL) {
      multiplyRow(x, inputs, quants, quants + quantsOfPanel, scales, scales + scalesOfPanel, out)
      quants += 2 * quantsOfPanel
      scales += 2 * scalesOfPanel
      out += 2 * PANEL * 4
    }
    return
  }
  for (let o = 0; o < outputs; o += PANEL) {
    expand(inputs, quants, scales, scratch)
    for (let row = 0; row < rows; row += TILE)
      multiplyTile(x + row * inputs * 4, inputs, scratch, out + row * outputs * 4, outputs * 4)
    quants += quantsOfPanel
    scales += scalesOfPanel
    out += PANEL * 4
  }
}

/** A panel as f32: quants times scale, which is exact. */
function expand(inputs: i32, quants: usize, scales: usize, to: usize): void {
  for (let i = 0; i < inputs; i += BLOCK) {
    const low = v128.load(scales)
    const high = v128.load(scales, 16)
    for (let j = 0; j < BLOCK; j += 2) {
      const first = v128.load_ext<i8>(quants)
      const second = v128.load_ext<i8>(quants, 8)
      v128.store(to, f32x4.mul(lowHalf(first), low))
      v128.store(to, f32x4.mul(highHalf(first), high), 16)
      v128.store(to, f32x4.mul(lowHalf(second), low), 32)
      v128.store(to, f32x4.mul(highHalf(second), high), 48)
      quants += 16
      to += 64
    }
    scales += 32
  }
}

@inline
function lowHalf(quants: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_low_i16x8_s(quants))
}

@inline
function highHalf(quants: v128): v128 {
  return f32x4.convert_i32x4_s(i32x4.extend_high_i16x8_s(quants))
}

/** Four rows, one panel. */
function multiplyTile(x: usize, inputs: i32, weights: usize, out: usize, stride: usize): void {
  let x0 = x
  let x1 = x0 + inputs * 4
  let x2 = x1 + inputs * 4
  let x3 = x2 + inputs * 4
  let a0 = f32x4.splat(0)
  let b0 = a0
  let a1 = a0
  let b1 = a0
  let a2 = a0
  let b2 = a0
  let a3 = a0
  let b3 = a0
  const end = x0 + inputs * 4
  while (x0 < end) {
    for (let step = 0; step < 4; step++) {
      const low = v128.load(weights)
      const high = v128.load(weights, 16)
      let value = v128.load_splat<f32>(x0)
      a0 = f32x4.add(a0, f32x4.mul(value, low))
      b0 = f32x4.add(b0, f32x4.mul(value, high))
      value = v128.load_splat<f32>(x1)
      a1 = f32x4.add(a1, f32x4.mul(value, low))
      b1 = f32x4.add(b1, f32x4.mul(value, high))
      value = v128.load_splat<f32>(x2)
      a2 = f32x4.add(a2, f32x4.mul(value, low))
      b2 = f32x4.add(b2, f32x4.mul(value, high))
      value = v128.load_splat<f32>(x3)
      a3 = f32x4.add(a3, f32x4.mul(value, low))
      b3 = f32x4.add(b3, f32x4.mul(value, high))
      weights += 32
      x0 += 4
      x1 += 4
      x2 += 4
      x3 += 4
    }
  }
  v128.store(out, a0)
  v128.store(out, b0, 16)
  out += stride
  v128.store(out, a1)
  v128.store(out, b1, 16)
  out += stride
  v128.store(out, a2)
  v128.store(out, b2, 16)
  out += stride
  v128.store(out, a3)
  v128.store(out, b3, 16)
}

/** One row, two panels: what expand() and multiplyTile() do, without the way through memory. */
function multiplyRow(
  x: usize,
  inputs: i32,
  quantsA: usize,
  quantsB: usize,
  scalesA: usize,
  scalesB: usize,
  out: usize,
): void {
  let a = f32x4.splat(0)
  let b = a
  let c = a
  let d = a
  for (let i = 0; i < inputs; i += BLOCK) {
    const scaleA = v128.load(scalesA)
    const scaleB = v128.load(scalesA, 16)
    const scaleC = v128.load(scalesB)
    const scaleD = v128.load(scalesB, 16)
    for (let j = 0; j < BLOCK; j++) {
      const value = v128.load_splat<f32>(x)
      const first = v128.load_ext<i8>(quantsA)
      const second = v128.load_ext<i8>(quantsB)
      a = f32x4.add(a, f32x4.mul(value, f32x4.mul(lowHalf(first), scaleA)))
      b = f32x4.add(b, f32x4.mul(value, f32x4.mul(highHalf(first), scaleB)))
      c = f32x4.add(c, f32x4.mul(value, f32x4.mul(lowHalf(second), scaleC)))
      d = f32x4.add(d, f32x4.mul(value, f32x4.mul(highHalf(second), scaleD)))
      x += 4
      quantsA += 8
      quantsB += 8
    }
    scalesA += 32
    scalesB += 32
  }
  v128.store(out, a)
  v128.store(out, b, 16)
  v128.store(out, c, 32)
  v128.store(out, d, 48)
}

/** RMSNorm: `out = x / sqrt(mean(x²) + epsilon) · weight`. */
export function normalize(
  x: usize,
  rows: i32,
  width: i32,
  weight: usize,
  epsilon: f32,
  out: usize,
): void {
  const size: usize = width * 4
  for (let row = 0; row < rows; row++) {
    let sums = f32x4.splat(0)
    for (let at: usize = 0; at < size; at += 16) {
      const value = v128.load(x + at)
      sums = f32x4.add(sums, f32x4.mul(value, value))
    }
    const factor = f32x4.splat(<f32>1 / sqrt<f32>(sum(sums) / <f32>width + epsilon))
    for (let at: usize = 0; at < size; at += 16)
      v128.store(out + at, f32x4.mul(f32x4.mul(v128.load(x + at), factor), v128.load(weight + at)))
    x += size
    out += size
  }
}

/**
 * Turns neighbouring pairs of a query and a key by their position's angles: `turn` has the cosines of a head, each twice, then the
 * sines, each twice, the first negative. The query stays where it is; key and value go to their page.
 */
export function place(row: usize, width: i32, headSize: i32, turn: usize, key: usize, value: usize): void {
  const size: usize = width * 4
  const head: usize = headSize * 4
  for (let at: usize = 0; at < size; at += head) {
    for (let i: usize = 0; i < head; i += 16) {
      const cosines = v128.load(turn + i)
      const sines = v128.load(turn + head + i)
      const query = row + at + i
      v128.store(query, turned(v128.load(query), cosines, sines))
      v128.store(key + at + i, turned(v128.load(query + size), cosines, sines))
      v128.store(value + at + i, v128.load(query + 2 * size))
    }
  }
}

@inline
function turned(x: v128, cosines: v128, sines: v128): v128 {
  return f32x4.add(f32x4.mul(x, cosines), f32x4.mul(v128.shuffle<f32>(x, x, 1, 0, 3, 2), sines))
}

/**
 * Attention of one row to `count` positions, the last of which is its own. `pages` has an address for each; keys are `keyAt` bytes
 * after it, values `valueAt`. `headSize` is a multiple of 16; `scores` has room for `count` numbers and three more.
 */
export function attend(
  query: usize,
  pages: usize,
  count: i32,
  width: i32,
  headSize: i32,
  keyAt: usize,
  valueAt: usize,
  factor: f32,
  scores: usize,
  out: usize,
): void {
  const head: usize = headSize * 4
  const size: usize = width * 4
  for (let at: usize = 0; at < size; at += head) {
    let most: f32 = -Infinity
    for (let position = 0; position < count; position++) {
      const key = <usize>load<u32>(pages + position * 4) + keyAt + at
      let a = f32x4.splat(0)
      let b = a
      let c = a
      let d = a
      for (let i: usize = 0; i < head; i += 64) {
        const from = query + at + i
        const to = key + i
        a = f32x4.add(a, f32x4.mul(v128.load(from), v128.load(to)))
        b = f32x4.add(b, f32x4.mul(v128.load(from, 16), v128.load(to, 16)))
        c = f32x4.add(c, f32x4.mul(v128.load(from, 32), v128.load(to, 32)))
        d = f32x4.add(d, f32x4.mul(v128.load(from, 48), v128.load(to, 48)))
      }
      const score = sum(f32x4.add(f32x4.add(a, b), f32x4.add(c, d))) * factor
      store<f32>(scores + position * 4, score)
      if (score > most) most = score
    }
    const share = f32x4.splat(<f32>1 / weigh(scores, count, most))
    for (let i: usize = 0; i < head; i += 64) {
      let a = f32x4.splat(0)
      let b = a
      let c = a
      let d = a
      for (let position = 0; position < count; position++) {
        const from = <usize>load<u32>(pages + position * 4) + valueAt + at + i
        const weight = v128.load_splat<f32>(scores + position * 4)
        a = f32x4.add(a, f32x4.mul(weight, v128.load(from)))
        b = f32x4.add(b, f32x4.mul(weight, v128.load(from, 16)))
        c = f32x4.add(c, f32x4.mul(weight, v128.load(from, 32)))
        d = f32x4.add(d, f32x4.mul(weight, v128.load(from, 48)))
      }
      const to = out + at + i
      v128.store(to, f32x4.mul(a, share))
      v128.store(to, f32x4.mul(b, share), 16)
      v128.store(to, f32x4.mul(c, share), 32)
      v128.store(to, f32x4.mul(d, share), 48)
    }
  }
}

/** Scores become weights, `exp(score - most)`; returns their sum. */
function weigh(scores: usize, count: i32, most: f32): f32 {
  const highest = f32x4.splat(most)
  for (let i = 0; i < count; i += 4) {
    const at = scores + i * 4
    v128.store(at, exponential(f32x4.sub(v128.load(at), highest)))
  }
  // What stands behind the last score is none.
  for (let i = count; i % 4 != 0; i++) store<f32>(scores + i * 4, 0)
  let sums = f32x4.splat(0)
  for (let i = 0; i < count; i += 4) sums = f32x4.add(sums, v128.load(scores + i * 4))
  return sum(sums)
}

/** `out = silu(gate) · up`: a row has the gates, then the ups. */
export function gate(x: usize, rows: i32, hidden: i32, out: usize): void {
  const size: usize = hidden * 4
  const one = f32x4.splat(1)
  for (let row = 0; row < rows; row++) {
    for (let at: usize = 0; at < size; at += 16) {
      const value = v128.load(x + at)
      const silu = f32x4.div(value, f32x4.add(one, exponential(f32x4.neg(value))))
      v128.store(out + at, f32x4.mul(silu, v128.load(x + size + at)))
    }
    x += 2 * size
    out += size
  }
}

/** `to += from`; `count` is a multiple of 4. */
export function addTo(to: usize, from: usize, count: i32): void {
  const end = to + count * 4
  while (to < end) {
    v128.store(to, f32x4.add(v128.load(to), v128.load(from)))
    to += 16
    from += 16
  }
}

/** The same for a single number, for what is drawn from probabilities. */
export function exp(x: f32): f32 {
  return f32x4.extract_lane(exponential(f32x4.splat(x)), 0)
}

@inline
function sum(x: v128): f32 {
  const even = f32x4.extract_lane(x, 0) + f32x4.extract_lane(x, 1)
  return even + (f32x4.extract_lane(x, 2) + f32x4.extract_lane(x, 3))
}

/** e^x to about seven digits, by the polynomial of Cephes' expf: Math.exp of the engine may differ from machine to machine. */
function exponential(given: v128): v128 {
  const x = f32x4.pmax(f32x4.pmin(given, f32x4.splat(88)), f32x4.splat(-87))
  const power = f32x4.nearest(f32x4.mul(x, f32x4.splat(1.44269504088896341)))
  let rest = f32x4.sub(x, f32x4.mul(power, f32x4.splat(0.693359375)))
  rest = f32x4.sub(rest, f32x4.mul(power, f32x4.splat(-2.12194440e-4)))
  let y = f32x4.splat(1.9875691500e-4)
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.3981999507e-3))
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(8.3334519073e-3))
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(4.1665795894e-2))
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(1.6666665459e-1))
  y = f32x4.add(f32x4.mul(y, rest), f32x4.splat(5.0000001201e-1))
  y = f32x4.add(f32x4.mul(f32x4.mul(y, rest), rest), f32x4.add(rest, f32x4.splat(1)))
  const exponent = i32x4.add(i32x4.trunc_sat_f32x4_s(power), i32x4.splat(127))
  return f32x4.mul(y, i32x4.shl(exponent, 23))
}
