// One readable journal of the minimal strategy. It changes only on purpose:
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Tool } from '../../src/kernel/tool.ts'
import { manualClock, ScriptedModel } from '../../src/testing/index.ts'
import { answerAt } from '../answers.ts'
import { inTime, until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'minimal.jsonl')

const tools: Tool[] = [
  {
    name: 'look',
    description: 'looks something up',
    access: 'read',
    run: async (input) => ({ found: input }),
  },
  {
    name: 'write',
    description: 'writes a file',
    access: 'write',
    run: async () => {
      throw new Error('the disk is full')
    },
  },
]

const script = {
  'write a report': [
    { do: 'plan', todo: ['gather', 'write'] },
    { do: 'note', name: 'thought', data: { sure: 0.5 } },
    {
      do: 'tool',
      calls: [
        { name: 'look', input: { at: 'shelf' } },
        { name: 'write', input: { file: 'report.md' } },
      ],
    },
    { do: 'call', goals: ['gather', 'write'] },
    { do: 'ask', question: { text: 'Is it good?', choices: ['yes', 'no'] } },
    { do: 'return', result: 'a report' },
  ],
  gather: [
    { do: 'call', goals: ['ask around', 'read'], budget: { calls: 3, depth: 0 } },
    { do: 'return', result: 'gathered' },
  ],
  'ask around': [{ do: 'return', result: '' }],
  read: [
    { do: 'call', goals: ['too deep'] },
    { do: 'tool', calls: [{ name: 'look', input: 'book' }] },
    { do: 'return', result: 'closed at the limit' },
  ],
  write: [{ do: 'return', status: 'failed', result: 'a draft', reason: 'no pen' }],
}

async function run() {
  const clock = manualClock()
  const model = new ScriptedModel(script)
  const engine = createEngine({ model, tools, clock })
  const run = await engine.start('write a report', { strategy: 'minimal', id: 'golden', seed: 'golden' })
  const asked = async () => (await engine.state(run.id)).openQuestions > 0
  let waiting = false
  const poll = setInterval(() => void asked().then((open) => (waiting = open)), 2)
  await until(() => waiting, 'the question is asked')
  clearInterval(poll)
  await clock.advance(90_000)
  await run.signal('1', 'message', 'be brief')
  await answerAt(run, '1', 'yes')
  await inTime(run.outcome, 'the run ends')
  model.assertComplete()
  return [...(await engine.events(run.id))]
}

describe('the golden journal', () => {
  it('of the minimal strategy is what it was', async () => {
    const events = await run()
    expect(violations(events, { waitsForChildren: true })).toEqual([])
    const text = journalText(events)
    if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
    expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'))
  })

  it('is the same whenever it is written', async () => {
    expect(journalText(await run())).toBe(journalText(await run()))
  })
})
