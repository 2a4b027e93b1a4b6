import { describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'
import type { Context, Strategy } from '../../src/kernel/strategy.ts'
import { viewsOf, withOwn } from '../../src/strategies/registry.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { formatRun } from '../../src/views/formats.ts'

/** The root calls one child; both report on their work. */
const reporting: Strategy = {
  name: 'reporting',
  version: 1,
  options: (given) => given,
  async solve(context: Context) {
    if (context.level === 1)
      return { status: 'completed', result: 'a part', details: 'how the part was made' }
    const child = await context.one(context.call('the part'))
    return { status: 'completed', result: `all of ${child.result}`, details: 'two steps were made' }
  },
}

describe('details of an outcome', () => {
  it("are in the outcome, the fold, the replay and the views, but not in the result or the parent's done", async () => {
    const engine = createEngine({ model: new ScriptedModel([]), strategies: [reporting] })
    const run = await engine.start('the whole', { strategy: 'reporting' })
    const outcome = await run.outcome
    const state = await engine.state(run.id)
    const replayed = await engine.replay(run.id)
    const events = [...(await engine.events(run.id))]
    await engine.close()

    expect(outcome).toMatchObject({ result: 'all of a part', details: 'two steps were made' })
    expect(state.blocks.get('1')).toMatchObject({
      done: ['a part'],
      outcome: { details: 'two steps were made' },
    })
    expect(state.blocks.get('1-1')?.outcome?.details).toBe('how the part was made')
    expect(replayed).toMatchObject({ differences: [], outcome: { details: 'two steps were made' } })
    const views = await viewsOf(withOwn([reporting]))
    const drawn = (format: string) =>
      formatRun(events, views, { format, path: undefined, lang: () => 'en' }).text
    expect(drawn('md')).toContain('## Details\n\ntwo steps were made')
    expect(JSON.parse(drawn('json'))).toMatchObject({
      details: 'two steps were made',
      children: [{ details: 'how the part was made' }],
    })
  })
})
