import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { buildKernel, KERNEL } from '../../../../../scripts/build-kernel.ts'
import { referenceOf } from '../../../../../tests/mini/reference.ts'
import { modelBytes, type RandomModel, TINY } from '../../../../../tests/mini/write-model.ts'
import { encode } from '../tokens.ts'
import { createNetwork, type Network, type Row } from './network.ts'
import { readWeights } from './weights.ts'

function networkOf(model: RandomModel = {}, rows = 8): Network {
  return createNetwork(readWeights(modelBytes(model), 'random'), rows)
}

function rowsOf(network: Network, tokens: readonly number[]): Row[] {
  const rows: Row[] = []
  for (const [index, token] of tokens.entries())
    rows.push({ token, index, page: network.allotPage(), before: rows.at(-1) })
  return rows
}

describe('the network', () => {
  const shapes: RandomModel[] = [
    {},
    { width: 96, layers: 1, heads: 3, hidden: 32, seed: 2 },
    { width: 128, layers: 3, heads: 2, hidden: 160, context: 100, seed: 3 },
    { width: 32, layers: 2, heads: 2, hidden: 64, seed: 4 },
  ]
  it.each(shapes)('computes what its definition says: %o', (model) => {
    const tokens = encode('T|((3+4)×2)>C(3+4) 鸡蛋é')
    const reference = referenceOf(modelBytes(model))
    const network = networkOf(model)
    const rows = rowsOf(network, tokens)
    rows.forEach((row, i) => {
      network.compute([row], new Set([row]))
      const expected = reference(tokens.slice(0, i + 1))
      const logits = network.logits(row.page)
      const most = Math.max(...expected.map((logit, at) => Math.abs(logit - logits[at]!)))
      expect(most).toBeLessThan(1e-3)
    })
    // Logits that are all alike would agree, too.
    const last = network.logits(rows.at(-1)!.page)
    expect(Math.max(...last) - Math.min(...last)).toBeGreaterThan(3)
  })

  it('fills the context', () => {
    const network = networkOf()
    const tokens = encode('(1+2)×'.repeat(20)).slice(0, TINY.context)
    const rows = rowsOf(network, tokens)
    for (const row of rows) network.compute([row], new Set(rows))
    const reference = referenceOf(modelBytes())(tokens)
    const logits = network.logits(rows.at(-1)!.page)
    expect(Math.max(...reference.map((logit, i) => Math.abs(logit - logits[i]!)))).toBeLessThan(1e-3)
  })

  it('has an exponential function of its own', () => {
    const { exp } = networkOf()
    for (let x = -80; x < 80; x += 0.37)
      expect(Math.abs(exp(x) / Math.exp(Math.fround(x)) - 1)).toBeLessThan(3e-7)
    expect(exp(0)).toBe(1)
    for (const x of [-1e30, Number.NEGATIVE_INFINITY]) expect(exp(x)).toBeLessThan(1e-37)
    for (const x of [1e30, Number.POSITIVE_INFINITY]) expect(exp(x)).toBeGreaterThan(1e37)
  })
})

it('runs the kernel that its source compiles to (npm run kernel)', () => {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-kernel-'))
  buildKernel(join(folder, 'kernel.wasm'))
  expect(readFileSync(join(folder, 'kernel.wasm')).equals(readFileSync(KERNEL))).toBe(true)
  rmSync(folder, { recursive: true })
})
