// A vote: a sample that can't be used, one that differs, and a majority.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { manualClock, ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'best-of.jsonl')

const SAMPLES = [
  { answer: 'Sydney' },
  { answer: '' },
  { answer: 'Canberra' },
  { answer: 'Canberra' },
  { answer: 'Canberra' },
]

it('the golden journal of the best-of strategy is what it was', async () => {
  const model = new ScriptedModel({ 'best-of/answer': SAMPLES })
  const engine = createEngine({ model, clock: manualClock() })
  const run = await engine.start('the capital of Australia', {
    strategy: 'best-of',
    id: 'golden',
    seed: 'golden',
  })
  await run.outcome
  const events = [...(await engine.events(run.id))]
  expect(violations(events)).toEqual([])
  const text = journalText(events)
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text).toBe(readFileSync(FILE, 'utf8'))
})
