import { afterAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { StartOptions } from '../engine.ts'
import { createEngine } from '../engine.ts'
import { ThinkonError } from '../protocol/index.ts'
import { ScriptedModel } from '../testing/index.ts'

const engine = createEngine({ model: new ScriptedModel(() => ({ type: 'RETURN', description: 'done' })) })
afterAll(() => engine.close())

async function problemOf(given: StartOptions): Promise<string> {
  const thrown = await engine.start('a goal', { strategy: 'fractal', ...given }).catch((error) => error)
  expect(thrown).toBeInstanceOf(ThinkonError)
  expect(thrown.code).toBe('BAD_INPUT')
  return thrown.message
}

async function startOf(given: StartOptions) {
  const run = await engine.start('a goal', { strategy: 'fractal', ...given })
  await run.outcome
  const [start] = await engine.events(run.id)
  if (start?.type !== 'run-start') throw new Error('the journal begins with something else')
  return start
}

describe('who is to solve what', () => {
  it('is recorded with the run', async () => {
    const given = {
      routes: [{ when: { kind: 'leaf' as const }, use: 'cot' }],
      fallbacks: { fractal: { strategy: 'tot', options: { beam: 2 } } },
      strategyOptions: { cot: { maxThoughts: 5 } },
    }
    expect((await startOf(given)).config).toMatchObject(given)
  })

  it('is not in the journal where nothing is said', async () => {
    const { config } = await startOf({ routes: [], fallbacks: {}, strategyOptions: {} })
    expect(Object.keys(config).sort()).toEqual(['model', 'promptTokens', 'thinkon'])
  })

  it.each<[what: string, given: unknown, said: string]>([
    ['an unknown strategy', { routes: [{ when: {}, use: 'nobody' }] }, 'routes[0].use: strategy "nobody" is'],
    ['a bad kind', { routes: [{ when: { kind: 'x' }, use: 'cot' }] }, 'routes[0].when.kind must be "leaf"'],
    [
      'a broken pattern',
      { routes: [{ when: { goal: '[' }, use: 'cot' }] },
      "routes[0].when.goal can't be used as a pattern",
    ],
    [
      'an unknown key',
      { routes: [{ when: {}, use: 'cot', uses: 1 }] },
      'unknown key "uses" in routes[0]: did you',
    ],
    ['no list', { routes: 'cot' }, 'routes must be a list of routes, not "cot"'],
    ['an unknown fallback', { fallbacks: { cot: 'nobody' } }, 'fallbacks.cot: strategy "nobody" is unknown'],
    [
      'options of nobody',
      { strategyOptions: { nobody: {} } },
      'strategyOptions.nobody: strategy "nobody" is unknown',
    ],
    [
      'an option that the routed strategy has not',
      { routes: [{ when: {}, use: { strategy: 'cot', options: { maxThougts: 3 } } }] },
      'routes[0].use.options: cot has no option "maxThougts" (did you mean "maxThoughts"?)',
    ],
    [
      'an option that the fallback has not',
      { fallbacks: { cot: { strategy: 'tot', options: { beam: 0 } } } },
      'fallbacks.cot.options: beam must be',
    ],
    [
      'an option that the strategy has not',
      { strategyOptions: { fractal: { odd: 1 } } },
      'strategyOptions.fractal: fractal has no option "odd"',
    ],
  ])('is refused with %s, and it is said where', async (_, given, said) => {
    expect(await problemOf(given as StartOptions)).toContain(said)
    expect((await engine.list()).filter(({ status }) => status === 'running')).toEqual([])
  })

  it('is refused with every problem at once', async () => {
    const routes = [{ when: { kind: 'x' }, use: 'nobody' }] as never
    const lines = (await problemOf({ routes, fallbacks: { cot: 'cot' } })).split('\n')
    expect(lines).toHaveLength(3)
  })
})

it('a strategy that there is not is refused with the one that was meant', async () => {
  const message = 'no strategy "fractl": did you mean "fractal"?'
  await expect(engine.start('a goal', { strategy: 'fractl' })).rejects.toMatchObject({
    code: 'NO_SUCH_STRATEGY',
    message,
  })
})

it('options that a strategy has read by a schema library are refused with what that says of each field', async () => {
  const options = z.object({ voices: z.number().min(1), tone: z.enum(['dry', 'warm']).optional() })
  const own = {
    name: 'own',
    version: 1,
    options: (given: object) => options.parse(given),
    solve: async () => '',
  }
  const starting = createEngine({ strategies: [own] }).start('a goal', {
    strategy: 'own',
    options: { voices: 0, tone: 'sad' },
  })
  const message = expect.stringMatching(/^own: voices: Too small.*; tone: Invalid option/)
  await expect(starting).rejects.toMatchObject({ code: 'BAD_INPUT', message })
})

describe("a strategy's options of the configuration", () => {
  it("are those of the run's own strategy, where the caller does not say otherwise", async () => {
    const strategyOptions = { fractal: { maxRepeats: 5, maxToolCalls: 2 }, cot: { maxThoughts: 5 } }
    const { options } = await startOf({ strategyOptions, options: { maxToolCalls: 7 } })
    expect(options).toEqual({ maxRepeats: 5, maxToolCalls: 7 })
  })

  it('limit the run as options do', async () => {
    const { limits } = await startOf({ strategyOptions: { fractal: { maxDepth: 2 } } })
    expect(limits.depth).toBe(2)
  })
})
