import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import { ScriptedModel } from '../testing/index.ts'
import { fractal } from './fractal/index.ts'
import { embeddedKind, STRATEGIES, viewsOf, withOwn } from './registry.ts'
import { SHIPPED_VIEWS } from './shipped-views.ts'

const SRC = join(import.meta.dirname, '..')

it('a version stands once: the one of the description is what a run records', async () => {
  const model = new ScriptedModel([{ type: 'RETURN', description: 'done' }])
  const engine = createEngine({ model, strategies: [{ ...fractal, version: 7 }] })
  const run = await engine.start('x', { strategy: 'fractal' })
  await run.outcome
  const { strategy, blocks } = await engine.state(run.id)
  await engine.close()
  expect([strategy, blocks.get('1')?.strategy]).toEqual(['fractal@7', 'fractal@7'])
  for (const { load } of STRATEGIES.values()) expect(await load()).not.toHaveProperty('version')
})

it('each strategy has the same files; `minimal` writes what notes the model says', () => {
  const has = (folder: string, name: string) =>
    globSync(`${folder}/${name}{.ts,/*.ts,s/*.ts}`, { cwd: SRC }).length > 0
  // `closing` is what they share.
  const folders = globSync('strategies/*/', { cwd: SRC }).filter((folder) => basename(folder) !== 'closing')
  const missing = folders.flatMap((folder) =>
    ['index', 'strategy', 'prompts', 'schema', 'notes', 'view']
      .filter((name) => !has(folder, name))
      .map((name) => `${basename(folder)}: ${name}`),
  )
  expect(missing).toEqual(['minimal: notes'])
})

it('views and kinds of request are derived from the descriptions', async () => {
  expect(await viewsOf(STRATEGIES)).toEqual(SHIPPED_VIEWS)
  expect(await embeddedKind(STRATEGIES, 'fractal/think')).toMatchObject({ answer: expect.any(Function) })
  for (const unknown of ['fractal/x', 'x/think', 'x'])
    expect(await embeddedKind(STRATEGIES, unknown)).toBeUndefined()
})

it('a given strategy replaces one of the same name', () => {
  const own = { ...fractal, summary: 'mine' }
  expect(withOwn([own]).get('fractal')).toEqual({ ...own, load: expect.any(Function) })
  expect(withOwn([own]).size).toBe(STRATEGIES.size)
})

it('nothing of a strategy stands by name in the folders that serve all of them', () => {
  const named = new RegExp(`['"\`](?:${[...STRATEGIES.keys()].join('|')})(?:/[\\w-]+|@\\d+)['"\`]`)
  const files = globSync('{protocol,views,cli,engine,kernel,models,hosts,store,config}/**/*.ts', { cwd: SRC })
  const found = files
    .filter((file) => !file.endsWith('.test.ts'))
    .filter((file) =>
      named.test(readFileSync(join(SRC, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|\/\/.*/g, '')),
    )
  expect(found).toEqual([])
})
