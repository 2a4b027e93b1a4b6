import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { createEngine } from '../engine.ts'
import { memoryStore } from '../store/memory.ts'
import { crashAt } from './crash.ts'
import { ScriptedModel } from './scripted-model.ts'

const MOVES = [
  { do: 'plan', todo: ['one'] },
  { do: 'return', result: 'done' },
]

describe('a crash at the n-th event', () => {
  it('commits that event, tells of a crash, and lets another process go on', async () => {
    const inner = memoryStore()
    const model = new ScriptedModel(MOVES)
    const crashing = crashAt(inner, 4)
    const engine = createEngine({ model, store: crashing })
    const run = await engine.start('a goal', { id: 'r', strategy: 'minimal' })
    await expect(run.outcome).rejects.toThrow('a simulated crash')
    expect(crashing.crashed).toBe(true)
    expect([...inner.read('r')].length).toBeGreaterThanOrEqual(4)
    expect(() => crashing.send('r', '1', 'answer', 1)).toThrow('a simulated crash')
    await engine.close()
    const again = createEngine({ model, store: inner })
    expect((await (await again.resume('r')).outcome).result).toBe('done')
    model.assertComplete()
  })

  it('never comes by itself unless it is told when', async () => {
    const store = crashAt(memoryStore())
    const engine = createEngine({ model: new ScriptedModel(MOVES), store })
    expect((await (await engine.start('a goal', { strategy: 'minimal' })).outcome).status).toBe('completed')
    expect(store.crashed).toBe(false)
    store.crash()
    expect(store.crashed).toBe(true)
  })

  it('kills the process when that is wanted', () => {
    const testing = new URL('./index.ts', import.meta.url).href
    const memory = new URL('../store/memory.ts', import.meta.url).href
    const script = `
      const { crashAt } = await import('${testing}')
      const { memoryStore } = await import('${memory}')
      crashAt(memoryStore(), 1, { how: 'kill' }).crash()
      await new Promise((resolve) => setTimeout(resolve, 5000))
      console.log('still here')`
    const ended = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
    expect([ended.signal, ended.stdout]).toEqual(['SIGKILL', ''])
  })
})
