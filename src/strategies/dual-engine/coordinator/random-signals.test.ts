// Skips, redos and messages at any time, to tasks and to blocks, in plans of any shape: whatever comes, the plan comes to an end.
import { expect, it } from 'vitest'
import { pause } from '../../../../tests/conformance/async.ts'
import { violations } from '../../../../tests/conformance/invariants.ts'
import {
  finish,
  nested,
  type PlanPart,
  plan,
  startDual,
  type TaskInput,
} from '../../../../tests/dual/scripted-tasks.ts'
import { seededRandom } from '../../../kernel/random.ts'

const ROUNDS = 60

it('whatever is signalled, and when, a plan ends, its journal is whole, and a replay goes the same way', async () => {
  const statuses = new Set<string>()
  for (let round = 0; round < ROUNDS; round++) {
    const random = seededRandom(`round ${round}`)
    const below = (most: number) => Math.floor(random() * most)
    const names: string[] = []
    const part = (depth: number): PlanPart => {
      const name = `task ${names.length + 1}`
      names.push(name)
      const after = names.length > 1 && depth === 0 && random() < 0.2 ? [names[0] as string] : undefined
      const parts =
        depth < 2 && random() < 0.4 ? Array.from({ length: 1 + below(3) }, () => part(depth + 1)) : undefined
      return { name, ...(after && { after }), ...(parts && { parts }) }
    }
    const parts = Array.from({ length: 2 + below(3) }, () => part(0))
    const run = await startDual(
      'all',
      {
        'plan all': [plan(...parts)],
        'plan more': () => plan('left', 'right'),
        act: async ({ name, attempt, iteration }: TaskInput) => {
          await pause(below(6))
          if (random() < 0.1) return finish('not quite', { status: 'partial', reason: 'so it is' })
          if (iteration === 1 && random() < 0.15) return nested('more')
          return finish(`${name}, attempt ${attempt}`)
        },
        sum: async ({ done }: TaskInput) => {
          await pause(below(6))
          return { result: `${done.length} results` }
        },
      },
      { options: { concurrency: 1 + below(3) } },
    )
    let over = false
    const outcome = run.outcome().finally(() => {
      over = true
    })
    for (let n = 0; n < 12 && !over; n++) {
      await pause(below(5))
      const index = ['1', ...Array.from({ length: below(3) }, () => 1 + below(4))].join('-')
      const path = ['1', 1 + below(4)].join('-')
      const [to, name, value] = (
        [
          ['1', 'subtask', { do: 'skip', subtask_index: index, reason: `reason ${n}` }],
          ['1', 'subtask', { do: 'redo', subtask_index: index, user_message: `message ${n}` }],
          ['1', 'subtask', { do: 'redo', subtask_index: index, user_message: `message ${n}` }],
          [path, 'skip', `reason ${n}`],
          [path, 'redo', `message ${n}`],
          [path, 'message', `words ${n}`],
          [path, 'cancel', `reason ${n}`],
        ] as const
      )[below(7)]!
      await run.run.signal(to, name, value).catch(() => {})
    }
    const { status, code, reason } = await outcome
    statuses.add(status)
    const about = { round, code, reason }
    expect({ ...about, ends: ['completed', 'partial'].includes(status) }).toEqual({ ...about, ends: true })
    expect({ ...about, wrong: violations(await run.events()) }).toEqual({ ...about, wrong: [] })
    const { differences } = await run.engine.replay(run.run.id)
    expect({ ...about, differences }).toEqual({ ...about, differences: [] })
  }
  expect([...statuses].sort()).toEqual(['completed', 'partial'])
}, 60_000)
