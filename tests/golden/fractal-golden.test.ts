// The journal of the fractal document's example: an essay with a paragraph that fails, is repaired and written again.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { manualClock, ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'fractal.jsonl')

const script = {
  'an essay on AI and art': [
    { type: 'TODO', description: '1. generative art\n2. assisted work\n3. criticism' },
    { type: 'CALL', description: 'generative art' },
    { type: 'CALL', description: 'assisted work' },
    { type: 'CALL', description: 'find a case' },
    { type: 'CALL', description: 'assisted work, with the case' },
    { type: 'CALL', description: 'a better end', adopt: 'todo' },
    { type: 'CALL', description: 'criticism' },
    { type: 'RETURN', description: 'the essay' },
  ],
  'generative art': [{ type: 'RETURN', description: 'a paragraph' }],
  'assisted work': ['no JSON at all'],
  'find a case': [
    { type: 'TOOL', name: 'look', input: { for: 'a case' } },
    { type: 'RETURN', description: 'a painter' },
  ],
  'assisted work, with the case': [{ type: 'RETURN', description: 'a paragraph on a painter' }],
  'a better end': [{ type: 'RETURN', description: '3. criticism, with a question at the end' }],
  criticism: [{ type: 'RETURN', description: 'a question' }],
}

it('the golden journal of the fractal strategy is what it was', async () => {
  const look = { name: 'look', description: 'looks', access: 'read' as const, run: async () => ['a painter'] }
  const model = new ScriptedModel(script)
  const engine = createEngine({ model, tools: [look], clock: manualClock() })
  const run = await engine.start('an essay on AI and art', {
    strategy: 'fractal',
    id: 'golden',
    seed: 'golden',
  })
  expect(await run.outcome).toMatchObject({ status: 'completed', result: 'the essay' })
  model.assertComplete()
  const events = [...(await engine.events(run.id))]
  expect(violations(events, { waitsForChildren: true })).toEqual([])
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const text = journalText(events)
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'))
})
