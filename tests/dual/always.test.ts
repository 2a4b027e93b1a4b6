// Permission for tools in the tasks of a plan: `always` says how far it reaches, and holds for the plan when asked so.

import { describe, expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { Event } from '../../src/protocol/index.ts'
import { answerAll, answerAt } from '../answers.ts'
import { until } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { later } from '../conformance/later.ts'
import { memoryPlace, sqlitePlace } from '../conformance/places.ts'
import {
  asks,
  type DualRun,
  type DualSettings,
  finish,
  nested,
  plan,
  startDual,
  type TaskInput,
  type TaskScript,
  taskModel,
  tool,
  use,
} from './scripted-tasks.ts'

const write = () => tool('write', async () => 'written', 'write')
const ASKING = { workspace: '/', asks: 'person' } as const

/** Each task writes twice. */
const twice = ({ iteration }: TaskInput) => (iteration < 3 ? use('write', { iteration }) : finish('done'))

/** Runs it; the questions are answered with these, in their order, and given back. */
async function answered(
  script: TaskScript,
  answers: readonly string[],
  settings: DualSettings = {},
): Promise<{ run: DualRun; questions: string[] }> {
  const run = await startDual('all', script, { tools: [write()], approval: ASKING, ...settings })
  const questions: string[] = []
  for await (const event of run.run.events) {
    if (event.type !== 'signal-asked' || event.question === undefined) continue
    questions.push(`${event.path} ${event.question.text.split('\n').at(-1)}`)
    await run.run.answer(answers[questions.length - 1] ?? 'no', { question: event.seq })
  }
  const events = await run.events()
  expect(violations(events)).toEqual([])
  expect((await run.engine.replay(run.run.id)).differences).toEqual([])
  return { run, questions }
}

const PLAN: TaskScript = { 'plan all': [plan('a', 'b', 'c')], act: twice }

describe('`always`', () => {
  it('says how far it reaches, and is asked for again by the next task', async () => {
    const { run, questions } = await answered(PLAN, ['always', 'always', 'always'])
    expect(questions).toEqual(
      ['1-1', '1-2', '1-3'].map(
        (path) =>
          `${path} (always: every write, for the rest of block ${path}; always in the plan: every write, in block 1 and all below it)`,
      ),
    )
    expect((await run.outcome()).status).toBe('completed')
  })

  it('holds for the plan when asked so: no other task asks, and the journal says what was allowed', async () => {
    const { run, questions } = await answered(PLAN, ['yes', 'always in the plan'])
    expect(questions).toHaveLength(2)
    expect((await run.outcome()).status).toBe('completed')
    const events = await run.events()
    const written = events.filter((event) => event.type === 'tool-start' && event.name === 'write')
    expect(written).toHaveLength(6)
    expect(await run.notes('tool-allowed')).toEqual([{ within: '1', tool: 'write', input: { iteration: 2 } }])
  })

  it('for a plan within a plan holds there, and not above it', async () => {
    const { questions } = await answered(
      {
        'plan all': [plan('a', 'b')],
        'act a': [nested('the parts')],
        'plan the parts': [plan('left', 'right')],
        'act left': twice,
        'act right': twice,
        'act b': twice,
      },
      ['always in the plan', 'yes', 'yes'],
    )
    expect(questions.map((question) => question.split(' ')[0])).toEqual(['1-1-1-1', '1-2', '1-2'])
  })

  it('for the plan is for the command in its folder: the same elsewhere is asked about', async () => {
    const deeds = (input: unknown) => [
      { does: 'execute' as const, command: 'make', folder: (input as { folder: string }).folder },
    ]
    const make = { ...tool('make', async () => 'made', 'execute'), deeds }
    const folders: Record<string, string> = { a: 'src', b: 'src2', c: 'src/', d: 'src/../src2' }
    const script: TaskScript = {
      'plan all': [plan('a', 'b', 'c', 'd')],
      act: ({ iteration, name }) =>
        iteration < 2 ? use('make', { folder: folders[name] ?? '.' }) : finish('done'),
    }
    const { questions } = await answered(script, ['always in the plan', 'yes', 'yes'], { tools: [make] })
    expect(questions.map((question) => question.split(';')[0])).toEqual([
      '1-1 (always: exactly this command in src/, for the rest of block 1-1',
      '1-2 (always: exactly this command in src2/, for the rest of block 1-2',
      '1-4 (always: exactly this command in src2/, for the rest of block 1-4',
    ])
  })

  it.each([
    ['a file', () => sqlitePlace()],
    ['a store that answers later', () => memoryPlace()],
  ] as const)(
    'for the plan still holds when the run is resumed by another process, from %s',
    async (where, made) => {
      const place = made()
      onTestFinished(() => place.remove())
      const open = () => {
        const store = where === 'a file' ? place.open() : later(place.open())
        return createEngine({ model: taskModel(PLAN), tools: [write()], store })
      }
      const first = open()
      const seen: Event[] = []
      const run = await first.start('all', {
        strategy: 'dual',
        approval: ASKING,
        options: { review: 'manual' },
        onEvent: (event) => void ('seq' in event && seen.push(event)),
      })
      const asked = (name: string, path: string) =>
        until(() => seen.some((event) => asks(name)(event) && event.path === path), `${name} of ${path}`)
      await asked('review-plan', '1')
      await answerAt(run, '1', 'continue')
      await asked('approve', '1-1')
      await answerAt(run, '1-1', 'always in the plan')
      await asked('review-task', '1')
      run.outcome.catch(() => {})
      await first.close()
      const second = open()
      onTestFinished(() => second.close())
      const resumed = await second.resume(run.id)
      void answerAll(resumed, 'continue')
      expect((await resumed.outcome).status).toBe('completed')
      const approvals = [...(await second.events(run.id))].filter(asks('approve'))
      expect(approvals.map(({ path }) => path)).toEqual(['1-1'])
    },
  )
})
