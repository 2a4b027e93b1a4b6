// How strategies and their options are typed by name. Compiled in a project that has installed the tarball, and here; never run.
import {
  createEngine,
  defineConfig,
  type Engine,
  type OptionsOf,
  type StartOptions,
  type Strategy,
  type StrategyName,
  solve,
} from 'thinkon'
import { defineStrategy, dualEngine, treeOfThoughts } from 'thinkon/strategies'
import { expectTypeOf } from 'vitest'

declare module 'thinkon' {
  interface StrategyRegistry {
    declared: { height?: number }
  }
}

interface MineOptions {
  width: number
  tone: 'short' | 'long'
}

const mine = {
  name: 'mine',
  version: 1,
  options: (given): MineOptions => ({ width: 1, tone: 'short', ...given }),
  solve: async ({ options }) => `${options.width}`,
} as const satisfies Strategy<MineOptions>

export async function compiles(anyName: string, given: StartOptions) {
  const engine = createEngine()
  const own = createEngine({ strategies: [mine] })

  await engine.start('goal', { strategy: 'tot', options: { beam: 3, search: 'BFS' } })
  await engine.start('goal', { options: { options: { tot: { beam: 3 } } } })
  await engine.start('goal', { strategy: anyName, options: { anything: 1 } })
  await engine.start('goal', { strategy: 'another', options: { anything: 1 } })
  await own.start('goal', { strategy: 'mine', options: { width: 3 } })
  await own.start('goal', { strategy: 'tot', options: { beam: 3 } })
  await solve('goal', { strategies: [mine], strategy: 'mine', options: { tone: 'long' } })
  await createEngine({
    strategies: [
      {
        name: 'inline',
        version: 1,
        options: ({ width }) => ({ width: Number(width ?? 1) }),
        solve: async (context) => context.path,
      },
    ],
  }).start('goal', { strategy: 'inline', options: { width: 3 } })
  await solve('goal', { strategy: 'dual', options: { review: 'ai', concurrency: 2 } })
  // Options that were put together elsewhere.
  await engine.start('goal', given)
  await own.start('goal', given)
  await own.start('goal', { ...given, strategy: 'tot' })
  await solve('goal', given)
  const every: Engine = own
  const none: Engine = engine
  await every.start('goal', { strategy: 'mine', options: { width: 'any' } })

  // @ts-expect-error no such option
  await engine.start('goal', { strategy: 'tot', options: { beem: 3 } })
  // @ts-expect-error an option of another strategy
  await engine.start('goal', { strategy: 'cot', options: { beam: 3 } })
  // @ts-expect-error of the wrong type
  await engine.start('goal', { strategy: 'tot', options: { beam: '3' } })
  // @ts-expect-error not one of the values
  await engine.start('goal', { strategy: 'tot', options: { search: 'bfs' } })
  // @ts-expect-error the default strategy has no such option
  await engine.start('goal', { options: { beam: 3 } })
  // @ts-expect-error set by the strategy itself
  await engine.start('goal', { strategy: 'planner', options: { start: {} } })
  // @ts-expect-error set by the strategy itself
  await engine.start('goal', { strategy: 'dual', options: { nested: true } })
  // @ts-expect-error an own strategy's option, mistyped
  await own.start('goal', { strategy: 'mine', options: { witdh: 3 } })
  // @ts-expect-error an own strategy's option of the wrong type
  await own.start('goal', { strategy: 'mine', options: { tone: 'medium' } })
  // @ts-expect-error also of an engine that one knows nothing about
  await every.start('goal', { strategy: 'tot', options: { beem: 3 } })
  // @ts-expect-error in solve as well
  await solve('goal', { strategies: [mine], strategy: 'mine', options: { tone: 'medium' } })
  // @ts-expect-error in solve as well
  await solve('goal', { strategy: 'tot', options: { beem: 3 } })
  return none
}

export async function routesCompile() {
  const engine = createEngine()
  const own = createEngine({ strategies: [mine] })
  await engine.start('goal', {
    routes: [
      { when: { kind: 'search' }, use: 'tot' },
      { when: {}, use: { strategy: 'tot', options: { beam: 3 } } },
    ],
    fallbacks: { cot: 'fractal', tot: { strategy: 'cot', options: { maxThoughts: 3 } } },
    strategyOptions: { tot: { beam: 3 } },
  })
  await own.start('goal', {
    routes: [{ when: {}, use: { strategy: 'mine', options: { width: 3 } } }],
    fallbacks: { mine: 'tot', tot: { strategy: 'mine' } },
    strategyOptions: { mine: { tone: 'long' } },
  })
  // @ts-expect-error no such option
  await engine.start('goal', { routes: [{ when: {}, use: { strategy: 'tot', options: { beem: 3 } } }] })
  // @ts-expect-error no such option
  await engine.start('goal', { fallbacks: { cot: { strategy: 'tot', options: { beem: 3 } } } })
  // @ts-expect-error no such option
  await engine.start('goal', { strategyOptions: { tot: { beem: 3 } } })
  // @ts-expect-error no such strategy
  await engine.start('goal', { strategyOptions: { tott: { beam: 3 } } })
  // @ts-expect-error no such option of an own one
  await own.start('goal', { strategyOptions: { mine: { witdh: 3 } } })
  // @ts-expect-error no such option of an own one
  await own.start('goal', { routes: [{ when: {}, use: { strategy: 'mine', options: { witdh: 3 } } }] })
}

const defined = defineStrategy({
  name: 'defined',
  version: 1,
  options: ({ width = 1 }) => ({ width: Number(width) }),
  async solve(context) {
    expectTypeOf(context.options).toEqualTypeOf<{ width: number }>()
    await context.one(context.call('part', { strategy: 'tot', options: { beam: 3 } }))
    await context.one(context.call('part', { options: { anything: 1 } }))
    await context.one(context.call('part', { strategy: 'declared', options: { height: 3 } }))
    // @ts-expect-error no such option
    await context.one(context.call('part', { strategy: 'tot', options: { beem: 3 } }))
    return 'done'
  },
})

// @ts-expect-error without a version
export const incomplete = () => defineStrategy({ name: 'x', options: () => ({}), solve: async () => '' })

export async function ownOnes() {
  const engine = createEngine({
    strategies: [defined, treeOfThoughts({ name: 'wide' }), dualEngine({ name: 'calm' })],
  })
  await engine.start('goal', { strategy: 'defined', options: { width: 3 } })
  await engine.start('goal', { strategy: 'wide', options: { beam: 3 } })
  await engine.start('goal', { strategy: 'calm', options: { review: 'ai' } })
  await engine.start('goal', { strategy: 'declared', options: { height: 3 } })
  // @ts-expect-error no such option
  await engine.start('goal', { strategy: 'defined', options: { witdh: 3 } })
  // @ts-expect-error no such option
  await engine.start('goal', { strategy: 'wide', options: { beem: 3 } })
  // @ts-expect-error not one of the values
  await engine.start('goal', { strategy: 'calm', options: { review: 'maybe' } })
  // @ts-expect-error no such option
  await engine.start('goal', { strategy: 'declared', options: { heigth: 3 } })
  // @ts-expect-error not one of the values
  treeOfThoughts({ options: { search: 'bfs' } })
}

export const configs = [
  defineConfig({ strategy: 'tot', options: { tot: { beam: 3 } }, fallbacks: { tot: 'cot' } }),
  defineConfig({ strategies: [defined], options: { defined: { width: 3 } } }),
  // What a file has is not known.
  defineConfig({ strategies: ['./mine.ts'], options: { mine: { any: 1 } }, fallbacks: { mine: 'tot' } }),
  // @ts-expect-error no such option
  defineConfig({ options: { tot: { beem: 3 } } }),
  // @ts-expect-error no such strategy
  defineConfig({ options: { tott: { beam: 3 } } }),
  // @ts-expect-error no such option
  defineConfig({ strategies: [defined], options: { defined: { witdh: 3 } } }),
]

export function names() {
  expectTypeOf<'tot'>().toExtend<NonNullable<StartOptions['strategy']>>()
  expectTypeOf<string>().toExtend<NonNullable<StartOptions['strategy']>>()
  // Not plain text: then nothing would be completed.
  expectTypeOf<StrategyName>().not.toEqualTypeOf<string>()
  expectTypeOf<OptionsOf<'tot'>['beam']>().toEqualTypeOf<number | undefined>()
}
