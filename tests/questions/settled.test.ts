// What a person approves is what is published: the value is made before the question.
import { expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { defineStrategy } from '../../src/strategies/define-strategy.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

const OUTPUT = {
  type: 'object',
  properties: { title: { type: 'string' } },
  required: ['title'],
  additionalProperties: false,
} as const

const reviewed = defineStrategy({
  name: 'reviewed',
  version: 1,
  options: () => ({}),
  async solve(context) {
    const messages = [{ role: 'user', content: 'write' }] as const
    const draft = await context.one(context.model({ kind: 'write', version: 1, role: 'act', messages }))
    const { result, shown } = await context.settle(draft.text)
    const verdict = await context.one(context.ask({ text: `Publish?\n${shown}`, choices: ['yes', 'no'] }))
    return verdict === 'yes' ? result : { status: 'partial', result, reason: 'it was not approved' }
  },
})

/** Each further request for the value would give another one. */
function drifting() {
  let made = 0
  return new ScriptedModel({
    write: () => '# Release notes',
    'output/value': () => ({ title: `value ${++made}` }),
    'auto/classify': () => ({ strategy: 'reviewed', needs: [], reason: 'x' }),
  })
}

it.each(['yes', 'no'])(
  'the value that a person saw is the run’s, and no model is called after the answer: %s',
  async (answer) => {
    const model = drifting()
    const engine = createEngine({ model, strategies: [reviewed] })
    const run = await engine.start('publish it', { strategy: 'reviewed', output: OUTPUT })
    for await (const question of run.questions) {
      expect(question.text).toContain('"title": "value 1"')
      expect(model.calls).toHaveLength(2)
      await question.answer(answer)
    }
    const outcome = await run.outcome
    expect(outcome).toMatchObject({
      status: answer === 'yes' ? 'completed' : 'partial',
      result: '# Release notes',
      value: { title: 'value 1' },
    })
    expect(model.calls).toHaveLength(2)
    expect((await engine.replay(run.id)).differences).toEqual([])
    await engine.close()
  },
)

it('keeps the value where the strategy solves the run for another block', async () => {
  const parent = defineStrategy({
    name: 'parent',
    version: 1,
    options: () => ({}),
    async solve(context) {
      const { usage: _, ...child } = await context.one(
        context.call(context.block.goal, { strategy: 'reviewed' }),
      )
      return child as { status: 'completed'; result: string }
    },
  })
  const model = drifting()
  const engine = createEngine({ model, strategies: [reviewed, parent] })
  const run = await engine.start('publish it', { strategy: 'parent', output: OUTPUT })
  for await (const question of run.questions) await question.answer('yes')
  expect(await run.outcome).toMatchObject({ status: 'completed', value: { title: 'value 1' } })
  expect(model.calls).toHaveLength(2)
  await engine.close()
})

it('shows the result where the run has no output, and says why there is no value', async () => {
  const engine = createEngine({ model: drifting(), strategies: [reviewed] })
  const run = await engine.start('publish it', { strategy: 'reviewed' })
  for await (const question of run.questions) {
    expect(question.text).toBe('Publish?\n# Release notes')
    await question.answer('yes')
  }
  expect(await run.outcome).toMatchObject({ status: 'completed', result: '# Release notes' })
  const wrong = new ScriptedModel({ write: () => 'x', 'output/value': () => ({ other: 1 }) })
  const other = createEngine({ model: wrong, strategies: [reviewed] })
  const failed = await other.start('publish it', { strategy: 'reviewed', output: OUTPUT })
  for await (const question of failed.questions) await question.answer('yes')
  const calls = wrong.calls.length
  expect(await failed.outcome).toMatchObject({ status: 'partial', result: 'x' })
  expect(wrong.calls).toHaveLength(calls)
  await Promise.all([engine.close(), other.close()])
})
