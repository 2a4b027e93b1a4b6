import { afterEach, expect, it } from 'vitest'
import { createEngine } from '../../src/engine.ts'
import { type FakeProvider, type ProviderRequest, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
afterEach(() => fake?.close())

const DEPTH = 200

/** Down to the bottom each block has a child; the first ones have three more, which end at once. */
function moveOf({ body }: ProviderRequest): { text: string } {
  const said = JSON.stringify(body.messages)
  const level = Math.max(...[...said.matchAll(/level (\d+)/g)].map(([, number]) => Number(number)))
  if (level >= DEPTH || said.includes('leaf of') || said.includes('reached the ground'))
    return { text: RETURN }
  const goals = [`go to level ${level + 1}`]
  if (level < 5) goals.push(...['a', 'b', 'c'].map((name) => `leaf of level ${level}: ${name}`))
  return { text: JSON.stringify({ do: 'call', goals }) }
}

const RETURN = '{"do":"return","result":"reached the ground"}'

it('finishes a tree that is 200 levels deep with four slots: no block holds one', async () => {
  fake = await startFakeProvider(moveOf)
  const engine = createEngine({ model: { model: `${fake.url}#fake`, resilience: { maxConcurrent: 4 } } })
  const run = await engine.start('go to level 1', { strategy: 'minimal', budget: { depth: DEPTH + 1 } })
  const outcome = await run.outcome
  const blocks = [...(await engine.events(run.id))].filter(({ type }) => type === 'block-start')
  await engine.close()
  expect(outcome).toMatchObject({ status: 'completed', result: 'reached the ground' })
  expect(blocks.length).toBeGreaterThanOrEqual(DEPTH)
  expect(fake.open.most).toBeLessThanOrEqual(4)
})
