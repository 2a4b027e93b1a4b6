// A person is asked what a model would be asked, in every strategy; and what they say, recorded, answers the same run again.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { ModelReply } from '../../src/protocol/index.ts'
import { STRATEGIES } from '../../src/strategies/registry.ts'
import { answeredBy } from './answered-by.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-person-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const GOAL = 'compute (3+4)*2 and 12-5'

it.each([...STRATEGIES.keys()])('%s', async (strategy) => {
  const byProgram = join(folder, `${strategy}-program.jsonl`)
  const byPerson = join(folder, `${strategy}-person.jsonl`)
  const solved = await solve(strategy, 'embedded:abacus', byProgram)
  const asked = await solve(strategy, 'person', byPerson, await answeredBy(byProgram, asText))
  const again = await solve(strategy, `replay:${byPerson}`)
  expect(solved.status).toBe('completed')
  expect([asked.status, asked.result]).toEqual([solved.status, solved.result])
  expect([again.status, again.result]).toEqual([solved.status, solved.result])
  expect(asked.usage).toMatchObject({ calls: solved.usage.calls, inputTokens: 0, outputTokens: 0 })
})

function asText({ text, toolCalls }: ModelReply): unknown {
  return toolCalls === undefined ? text : { text, toolCalls }
}

async function solve(
  strategy: string,
  model: string,
  record?: string,
  answers?: Awaited<ReturnType<typeof answeredBy>>,
) {
  const engine = createEngine({ model, ...(record !== undefined && { record }) })
  try {
    const run = await engine.start(GOAL, {
      strategy,
      id: 'same',
      onEvent: (event) =>
        void answers?.(event, (question, value) => engine.answer('same', value, { question })),
    })
    return await run.outcome
  } finally {
    await engine.close()
  }
}
