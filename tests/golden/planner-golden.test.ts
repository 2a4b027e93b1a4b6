// The journal of a planner: probes that find a gap, steps, an executor that fails, a refused repetition, a goal in four parts.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { manualClock } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { execute, goOn, plannerModel, probes, returned, steps } from '../planner/planner-runs.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'planner.jsonl')

const GOAL = {
  intent: 'mend the login page',
  deliverable: 'a login page that works',
  metric: 'its test passes',
  constraint: 'no framework',
}
const CAUSE = 'why it fails'
const HYPOTHESES = ['the token is expired', 'the gateway times out', 'the pool is empty']
const mend = execute('raise the time limit', 'mend', [])

const script = {
  [`plan ${GOAL.intent}`]: [
    'not even JSON',
    probes(CAUSE, HYPOTHESES, 'one of them is confirmed'),
    steps('the mended page', ['raise the time limit', 'write the test', 'run the test']),
  ],
  [`plan ${CAUSE}`]: [execute('look for 401', 'look', []), execute('look for 504', 'look', [])],
  [`reflect ${CAUSE}`]: [
    { ...goOn, verdicts: [{ hypothesis: 1, verdict: 'refuted', evidence: 'there is no 401' }] },
    returned('completed', 'the gateway times out', {
      verdicts: [{ hypothesis: 2, verdict: 'confirmed', evidence: 'there is a 504' }],
    }),
  ],
  [`reflect ${GOAL.intent}`]: [goOn, returned('completed', 'mended')],
  'plan the mended page': [
    mend,
    mend,
    execute('write the test', 'look', [], { update_plan: ['run the test'] }),
    execute('run the test', 'look', []),
  ],
  'reflect the mended page': [goOn, goOn, returned('partial', 'tested, not mended')],
}

const tools: Tool[] = [
  { name: 'look', description: 'looks', access: 'read', run: async () => 'POST /login 504' },
  {
    name: 'mend',
    description: 'mends',
    access: 'write',
    run: async () => {
      throw new Error('no wrench')
    },
  },
]

it('the golden journal of the planner is what it was', async () => {
  const model = plannerModel(script)
  const engine = createEngine({ model, tools, clock: manualClock() })
  const run = await engine.start(GOAL, { strategy: 'planner', id: 'golden', seed: 'golden' })
  expect(await run.outcome).toMatchObject({
    status: 'completed',
    violations: { NOT_AN_OBJECT: 1, REPEATS_FAILED_BLOCK: 1 },
  })
  const events = [...(await engine.events(run.id))]
  expect(violations(events, { waitsForChildren: true })).toEqual([])
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()
  const text = journalText(events)
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'))
})
