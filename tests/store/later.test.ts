// Whatever an engine does on a store that answers at once, it does on one whose answers come later.
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { createEngine } from '../../src/engine.ts'
import type { Context } from '../../src/kernel/strategy.ts'
import { memoryStore } from '../../src/store/memory.ts'
import { ScriptedModel } from '../../src/testing/index.ts'
import { violations } from '../conformance/invariants.ts'
import { request, strategyOf } from '../conformance/kernel/lab.ts'
import { later } from '../conformance/later.ts'

/** Two children, one after the other, each of which asks the model. */
const parent = strategyOf('parent', async (context: Context) => {
  const results: string[] = []
  for (const goal of ['first', 'second']) {
    const [child] = await context.all([context.call(goal, { strategy: 'child' })])
    results.push(child?.ok ? child.value.result : 'none')
  }
  return results.join(' ')
})

const child = strategyOf('child', async (context: Context) => {
  const [reply] = await context.all([context.model(request('child/say'))])
  return reply?.ok ? reply.value.text : 'none'
})

function open(replies: readonly string[] = ['one', 'two', 'three', 'four']) {
  const store = later(memoryStore())
  const engine = createEngine({ store, model: new ScriptedModel([...replies]), strategies: [parent, child] })
  onTestFinished(() => engine.close())
  return engine
}

it('a run is started, streamed, shown, replayed and listed', async () => {
  const engine = open()
  const run = await engine.start('a goal', { strategy: 'parent' })
  const seen: unknown[] = []
  for await (const event of run.events) seen.push(event)
  expect((await run.outcome).result).toBe('one two')
  const events = [...(await engine.events(run.id))]
  expect(seen).toEqual(events)
  expect(violations(events)).toEqual([])
  expect([...(await engine.events(run.id, 2, 3))]).toEqual(events.slice(1, 3))
  expect(await engine.state(run.id)).toMatchObject({ status: 'completed', usage: { calls: 2 } })
  expect((await engine.outline(run.id)).outcome?.result).toBe('one two')
  expect((await engine.replay(run.id)).differences).toEqual([])
  expect(await engine.list()).toMatchObject([{ id: run.id, status: 'completed' }])
  expect(await engine.count()).toBe(1)
  await expect(engine.state(`${run.id.slice(0, -1)}_`)).rejects.toMatchObject({
    message: expect.stringContaining(`did you mean "${run.id}"`),
  })
})

it('a run is forked, and a block of it redone, also when it must be as it was', async () => {
  const engine = open()
  const run = await engine.start('a goal', { strategy: 'parent' })
  await run.outcome
  const end = [...(await engine.events(run.id))].find(
    ({ type, path }) => type === 'block-end' && path === '1-1',
  )
  const fork = await engine.fork(run.id, end?.seq ?? 0, undefined, { strict: true })
  expect((await (await engine.resume(fork, { strict: true })).outcome).result).toBe('one three')
  const redone = await engine.redo(run.id, '1-2', 'again', { strict: true })
  expect((await (await engine.resume(redone)).outcome).result).toBe('one four')
})

it('a run is exported and imported, deleted and pruned', async () => {
  const engine = open()
  const run = await engine.start('a goal', { strategy: 'parent' })
  await run.outcome
  const file: string[] = []
  for await (const line of await engine.export(run.id)) file.push(line)
  expect(await engine.import(file)).toMatchObject({ run: run.id, existed: true })
  expect(await engine.import(file, { as: 'copy' })).toMatchObject({ run: 'copy', existed: false })
  expect((await engine.replay('copy')).differences).toEqual([])
  await engine.delete(run.id)
  expect((await engine.prune({ keep: 0 })).runs).toMatchObject([{ id: 'copy' }])
  expect(await engine.count()).toBe(0)
})

it('a value is checked by the schema that was given, and again when the run is resumed', async () => {
  const engine = open(['tea', 'coffee'])
  const output = z.string().transform((text) => text.length)
  const run = await engine.start('a goal', { strategy: 'child', output })
  expect(await run.outcome).toMatchObject({ status: 'completed', value: 3 })
  expect((await (await engine.resume(run.id, { output })).outcome).value).toBe(3)
  const other = await engine.start('a goal', { strategy: 'child' })
  await other.outcome
  await expect(engine.resume(other.id, { output })).rejects.toThrow('was started without an output')
})

it('what is left out of a request is read from the journal', async () => {
  const reader = strategyOf('reader', async (context: Context) => {
    await context.all([context.call('first', { strategy: 'child' })])
    const [read] = await context.all([context.tool('read_result', { ref: '1-1' })])
    return JSON.stringify(read)
  })
  const store = later(memoryStore())
  const engine = createEngine({ store, model: new ScriptedModel(['the text']), strategies: [reader, child] })
  onTestFinished(() => engine.close())
  const run = await engine.start('a goal', { strategy: 'reader' })
  expect((await run.outcome).result).toContain('the text')
})

it('the files of a run are written when its outcome is there', async () => {
  const workspace = mkdtempSync(join(tmpdir(), 'thinkon-later-'))
  onTestFinished(() => rmSync(workspace, { recursive: true, force: true }))
  const engine = createEngine({ store: later(memoryStore()) })
  const told: string[] = []
  const run = await engine.start('Use 4 6 7 8 to make 24', {
    strategy: 'tot',
    workspace,
    onEvent: (event) => void (event.type === 'folder-written' && told.push(event.folder)),
  })
  await run.outcome
  expect(told).toHaveLength(1)
  expect(readdirSync(told[0] ?? '')).not.toEqual([])
  await engine.close()
})
