import { type ChildProcess, fork, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createEngine } from '../../src/index.ts'

const HOLDER = join(import.meta.dirname, 'holder.ts')
const LOOKER = join(import.meta.dirname, 'looker.ts')

describe('a run has one owner', () => {
  let folder: string
  let store: string
  const children: ChildProcess[] = []

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'thinkon-owner-'))
    store = join(folder, 'runs.db')
  })

  afterEach(async () => {
    for (const child of children.splice(0)) {
      if (child.exitCode !== null || child.signalCode !== null) continue
      child.kill('SIGKILL')
      await once(child, 'exit')
    }
    rmSync(folder, { recursive: true, force: true })
  })

  it('refuses a second process while the first lives, and says whose it is', async () => {
    const first = await hold('start')
    const second = await hold('resume')
    expect(first.said).toBe('holding')
    expect(JSON.parse(second.said)).toMatchObject({
      code: 'RUN_LOCKED',
      message: expect.stringContaining(`process ${first.child.pid}`),
    })
  })

  it('refuses it also while the first is stopped, not dead', async () => {
    const first = await hold('start')
    first.child.kill('SIGSTOP')
    const second = await hold('resume')
    expect(JSON.parse(second.said).code).toBe('RUN_LOCKED')
    first.child.kill('SIGCONT')
  })

  it('takes the run over when the first is dead, and the journal says so', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const second = await hold('resume')
    expect(second.said).toBe('holding')
    const engine = createEngine({ store })
    const types = async () => [...(await engine.events('held'))].map((event) => event.type)
    await expect.poll(types).toContain('run-resume')
    await engine.close()
  })

  it('lets only one of several take over a dead one', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const said = (await Promise.all([hold('resume'), hold('resume'), hold('resume')])).map((one) => one.said)
    expect(said.filter((line) => line === 'holding')).toHaveLength(1)
    for (const line of said.filter((other) => other !== 'holding'))
      expect(JSON.parse(line).code).toBe('RUN_LOCKED')
  })

  it('who looks at a dead one is not taken for it', async () => {
    const first = await hold('start')
    first.child.kill('SIGKILL')
    await once(first.child, 'exit')
    const owner = (readdirSync(folder).find((name) => name.includes('.owner-')) as string).split('.owner-')[1]
    const lookers = [1, 2].map(() =>
      fork(LOOKER, [store, owner as string], { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] }),
    )
    children.push(...lookers)
    await Promise.all(lookers.map((looker) => once(looker.stdout as NodeJS.ReadableStream, 'data')))
    const engine = createEngine({ store })
    const owned: boolean[] = []
    for (let looks = 0; looks < 200; looks++) owned.push(...(await engine.list()).map((row) => row.owned))
    expect(new Set(owned)).toEqual(new Set([false]))
    await engine.close()
    for (const looker of lookers) {
      looker.send('how often was it alive?')
      expect((await once(looker, 'message'))[0]).toBe(0)
    }
    expect((await hold('resume')).said).toBe('holding')
  })

  it('refuses a second engine in the same process too', async () => {
    const hanging = { id: 'never', call: () => new Promise<never>(() => {}) }
    const one = createEngine({ model: hanging, store })
    const other = createEngine({ model: hanging, store })
    await one.start('a run that is held', { id: 'held' })
    await expect(other.resume('held')).rejects.toMatchObject({ code: 'RUN_LOCKED' })
    await one.close()
    await expect(other.resume('held')).resolves.toMatchObject({ id: 'held' })
    await other.close()
  })

  it('leaves no lock file behind when it closes', async () => {
    const engine = createEngine({ store })
    await (await engine.start('1 + 2')).cancel()
    await engine.close()
    expect(readdirSync(folder).filter((name) => name.includes('owner'))).toEqual([])
  })

  async function hold(verb: 'start' | 'resume'): Promise<{ child: ChildProcess; said: string }> {
    const child = spawn(process.execPath, [HOLDER, store, verb, 'held'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    children.push(child)
    const [data] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    return { child, said: String(data).trim() }
  }
})
