import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { holdFolder } from './dev-folder.ts'
import { type Guarded, startGuarded } from './guarded.ts'
import { supervise } from './supervise.ts'

const folder = mkdtempSync(join(tmpdir(), 'thinkon-supervise-'))
afterAll(() => rmSync(folder, { recursive: true }))

const sleeper = () => startGuarded({ command: ['sleep', '1000'], folder, env: process.env })

async function pidOf(guarded: Guarded): Promise<number> {
  for (;;) {
    const pid = guarded.pid()
    if (pid !== undefined) return pid
    await pause(5)
  }
}

test('what is killed is started again, until it is released', async () => {
  const said: string[] = []
  const started: Guarded[] = []
  const { release } = await supervise({
    say: (line) => said.push(line),
    async start() {
      const one = await sleeper()
      started.push(one)
      return one
    },
  })
  process.kill(await pidOf(started[0] as Guarded), 'SIGKILL')
  while (started.length < 2) await pause(5)
  expect(said).toEqual(['has ended (signal 9), and is started again'])
  await release()
  await started[1]?.end('TERM')
  await pause(300)
  expect(started).toHaveLength(2)
})

test('a part that does not start again is tried again, and says why', async () => {
  const said: string[] = []
  let starts = 0
  let end = () => {}
  const { release } = await supervise({
    say: (line) => said.push(line),
    async start() {
      starts++
      if (starts === 2) throw new Error('the port is taken')
      return {
        ended: new Promise<void>((resolve) => {
          end = resolve
        }),
      }
    },
  })
  end()
  while (starts < 3) await pause(5)
  expect(said).toEqual(['has ended, and is started again', 'the port is taken'])
  await release()
})

test('one that was left behind is ended at the next start, and nobody else', async () => {
  const first = await sleeper()
  const pid = await pidOf(first)
  const second = await sleeper()
  expect(await first.ended).toBe(137)
  await second.end('TERM')
  expect(pid).not.toBe(second.pid())
  // The number is another's by now: it does not work in this folder.
  writeFileSync(join(folder, 'process.pid'), `${process.pid}\n`)
  const third = await sleeper()
  await third.end('KILL')
})

test('a second cluster in the same folder is refused', () => {
  const release = holdFolder(folder)
  expect(() => holdFolder(folder)).toThrow(`(process ${process.pid})`)
  release()
  holdFolder(folder)()
  expect(readFileSync(join(folder, 'pid'), 'utf8')).toBe(`${process.pid}\n`)
})
