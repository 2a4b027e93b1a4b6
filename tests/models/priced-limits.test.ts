/** A limit of cost needs prices: the calls of a model without one do not count towards it. */
import { afterEach, describe, expect, it } from 'vitest'
import { createEngine, type EngineOptions } from '../../src/engine.ts'
import { makePlace, type Place } from '../e2e/cli-process.ts'
import { endAll, serveHere } from '../server/serve-here.ts'

afterEach(endAll)

const USAGE = { inputTokens: 1_000_000, outputTokens: 0 }
const own = (id = 'own') => ({
  id,
  call: async () => ({ text: '{"do":"return","result":"done"}', usage: USAGE }),
})
const PRICE = { input: 0, output: 0 }

async function started(options: EngineOptions, budget: { costUsd?: number }) {
  const engine = createEngine(options)
  try {
    const run = await engine.start('x', { strategy: 'minimal', budget })
    return await run.outcome
  } finally {
    await engine.close()
  }
}

describe('a limit of cost that the caller sets', () => {
  it.each<[string, EngineOptions, string[]]>([
    ['a model object', { model: own() }, ['own']],
    [
      'a model of a role',
      { model: { model: own(), price: PRICE }, models: { judge: own('judge') } },
      ['judge'],
    ],
    ['one of several models', { model: [{ model: own(), price: PRICE }, own('other')] }, ['other']],
  ])('is refused without a price of %s', async (_, options, models) => {
    const refused = started(options, { costUsd: 0.000_001 })
    await expect(refused).rejects.toMatchObject({ code: 'BAD_INPUT', data: { limit: 'costUsd', models } })
    await expect(refused).rejects.toThrow(/budget\.costUsd.*no price is known for .*"prices"/s)
  })

  it('is kept with a price, also one of 0', async () => {
    const free = await started({ model: { model: own(), price: PRICE } }, { costUsd: 0.000_001 })
    expect(free.status).toBe('completed')
    const dear = { model: { model: own(), price: { input: 100, output: 100 } } }
    expect((await started(dear, { costUsd: 0.000_001 })).limit).toBe('costUsd')
  })

  it('is refused when a run is resumed with it', async () => {
    const engine = createEngine({ model: own() })
    const run = await engine.start('x', { strategy: 'minimal' })
    await run.outcome
    await expect(engine.resume(run.id, { budget: { costUsd: 5 } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    await engine.close()
  })

  it('is refused over HTTP', async () => {
    const here = await serveHere({ service: { engineFor: () => createEngine({ model: own() }) } })
    const refused = await here.post('/api/runs', { goal: 'x', budget: { costUsd: 1 } })
    expect([refused.status, await refused.json()]).toMatchObject([
      400,
      { code: 'BAD_INPUT', data: { limit: 'costUsd' } },
    ])
  })
})

it('the default limit, which nobody set, refuses no model', async () => {
  expect((await started({ model: own() }, {})).status).toBe('completed')
})

describe('on the command line', () => {
  let place: Place
  afterEach(() => place.remove())

  it('--max-cost is refused without a price, and names the model', async () => {
    place = makePlace()
    const { code, stderr } = await place.cli(['run', 'x', '--max-cost', '1'])
    expect(code).toBe(2)
    expect(stderr).toContain('no price is known for')
    expect((await place.cli(['run', '1 + 1', '--model', 'embedded:abacus', '--max-cost', '1'])).code).toBe(0)
  })
})
