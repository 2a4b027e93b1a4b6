import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { afterEach, expect, it } from 'vitest'
import { freshDatabase, queryDatabase } from '../postgres.ts'
import { type FakeProvider, startFakeProvider } from './fake-provider.ts'

let fake: FakeProvider | undefined
const processes: ChildProcess[] = []
afterEach(async () => {
  for (const { pid } of processes.splice(0)) if (pid !== undefined) kill(pid)
  await fake?.close()
})

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {
    // It has ended.
  }
}

/** Resolves with the number of calls that were answered. */
function start(database: string, count: number, prompt: string): { pid: number; answered: Promise<number> } {
  const script = new URL('./limited-process.ts', import.meta.url).pathname
  const child = spawn(process.execPath, [script, fake?.url ?? '', String(count), prompt], {
    env: { ...process.env, THINKON_POSTGRES: database },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  processes.push(child)
  let lines = 0
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    lines += text.split('answered').length - 1
  })
  const answered = new Promise<number>((resolve) => child.once('close', () => resolve(lines)))
  return { pid: child.pid as number, answered }
}

async function until(holds: () => Promise<boolean> | boolean): Promise<void> {
  while (!(await holds())) await delay(20)
}

it('never has more calls under way than the limit, over three processes, and gets back the slots of one that was killed', async () => {
  fake = await startFakeProvider(({ body }) =>
    JSON.stringify(body).includes('hang for ever')
      ? { hang: true }
      : { text: '{"do":"return","result":"x"}', slowMs: 2 },
  )
  const database = await freshDatabase()
  const waiting = async () => {
    const rows = await queryDatabase(database, 'SELECT FROM thinkon.slots WHERE given IS NULL')
    return rows.length
  }
  const killed = start(database, 6, 'hang for ever')
  await until(() => fake?.requests.length === 4)
  const others = [start(database, 20, 'answer'), start(database, 20, 'answer')]
  // Of each process as many wait in the database as there are slots, the rest in the process.
  await until(async () => (await waiting()) === 8)
  expect(fake.requests).toHaveLength(4)
  process.kill(killed.pid, 'SIGKILL')
  expect(await Promise.all(others.map(({ answered }) => answered))).toEqual([20, 20])
  expect(fake.requests).toHaveLength(44)
  expect(fake.open.most).toBe(4)
})
