import { expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import { ScriptedModel } from '../../src/testing/index.ts'

it('minimal is not offered a question where nobody answers, and one that it asks anyway waits for nobody', async () => {
  const model = new ScriptedModel({
    'minimal/next': [
      { do: 'ask', question: { text: 'Which tone?' } },
      { do: 'return', result: 'A dry one.' },
    ],
  })
  const engine = createEngine({ model })
  const approval = { workspace: '.', asks: 'nobody' } as const
  const run = await engine.start('Write a poem', {
    strategy: 'minimal',
    approval,
  })
  expect((await run.outcome).result).toBe('A dry one.')
  const said = model.calls.map(({ messages }) => JSON.stringify(messages))
  expect(said[0]).not.toContain('asks the person')
  expect(said[1]).toContain('Nobody is there to answer: decide yourself, and say what you assumed')
  await engine.close()
})
