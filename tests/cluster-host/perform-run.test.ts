// `performRun` is all that an engine has to call, in any number of processes at once.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { cluster, type RunPerformer, runPerformer } from '../../src/cluster.ts'
import { createEngine, type Engine } from '../../src/index.ts'
import type { Ephemeral, Event } from '../../src/protocol/index.ts'
import { freshDatabase } from '../postgres.ts'
import { effectsOn, readEffects, strategiesOf } from './effects.ts'

let postgres: string
let folder: string
let log: string
let engine: Engine
const performers: RunPerformer[] = []

beforeEach(async () => {
  postgres = await freshDatabase()
  folder = mkdtempSync(join(tmpdir(), 'thinkon-perform-'))
  log = join(folder, 'effects.log')
  const strategies = strategiesOf() as never
  engine = createEngine({ ...effectsOn(null), strategies, host: cluster({ postgres }) }) as Engine
})

afterEach(async () => {
  await engine.close()
  for (const performer of performers.splice(0)) await performer.close()
  rmSync(folder, { recursive: true })
})

/** As in a process of its own. */
async function open(): Promise<RunPerformer> {
  const strategies = strategiesOf() as never
  const performer = await runPerformer({ postgres, restAfterMs: 20, ...effectsOn(log), strategies })
  performers.push(performer)
  return performer
}

async function start(id: string, strategy: 'asks' | 'chain', options = {}): Promise<void> {
  await engine.start(`goal of ${id}`, { id, strategy, options } as never)
}

const begun = () => readEffects(log).filter(({ what }) => what === 'begin').length

it('executes a run to its end; a second caller waits for the same outcome', async () => {
  await start('run-1', 'chain', { steps: 2, ms: 50 })
  const [one, two] = [await open(), await open()]
  const first = one.performRun('run-1')
  await expect.poll(begun).toBeGreaterThan(0)
  const [ended, joined] = await Promise.all([first, two.performRun('run-1')])
  expect(ended).toMatchObject({ how: 'ended', outcome: { result: '2 steps, 0 interrupted' } })
  expect(joined).toEqual(ended)
  expect(begun()).toBe(6)
  expect(await two.performRun('run-1')).toEqual(ended)
})

it('resolves when the run rests, and goes on with the answer', async () => {
  await start('run-1', 'asks')
  const performer = await open()
  expect(await performer.performRun('run-1')).toEqual({ how: 'rests' })
  await engine.answer('run-1', 'yes')
  expect(await performer.performRun('run-1')).toMatchObject({ how: 'ended', outcome: { result: 'yes ok' } })
})

it('hands the run over when its signal aborts; a caller that waits takes it', async () => {
  await start('run-1', 'chain', { steps: 3, ms: 100 })
  const [one, two] = [await open(), await open()]
  const stop = new AbortController()
  const first = one.performRun('run-1', { signal: stop.signal })
  await expect.poll(begun).toBeGreaterThan(1)
  const second = two.performRun('run-1')
  stop.abort()
  expect(await first).toEqual({ how: 'handed-over' })
  expect(await second).toMatchObject({ how: 'ended', outcome: { result: '3 steps, 0 interrupted' } })
  // The call that was under way was recorded: nothing began twice.
  expect(begun()).toBe(9)
})

it('takes the run over when the process that owns it is gone', async () => {
  await start('run-1', 'chain', { steps: 2, ms: 200 })
  const [one, two] = [await open(), await open()]
  const first = one.performRun('run-1').catch(() => null)
  await expect.poll(begun).toBeGreaterThan(0)
  const second = two.performRun('run-1')
  await one.close()
  await first
  expect(await second).toMatchObject({ how: 'ended', outcome: { status: 'completed' } })
})

it('passes text on to those who follow the run, between the start and the end of its step', async () => {
  const told: string[] = []
  const run = await engine.start('goal', {
    id: 'run-1',
    strategy: 'chain',
    options: { steps: 1, ms: 300 },
    onEvent: (event: Event | Ephemeral) => told.push(event.type === 'text-delta' ? event.text : event.type),
  } as never)
  await (await open()).performRun('run-1')
  await run.outcome
  const inOrder = told.filter((one) => ['model-start', 'half ', 'model-end'].includes(one))
  expect(inOrder).toEqual(['model-start', 'half ', 'model-end'])
})
