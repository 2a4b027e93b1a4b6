// The journal of a chain of thought: the die problem, with an error found and corrected, a reply that is refused, a step that a
// block below solves, and a message from a person.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { manualClock, ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { DIE_PROBLEM, DIE_THOUGHTS } from './die-thoughts.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'cot.jsonl')

/** The message is there before the first thought is. */
const told = Promise.withResolvers<void>()

/** The sixth thought first says "true" in quotes; the fifth has the last step solved by a block below. */
async function reply({ kind, input }: ModelRequest): Promise<unknown> {
  await told.promise
  if (kind === 'minimal/next') return { do: 'return', result: 'a = 216/431' }
  const { thought_number: n, told: wrong } = input as { thought_number: number; told?: string[] }
  const text = DIE_THOUGHTS[n - 1] as string
  if (n === 5) return text.replace('"Solve for a","status":"Pending"', '$&,"strategy":"minimal"')
  return n === 6 && wrong === undefined ? text.replace('needed: true', 'needed: "true"') : text
}

it('the golden journal of the chain of thought is what it was', async () => {
  const engine = createEngine({ model: new ScriptedModel(reply), clock: manualClock() })
  const run = await engine.start(DIE_PROBLEM, { strategy: 'cot', id: 'golden', seed: 'golden' })
  await run.signal('1', 'message', 'be exact')
  told.resolve()
  expect(await run.outcome).toMatchObject({ status: 'completed', result: expect.stringContaining('216/431') })
  const events = [...(await engine.events(run.id))]
  expect(violations(events, { waitsForChildren: true })).toEqual([])
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const text = journalText(events)
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'))
})
