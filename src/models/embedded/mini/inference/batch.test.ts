// What is computed for a text is to the last bit the same, whatever is computed beside it.

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { modelBytes } from '../../../../../tests/mini/write-model.ts'
import { repetitions } from '../../../../../tests/repetitions.ts'
import { type BatchSize, createBatch, type Text } from './batch.ts'
import { createNetwork } from './network.ts'
import { readWeights } from './weights.ts'

const SEED = Number(process.env.THINKON_PROPERTY_SEED ?? 20_261)
const weights = readWeights(modelBytes(), 'random')

interface Scripted {
  readonly prompt: readonly number[]
  /** What follows, whatever the logits say. */
  readonly written: readonly number[]
  /** The step before which it comes. */
  readonly at: number
}

/** The bits of the logits that each text has seen, in order. */
function logitsOf(texts: readonly Scripted[], size: BatchSize): string[][] {
  const network = createNetwork(weights, size.rows)
  const batch = createBatch(network, size)
  const seen = texts.map((): string[] => [])
  let busy = true
  for (let step = 0; busy || step <= 10; step++) {
    texts.forEach(({ prompt, written, at }, i) => {
      if (at === step) batch.add(text(prompt, written, seen[i]!))
    })
    busy = batch.step()
  }
  return seen
}

function text(prompt: readonly number[], written: readonly number[], seen: string[]): Text {
  let count = 0
  return {
    prompt,
    room: written.length,
    next(logits) {
      seen.push(Buffer.from(logits.buffer, logits.byteOffset, logits.byteLength).toString('base64'))
      return written[count++]
    },
  }
}

// Few tokens, so that texts begin alike, and one may end in the middle of another.
const token = fc.constantFrom(261, 262, 262, 270, 300)
const scripted = fc.record({
  prompt: fc.array(token, { minLength: 1, maxLength: 30 }),
  written: fc.array(token, { maxLength: 12 }),
  at: fc.integer({ min: 0, max: 10 }),
})

it('has the same logits alone and in company, in whatever pieces its prompt is computed, and if it was partly computed before', () => {
  const size = fc.record({ rows: fc.integer({ min: 1, max: 13 }), positions: fc.constantFrom(64, 90, 500) })
  fc.assert(
    fc.property(fc.array(scripted, { minLength: 1, maxLength: 9 }), size, (texts, given) => {
      const together = logitsOf(texts, given)
      texts.forEach((one, i) => {
        const alone = logitsOf([one], { rows: 1, positions: 64 })[0]!
        expect(alone).toHaveLength(one.written.length + 1)
        expect(together[i]).toEqual(alone)
      })
    }),
    { numRuns: repetitions(60, 3_000), seed: SEED },
  )
})
