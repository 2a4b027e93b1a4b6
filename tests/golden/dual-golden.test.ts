// The journal of the dual engine's agent of 60 tasks, and its progress on the way.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine, type Run } from '../../src/engine.ts'
import { type Event, messageText } from '../../src/protocol/index.ts'
import { planOf } from '../../src/strategies/dual-engine/views/task-plan.ts'
import { progressText } from '../../src/strategies/dual-engine/views/task-progress.ts'
import { manualClock } from '../../src/testing/index.ts'
import { inTime } from '../conformance/async.ts'
import { violations } from '../conformance/invariants.ts'
import { journalText } from './journal-text.ts'
import { BIRDS, CAVES, GOAL, RIVER, survey, tools } from './sixty-tasks.ts'

const JOURNAL = join(import.meta.dirname, 'dual.jsonl')
const PROGRESS = join(import.meta.dirname, 'dual-progress.txt')

/** Prompts are many and alike: a long text stands as its hash. */
const MAX_TEXT = 300

it('the golden journal of the dual engine, 60 tasks in four plans, is what it was', async () => {
  const seen: Event[] = []
  const started = Promise.withResolvers<Run>()
  const model = survey(started.promise, (signals) => notes(seen, 'dual/subtask-signalled').length >= signals)
  const engine = createEngine({ model, tools, clock: manualClock() })
  const run = await engine.start(GOAL, {
    strategy: 'dual',
    id: 'golden',
    seed: 'golden',
    onEvent: (event) => 'seq' in event && seen.push(event),
  })
  started.resolve(run)
  const outcome = await inTime(run.outcome, 'the survey ends')
  const events = [...(await engine.events(run.id))]
  expect(violations(events, { waitsForChildren: true })).toEqual([])
  expect((await engine.replay(run.id)).differences).toEqual([])
  await engine.close()

  expect(countTasks(events)).toBe(60)
  expect(outcome).toMatchObject({ status: 'completed', result: EXPECTED })
  expect(notes(events, 'dual/subtask-signalled')).toMatchObject([
    { do: 'skip', subtask_index: '1-3-3', reason: 'it is private land' },
    { do: 'redo', subtask_index: '1-4-2', user_message: 'with the heights' },
  ])
  expect(promptsOf(events, '1-4').at(-1)).toContain('The person says: mind the marsh')
  expect(notes(events, 'dual/loop-reflected')).toMatchObject([
    { level: 'critical', advice: 'look instead of drilling' },
    { level: 'standard', advice: 'it is the same bend each time', spinning: true },
    { level: 'critical', advice: 'the mouth can be left out' },
  ])
  compare(JOURNAL, journalText(events, MAX_TEXT))
  compare(PROGRESS, progressOnTheWay(events))
})

const SPINS = '1-30-1-8: the tool look with the same input would be the same again without progress'

/** 30 results: 29 spots, one of them twice; the one that was skipped came to nothing. */
const EXPECTED = [
  'survey the valley: 30 mapped',
  'not drilled: it failed (TOOL_ERROR)',
  'with plan: completed: map the caves: 6 mapped',
  'spot 4.2, with the heights',
  'with plan: completed: count the birds: 8 mapped',
  `with plan: partial (1-30-1: 1-6-5-1-8 "mile 8" was aborted: partial: ${SPINS}): follow the river: 7 mapped`,
  `[partial: ${SPINS}] the bend was seen, the mouth was not`,
].join(' | ')

/** The plan as it stood when these had just begun, and at the end; each plan within it at its end. */
function progressOnTheWay(events: readonly Event[]): string {
  const begun = (name: string) => {
    const at = events.findIndex((event) => event.type === 'block-start' && goalOf(event) === name)
    return at < 0 ? events.length : at + 1
  }
  const shots: [title: string, path: string, until: number][] = [
    ['when spot 1.1 begins', '1', begun('spot 1.1')],
    ['when spot 2.2 begins', '1', begun('spot 2.2')],
    ['when lower cave 2 begins', CAVES, begun('lower cave 2')],
    ['when the redo of spot 4.2 begins', '1', begun('spot 4.2\n(with the heights)')],
    ['the birds, at the end', BIRDS, events.length],
    ['the river, at the end', RIVER, events.length],
    ['at the end', '1', events.length],
  ]
  return shots
    .map(([title, path, end]) => {
      const { root } = planOf(events.slice(0, end), path)
      return `${title}:\n${root === null ? '(no plan)' : progressText(root, { lang: 'en', maxChars: 20_000 })}\n`
    })
    .join('\n')
}

function goalOf(event: Event): unknown {
  return event.type === 'block-start' ? event.goal : undefined
}

function notes(events: readonly Event[], name: string): Record<string, unknown>[] {
  return events.flatMap((event) =>
    event.type === 'note' && event.name === name ? [event.data as Record<string, unknown>] : [],
  )
}

function promptsOf(events: readonly Event[], path: string): string[] {
  return events.flatMap((event) =>
    event.type === 'model-start' && event.path === path
      ? [event.request.messages.map(messageText).join('\n')]
      : [],
  )
}

interface Tree {
  readonly subtasks: readonly Tree[]
}

/** Of all plans, their main tasks aside. */
function countTasks(events: readonly Event[]): number {
  const count = ({ subtasks }: Tree): number => subtasks.reduce((sum, task) => sum + 1 + count(task), 0)
  return notes(events, 'dual/plan-changed').reduce((sum, { tree }) => sum + count(tree as Tree), 0)
}

function compare(file: string, text: string): void {
  if (process.env.UPDATE_GOLDEN) writeFileSync(file, text)
  expect(text.split('\n')).toEqual(readFileSync(file, 'utf8').split('\n'))
}
