// K3: a run that a kill has starved can be given more when it is resumed; that is recorded, and nothing is taken back.

import { describe, expect, it } from 'vitest'
import { createEngine } from '../../../src/index.ts'
import type { Context } from '../../../src/kernel/strategy.ts'
import { reply, ScriptedModel } from '../../../src/testing/index.ts'
import { never, until } from '../async.ts'
import { violations } from '../invariants.ts'
import { memoryPlace } from '../places.ts'
import { all, count } from './journal.ts'
import { codeOf, ended, kernelLab, replayOf, request, strategyOf } from './lab.ts'

describe('limits that are raised', () => {
  const { newPlace, open } = kernelLab({ engine: createEngine, place: memoryPlace })

  async function starved(
    solve: (context: Context<never>) => Promise<string>,
    budget: { tokens?: number; depth?: number },
  ) {
    const place = newPlace()
    const own = strategyOf('own', solve)
    const first = open({ model: new ScriptedModel(() => never()), strategies: [own] }, place)
    const run = await first.engine.start('a goal', { strategy: 'own', budget })
    await until(() => count(first.events(run.id), 'model-start') === 1, 'the model is asked')
    await first.crash()
    const model = new ScriptedModel(() => reply('yes', { usage: { inputTokens: 10, outputTokens: 10 } }))
    return { id: run.id, world: open({ model, strategies: [own] }, place) }
  }

  const asks = async (context: Context<never>) => {
    const [end] = await context.all([context.model(request('think'))])
    return end?.ok ? 'answered' : `refused: ${codeOf(end)}`
  }

  it('let a run go on that a kill has starved', async () => {
    const without = await starved(asks, { tokens: 6_000 })
    expect((await ended(await without.world.engine.resume(without.id))).result).toBe('refused: LIMIT')

    const { world, id } = await starved(asks, { tokens: 6_000 })
    const outcome = await ended(await world.engine.resume(id, { budget: { tokens: 12_000 } }))
    expect(outcome.result).toBe('answered')
    const [resumed] = all(world.events(id), 'run-resume')
    expect(resumed?.limits).toMatchObject({ tokens: 12_000, depth: 8 })
    expect(resumed?.lost).toHaveLength(1)
    expect((await world.engine.state(id)).limits?.tokens).toBe(12_000)
    expect(violations(world.events(id))).toEqual([])
    expect(await replayOf(world.engine, id)).toEqual([])
  })

  it('are refused before anything is written if they are lower, or not limits', async () => {
    const { world, id } = await starved(asks, { tokens: 6_000 })
    const before = world.events(id).length
    await expect(world.engine.resume(id, { budget: { tokens: 5_000 } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/the limit tokens is 6000 and can't be lowered to 5000/),
    })
    await expect(world.engine.resume(id, { budget: { tokens: -1 } })).rejects.toMatchObject({
      code: 'BAD_INPUT',
    })
    expect(world.events(id)).toHaveLength(before)
    expect((await ended(await world.engine.resume(id))).status).toBe('completed')
  })

  it('of depth hold for blocks that start from now on: those before know what they were told', async () => {
    const deep = async (context: Context<never>): Promise<string> => {
      const told = context.budget().depth
      if (context.level === 0) await context.all([context.model(request('think'))])
      if (context.level === 3) return 'deep'
      const child = await context.one(context.call(`level ${context.level + 1}`))
      return `${told} ${child.result || child.limit}`
    }
    const { world, id } = await starved(deep, { depth: 1 })
    const outcome = await ended(await world.engine.resume(id, { budget: { depth: 4 } }))
    expect(outcome.result).toBe('1 3 2 deep')
    expect(await replayOf(world.engine, id)).toEqual([])
  })
})
