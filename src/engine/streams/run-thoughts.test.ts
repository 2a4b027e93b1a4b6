import { expect, it, vi } from 'vitest'
import { byHand } from '../../../tests/streaming/by-hand.ts'
import { all } from '../../../tests/streaming/order.ts'
import { createEngine } from '../../engine.ts'
import { ThinkonError } from '../../protocol/index.ts'
import { ScriptedModel } from '../../testing/index.ts'
import type { ThoughtStep } from '../../views/thoughts.ts'
import type { UserTool } from '../tools/user-tool.ts'

const WAIT = { interval: 1, timeout: 60_000 }

const look: UserTool = {
  name: 'look',
  description: 'looks',
  access: 'read',
  input: { type: 'object' },
  run: async () => ({ there: 'a kettle' }),
}

it('thoughts grow as they are written, also in YAML', async () => {
  const { model, write } = byHand()
  const engine = createEngine({ model })
  const run = await engine.start('Why is the sky blue?', { strategy: 'cot' })
  const steps: ThoughtStep[] = []
  const done = (async () => {
    for await (const step of run.thoughts) steps.push(step)
  })()
  const see = (text: string) =>
    vi.waitFor(() => expect(steps.at(-1)).toMatchObject({ kind: 'thought', text, done: false }), WAIT)
  await write('```yaml\ncurrent_thinking: |\n  Blue light is')
  await see('Blue light is')
  await write(' scattered\n  more.\nplanning:\n  - descr')
  await see('Blue light is scattered\nmore.')
  const rest = 'iption: "say it"\n    status: "Done"\n    result: "said"\nnext_thought_needed: false\n```'
  await write(rest)
  await write(
    null,
    `\`\`\`yaml\ncurrent_thinking: |\n  Blue light is scattered\n  more.\nplanning:\n  - descr${rest}`,
  )
  await done
  expect(steps.map(({ kind }) => kind).filter((kind, i, kinds) => kind !== kinds[i - 1])).toEqual([
    'goal',
    'thought',
    'plan',
    'result',
  ])
  expect(steps.at(-1)).toMatchObject({ id: '1 result', status: 'completed', done: true })
  await engine.close()
})

it('tools, questions and their answers are steps, the same for a reader who comes when all is over', async () => {
  const model = new ScriptedModel([
    {
      do: 'tool',
      calls: [
        { name: 'look', input: { at: 'the shelf' } },
        { name: 'nothing', input: {} },
      ],
    },
    { do: 'ask', question: { text: 'Tea?', choices: ['yes', 'no'] } },
    { do: 'return', result: 'tea' },
  ])
  const engine = createEngine({ model, tools: [look] })
  const run = await engine.start('make tea', { strategy: 'minimal' })
  const steps: ThoughtStep[] = []
  for await (const step of run.thoughts) {
    steps.push(step)
    if (step.kind === 'question' && !step.done) await run.answer('yes', { question: step.question.id })
  }
  // Both tools run at once: in the order of their calls.
  const ended = [...new Map(steps.map((step) => [step.id, step])).values()]
  expect(ended.every(({ done }) => done)).toBe(true)
  expect(ended).toMatchObject([
    { kind: 'goal', id: '1', text: 'make tea', strategy: 'minimal' },
    { kind: 'tool', tool: 'look', text: 'look the shelf', output: { there: 'a kettle' } },
    { kind: 'tool', tool: 'nothing', error: expect.stringContaining('nothing') },
    { kind: 'question', text: 'Tea?', answer: 'yes', question: { choices: ['yes', 'no'] } },
    { kind: 'thought', text: 'tea' },
    { kind: 'result', text: 'tea', status: 'completed' },
  ])
  expect(await all(run.thoughts)).toEqual(steps)
  await engine.close()
})

it('throws what the outcome rejects with, after the last step', async () => {
  const outage = new ThinkonError('MODEL_OUTAGE', 'no quota', { retryable: true })
  const engine = createEngine({ model: new ScriptedModel([outage]) })
  const run = await engine.start('x', { strategy: 'minimal' })
  const kinds: string[] = []
  const reading = (async () => {
    for await (const { kind } of run.thoughts) kinds.push(kind)
  })()
  await expect(reading).rejects.toMatchObject({ code: 'MODEL_OUTAGE' })
  expect(kinds).toContain('goal')
  await engine.close()
})
