// What a workspace remembers is found by its meaning, where an embedding model is there; without one, and whenever it is of no
// use, by its words.

import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type BuiltinToolsOptions, builtinTools } from '../../src/index.ts'
import { type EmbeddingTrouble, startFakeEmbeddings } from '../models/fake-embeddings.ts'
import { type DualRun, finish, newWorkspace, plan, solveDual } from './dual-runs.ts'

const KITTEN = 'The kitten gets milk at noon.'
const CAR = 'An automobile stands in the yard.'
const memories = [KITTEN, CAR].map((text) => ({ text, kind: 'fact', importance: 0.9 }))

const saves = {
  'dual/plan': [plan('look around')],
  'dual/decide': [finish('seen', { memories })],
  'dual/summarize': [{ result: 'all done' }],
}

const searches = (query: string) => ({
  'dual/plan': [plan('answer it')],
  'dual/decide': [
    { action: 'knowledge_enhance', human_readable_thought: 'What is known?', query },
    finish('found'),
  ],
  'dual/summarize': [{ result: 'all done' }],
})

function solve(
  workspace: string,
  script: object,
  embedding?: BuiltinToolsOptions['embedding'],
  memory: BuiltinToolsOptions['memory'] = {},
) {
  const tools = builtinTools({ workspace, only: [], memory, ...(embedding !== undefined && { embedding }) })
  return solveDual('a goal', script as never, { workspace, engine: { tools } })
}

interface Searched {
  items: { text: string }[]
  wordsOnly?: string
}

/** What the search of the memory came to, as the journal has it. */
function searched({ events }: DualRun): { texts: string[]; wordsOnly: string | undefined } {
  let asked: { path: string; n: number } | undefined
  let value: unknown
  for (const event of events) {
    if (event.type === 'tool-start' && event.name === 'memory__search') asked = event
    if (event.type === 'tool-end' && event.path === asked?.path && event.n === asked.n && event.result.ok)
      value = event.result.value
  }
  if (value === undefined) throw new Error('the memory was not searched')
  const { items, wordsOnly } = value as Searched
  return { texts: items.map(({ text }) => text), wordsOnly }
}

async function server(trouble?: EmbeddingTrouble) {
  const fake = await startFakeEmbeddings(trouble)
  onTestFinished(() => fake.close())
  return { ...fake, spec: `${fake.url}#small` }
}

function vectorNames(workspace: string): unknown[] {
  const database = new DatabaseSync(join(workspace, '.thinkon/memory.db'), { readOnly: true })
  const rows = database.prepare('SELECT DISTINCT model FROM vectors').all()
  database.close()
  return rows.map(({ model }) => model)
}

describe('a memory that one run saved', () => {
  it('is found by another that has no word in common with it, but for the meaning', async () => {
    const workspace = newWorkspace()
    const { spec, close } = await server()
    const first = await solve(workspace, saves, spec)
    expect(first.outcome.status).toBe('completed')
    expect(vectorNames(workspace)).toEqual([spec])
    expect(searched(await solve(workspace, searches('feline'), spec)).texts).toEqual([KITTEN])
    expect(searched(await solve(workspace, searches('汽车'), spec)).texts).toEqual([CAR])
    // Words alone don't find it.
    expect(searched(await solve(workspace, searches('feline'))).texts).toEqual([])
    await close()
    const down = await solve(workspace, searches('feline, milk'), spec)
    expect(down.outcome.status).toBe('completed')
    expect(searched(down)).toEqual({ texts: [KITTEN], wordsOnly: expect.stringContaining(`${spec}: `) })
  })

  it('while the server was down is found by words, and by meaning after a later search', async () => {
    const workspace = newWorkspace()
    expect((await solve(workspace, saves, 'http://127.0.0.1:9/v1#small')).outcome.status).toBe('completed')
    const { spec } = await server()
    expect(searched(await solve(workspace, searches('milk'), spec)).texts).toEqual([KITTEN])
    // The search of the run above had the missing vectors made.
    expect(searched(await solve(workspace, searches('feline'), spec)).texts).toEqual([KITTEN])
  })

  it('is compared only with vectors of the same model', async () => {
    const workspace = newWorkspace()
    const { url } = await server()
    await solve(workspace, saves, `${url}#one`)
    expect(searched(await solve(workspace, searches('feline'), `${url}#other`)).texts).toEqual([])
  })
})

it.each<[what: string, trouble: EmbeddingTrouble]>([
  ['refuses', { status: 429 }],
  ['is slower than a load waits', { delayMs: 1_000 }],
])('a run goes on by words when the server %s', async (_, trouble) => {
  const workspace = newWorkspace()
  await solve(workspace, saves)
  const { spec } = await server(trouble)
  const script = { ...saves, 'dual/plan': [plan('give milk to the kitten')] }
  // On a busy machine the load would be late by itself: its clock stands still.
  const now = Date.now()
  const run = await solve(workspace, script, spec, { nowMs: () => now })
  expect(run.outcome.status).toBe('completed')
  expect(run.prompts('dual/decide')[0]).toContain(KITTEN)
  expect(run.notes('dual/memory-late')).toEqual([])
})

it('a run goes on by words when the model can’t be opened, and says so on record', async () => {
  const workspace = newWorkspace()
  const embedding = { model: 'anthropic:none' }
  await solve(workspace, saves, embedding)
  expect(searched(await solve(workspace, searches('milk'), embedding))).toEqual({
    texts: [KITTEN],
    wordsOnly: expect.stringContaining('can\'t use the embedding model "anthropic:none"'),
  })
})

it('a function of one’s own embeds as well', async () => {
  const workspace = newWorkspace()
  const embedding = async (texts: readonly string[]) =>
    texts.map((text) => (/kitten|feline/.test(text) ? [1, 0] : [0, 1]))
  await solve(workspace, saves, embedding)
  expect(searched(await solve(workspace, searches('feline'), embedding)).texts).toEqual([KITTEN])
})
