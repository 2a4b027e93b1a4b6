// What must be in the requests of `minimal`, the plain tool loop.
import { describe, expect, it } from 'vitest'
import { MAX_PROMPT_TOKENS } from '../../src/kernel/brief/prompt-budget.ts'
import type { ModelRequest } from '../../src/protocol/index.ts'
import { reply } from '../../src/testing/index.ts'
import {
  expectBound,
  expectGrowing,
  expectNeedles,
  expectNothingLeftOut,
  expectReadable,
  expectSameAfterCrash,
  expectWhole,
  type Given,
  long,
  needle,
  solve,
  textOf,
} from './needles.ts'

const MAX_CALLS = 8
const FILES = 6

describe('minimal/next', () => {
  it('has the goal, the plan, every result under what it answers, and what the person said, whole; it only grows', async () => {
    const ran = await solve(loop({ chars: 3_000 }))
    expect(ran.outcome.status).toBe('completed')
    const requests = ran.of('minimal/next', '1')
    expectNothingLeftOut(requests)
    expectGrowing(requests)
    const files = Array.from({ length: FILES }, (_, i) => [`FILE-${i + 1}`, long(`FILE-${i + 1}`, 3_000)])
    expectWhole(requests.at(-1), {
      goal: long('GOAL', 3_000),
      part: long('PART', 3_000),
      answer: long('ANSWER', 3_000),
      ...Object.fromEntries(files),
    })
    expectNeedles(requests.at(-1), ['PLAN'])
    expect(textOf(requests.at(-1) as ModelRequest)).toContain('The person says: Which one? → ANSWER line 1')
    // Native calls are answered natively, and tools are not described in words too.
    const roles = requests.at(-1)?.messages.map(({ role }) => role) ?? []
    expect(roles.filter((role) => role === 'tool')).toHaveLength(FILES)
    expect(textOf(requests[0] as ModelRequest)).not.toContain('reads a file')
  })

  it('that does not fit keeps the goal, the plan, a person’s words and the last result; all else can be read', async () => {
    const ran = await solve(loop({ chars: 5_000, promptTokens: 8_000 }))
    const requests = ran.of('minimal/next', '1')
    expectBound(requests, 8_000)
    expectReadable(ran)
    expectNeedles(requests.at(-1), ['GOAL', 'PLAN', 'ANSWER'])
    expectWhole(requests[2], { first: long('FILE-1', 5_000) })
  })

  it('of a child has the goal above it, its plan and what was found for it', async () => {
    const ran = await solve(loop({ chars: 2_000 }))
    expectNeedles(ran.of('minimal/next', '1-1')[0], ['GOAL', 'PLAN', 'FILE-1', `FILE-${FILES}`, 'SUB-GOAL'])
  })

  it('has the same bytes when the run was killed and resumed', () =>
    expectSameAfterCrash(loop({ chars: 4_000, promptTokens: 8_000, asks: false })))

  it('after 200 calls of tools has the goal and the last result, and keeps to its budget', async () => {
    let calls = 0
    const ran = await solve({
      ...loop({ chars: 3_000 }),
      script: () => (++calls > 200 ? { do: 'return', result: 'done' } : read(calls)),
      promptTokens: MAX_PROMPT_TOKENS,
    })
    const requests = ran.of('minimal/next')
    expect(requests).toHaveLength(201)
    expectBound(requests, MAX_PROMPT_TOKENS)
    for (const [i, request] of requests.entries())
      expectNeedles(request, i === 0 ? ['GOAL'] : ['GOAL', `FILE-${i}`])
  }, 60_000)
})

it('minimal/close has what there is, as far as there is room', async () => {
  const ran = await solve({ ...loop({ chars: 500 }), budget: { calls: MAX_CALLS } })
  const [close] = ran.of('minimal/close')
  expectNeedles(close, ['GOAL', 'PLAN', 'FILE-1'])
  expect(close?.tools).toBeUndefined()
})

/** Plans, reads files one by one, has a sub-goal solved, asks, and returns. */
function loop({
  chars,
  promptTokens,
  asks = true,
}: {
  chars: number
  promptTokens?: number
  asks?: boolean
}): Given {
  return {
    goal: long('GOAL', chars),
    strategy: 'minimal',
    ...(promptTokens !== undefined && { promptTokens }),
    answers: { 'Which one?': long('ANSWER', chars) },
    tools: [
      {
        name: 'read',
        description: 'reads a file',
        access: 'read',
        input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
        run: (input) => long((input as { file: string }).file, chars),
      },
    ],
    script(request) {
      const { path, todo, results, done } = request.input as {
        path: string
        todo: string | string[]
        results: unknown[]
        done: string[]
      }
      if (path !== '1') return { do: 'return', result: long('PART', chars) }
      if (todo.length === 0) return { do: 'plan', todo: ['read all', `then decide ${needle('PLAN')}`] }
      if (results.length < FILES) return read(results.length + 1)
      if (done.length === 0) return { do: 'call', goals: [`the part ${needle('SUB-GOAL')}`] }
      if (asks && !textOf(request).includes('Which one?'))
        return { do: 'ask', question: { text: 'Which one?' } }
      return { do: 'return', result: 'all of it' }
    },
  }
}

function read(n: number) {
  return reply('', { toolCalls: [{ id: `call-${n}`, name: 'read', input: { file: `FILE-${n}` } }] })
}
