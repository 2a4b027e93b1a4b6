import { expect, it, onTestFinished } from 'vitest'
import { createEngine } from '../engine.ts'
import { ScriptedModel } from '../testing/index.ts'

it.each([
  ['goal', 'another goal', { strategy: 'fractal', options: { check: 'never' } }],
  ['strategy', 'a goal', { strategy: 'cot' }],
  ['option "check"', 'a goal', { strategy: 'fractal', options: { check: 'always' } }],
])('a known id is refused with another %s', async (what, goal, options) => {
  const engine = createEngine({ model: new ScriptedModel([{ type: 'RETURN', description: 'done' }]) })
  onTestFinished(() => engine.close())
  const first = { id: 'mine', strategy: 'fractal', options: { check: 'never' } } as const
  const outcome = await (await engine.start('a goal', first)).outcome
  await expect(engine.start(goal, { id: 'mine', ...options } as object)).rejects.toMatchObject({
    code: 'BAD_INPUT',
    message: expect.stringContaining(`with another ${what}`),
    data: { run: 'mine', conflict: true },
  })
  expect(await (await engine.start('a goal', first)).outcome).toEqual(outcome)
  expect(await (await engine.start('a goal', { id: 'mine' })).outcome).toEqual(outcome)
})
