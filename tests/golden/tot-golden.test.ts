// The document's walk-through of the Game of 24, step by step: its messages, its journal, and its log folder file by file.
//   UPDATE_GOLDEN=1 npx vitest run tests/golden

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import type { Event, Outcome } from '../../src/protocol/index.ts'
import {
  THOUGHT_MESSAGE,
  type ThoughtMessage,
  type ThoughtMessageType,
} from '../../src/strategies/tree-of-thoughts/protocol.ts'
import { manualClock, ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { GAME24_ANSWER, GAME24_PROBLEM, game24Reply } from './game24-thoughts.ts'
import { journalText } from './journal-text.ts'

const FILE = join(import.meta.dirname, 'tot.jsonl')
const LOGS = join(import.meta.dirname, 'tot-logs/walk-through')

const clock = manualClock()
/** Every call takes its time: the logs have something to tell. */
const TAKES_MS: Readonly<Record<string, number>> = {
  'tot/decompose': 1_250,
  'tot/generate': 2_100,
  'tot/evaluate': 940,
}
const workspace = mkdtempSync(join(tmpdir(), 'thinkon-walk-'))
let outcome: Outcome
let events: Event[]
let differences: unknown

beforeAll(async () => {
  const model = new ScriptedModel(async (request) => {
    await clock.advance(TAKES_MS[request.kind] ?? 0)
    return game24Reply(request)
  })
  const engine = createEngine({ model, clock })
  const run = await engine.start(GAME24_PROBLEM, {
    strategy: 'tot',
    options: { search: 'BFS', branching: 5, beam: 3, depth: 3 },
    id: 'golden',
    seed: 'golden',
    workspace,
  })
  outcome = await run.outcome
  events = [...(await engine.events(run.id))]
  differences = (await engine.replay(run.id)).differences
  await engine.close()
})

afterAll(() => rmSync(workspace, { recursive: true, force: true }))

it('the walk-through comes to the answer of the document, in its messages', () => {
  expect(outcome).toMatchObject({ status: 'completed', result: GAME24_ANSWER })
  const twice = (type: ThoughtMessageType, times: number) => Array.from({ length: times }, () => type)
  expect(messages().map(({ type }) => type)).toEqual([
    'decompose_task',
    'decomposition_result',
    'initialize_search',
    ...['generate_thoughts', 'generated_thoughts', 'evaluate_thoughts', 'evaluation_results'],
    ...twice('generate_thoughts', 3),
    ...twice('generated_thoughts', 3),
    ...['evaluate_thoughts', 'evaluation_results'],
    // Two numbers are settled by program, which knows the last step, too; answers are checked, and nobody is asked what they are worth.
    ...['generate_thoughts', 'generated_thoughts'],
    ...['synthesize_solution', 'final_solution', 'search_complete'],
  ])
  expect(the('initialize_search')).toMatchObject({
    problem: GAME24_PROBLEM,
    search_config: { strategy: 'BFS', max_depth: 3, branching_factor: 5, beam_width: 3 },
    decomposition_result: { depth_estimate: 3, thought_granularity: 'equation' },
  })
  expect(the('generate_thoughts')).toMatchObject({ num_candidates: 5, parent_node: { id: 'root' } })
  expect(the('evaluate_thoughts').candidates).toHaveLength(5)
  expect(the('final_solution')).toMatchObject({
    answer: GAME24_ANSWER,
    reasoning_trace: ['步骤1: 用13减9得到4', '步骤2: 用10减4得到6', '步骤3: 用6乘以4得到24'],
    confidence: 1,
    verification: { is_valid: true },
  })
})

it('three survive a layer, unless a program knows which lead to the target; wrong sums are dropped, known states merged', () => {
  const notes = events.flatMap((event) => (event.type === 'note' ? [event] : []))
  const selected = notes.filter(({ name }) => name === 'tot/layer-selected')
  expect(selected.map(({ data }) => data)).toMatchObject([
    { kept: ['node_1_1', 'node_1_3', 'node_1_2'], pruned: ['node_1_4', 'node_1_5'], merged: [] },
    { kept: ['node_2_1'], merged: [{ into: 'node_2_1' }, { into: 'node_2_3' }] },
    { kept: ['node_3_1'] },
  ])
  const dropped = notes.filter(({ name }) => name === 'tot/candidate-dropped')
  expect(dropped.map(({ data }) => data)).toEqual([
    { content: '13 + 9 = 23, 剩余: 14, 23', why: '结果应为22' },
  ])
})

it('its golden journal is what it was', () => {
  expect(violations(events, { waitsForChildren: true })).toEqual([])
  expect(differences).toEqual([])
  const text = journalText(events).replaceAll(JSON.stringify(workspace), '"(workspace)"')
  if (process.env.UPDATE_GOLDEN) writeFileSync(FILE, text)
  expect(text.split('\n')).toEqual(readFileSync(FILE, 'utf8').split('\n'))
})

it('its log folder is what it was, file by file', () => {
  const [made = ''] = readdirSync(join(workspace, 'logs'))
  expect(made).toBe(messages()[0]?.task_id)
  if (process.env.UPDATE_GOLDEN) rewrite(textsIn(join(workspace, 'logs', made)))
  expect(textsIn(join(workspace, 'logs', made))).toEqual(textsIn(LOGS))
})

function messages(): ThoughtMessage[] {
  return events.flatMap((event) =>
    event.type === 'note' && event.name === THOUGHT_MESSAGE ? [event.data as ThoughtMessage] : [],
  )
}

function the<T extends ThoughtMessageType>(type: T): ThoughtMessage<T>['payload'] {
  return messages().find((message) => message.type === type)?.payload as ThoughtMessage<T>['payload']
}

function textsIn(folder: string): Record<string, string[]> {
  const names = readdirSync(folder).sort()
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), 'utf8').split('\n')]))
}

function rewrite(texts: Readonly<Record<string, readonly string[]>>): void {
  rmSync(LOGS, { recursive: true, force: true })
  mkdirSync(LOGS, { recursive: true })
  for (const [name, lines] of Object.entries(texts)) writeFileSync(join(LOGS, name), lines.join('\n'))
}
