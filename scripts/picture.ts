// Draws docs/images/run.svg, the progress tree of a real run, stopped in the middle, as a terminal shows it; and
// docs/images/essay.svg, the tree of examples/08-fractal-essay.ts, from the same script.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as essay from '../examples/08-fractal-essay.ts'
import { createEngine } from '../src/index.ts'
import { manualClock, ScriptedModel } from '../src/testing/index.ts'
import type { Line } from '../src/views/line.ts'
import { progressLines } from '../src/views/progress.ts'
import { terminalSvg } from './terminal-svg.ts'

const WIDTH = 104
const ESSAY_WIDTH = 132
const GOAL = 'Write a short essay on AI and art'
const PARTS = [
  'find what has been written',
  'the paragraph on generative art',
  'the paragraph on criticism',
  'pick a title',
]
const SOURCES = ['museums and archives', 'interviews with painters', 'court cases since 2023']

const clock = manualClock(Date.UTC(2026, 10, 15, 9, 30))
/** How long the model thinks about a goal, in milliseconds; for ever about the others. */
const THINKS: Record<string, number> = {
  [GOAL]: 1_700,
  'museums and archives': 4_200,
  'interviews with painters': 6_100,
  'court cases since 2023': 2_300,
}

const model = new ScriptedModel(async (request) => {
  const { goal, todo, done, timeline } = request.input as {
    goal: string
    todo: string
    done: string[]
    timeline: string
  }
  await new Promise<void>((resolve) => clock.after(THINKS[goal] ?? 1_300, resolve))
  if (goal === GOAL)
    return todo.length === 0
      ? { do: 'plan', todo: [...PARTS, 'read it aloud once'] }
      : { do: 'call', goals: PARTS }
  if (goal === PARTS[0] && done.length === 0) return { do: 'call', goals: SOURCES }
  if (goal === PARTS[0]) return { do: 'return', result: '14 sources, 3 worth quoting' }
  if (goal === SOURCES[2])
    return { do: 'return', status: 'failed', result: '', reason: 'the archive wants a login' }
  if (SOURCES.includes(goal))
    return {
      do: 'return',
      result: goal === SOURCES[0] ? '9 catalogues, 2 with data' : '5 talks, all on record',
    }
  if (goal === PARTS[1] && done.length === 0)
    return { do: 'call', goals: ['an example that moves', 'the counter-argument'] }
  if (goal === PARTS[3] && !timeline.includes('Which'))
    return { do: 'ask', question: { text: 'Which tone?', choices: ['dry', 'warm'] } }
  return new Promise(() => {})
})

const engine = createEngine({ model, clock })
const run = await engine.start(GOAL, { strategy: 'minimal' })
await clock.advance(14_000)
await run.signal('1-3', 'skip', 'not in this version')
await new Promise((resolve) => setTimeout(resolve, 50))
const state = await engine.state(run.id)
const lines = progressLines(state, { lang: 'en', width: WIDTH, maxLines: 40, nowMs: clock.nowMs() })
await engine.close()

const folder = join(import.meta.dirname, '../docs/images')
mkdirSync(folder, { recursive: true })
writeFileSync(
  join(folder, 'run.svg'),
  terminalSvg([[{ text: `$ npx thinkon minimal "${GOAL}"`, tone: 'strong' }], [], ...lines], WIDTH),
)
writeFileSync(
  join(folder, 'essay.svg'),
  terminalSvg(
    [[{ text: `$ npx thinkon fractal "${essay.GOAL}"`, tone: 'strong' }], [], ...(await essayLines())],
    ESSAY_WIDTH,
  ),
)

/** The example again, by a clock that the picture sets: the longer the answer, the longer it takes. */
async function essayLines(): Promise<Line[]> {
  const clock = manualClock(Date.UTC(2026, 10, 15, 9, 30))
  const script = Object.fromEntries(
    Object.entries(essay.script).map(([goal, replies]) => [
      goal,
      replies.map((reply) => async () => {
        await new Promise<void>((resolve) => clock.after(40 * reply.description.length, resolve))
        return reply
      }),
    ]),
  )
  const engine = createEngine({ model: new ScriptedModel(script), clock })
  const run = await engine.start(essay.GOAL, { strategy: 'fractal' })
  let ended = false
  void run.outcome.then(() => {
    ended = true
  })
  while (!ended) await clock.advance(100)
  const state = await engine.state(run.id)
  await engine.close()
  return progressLines(state, { lang: 'en', width: ESSAY_WIDTH, maxLines: 40, nowMs: clock.nowMs() })
}
