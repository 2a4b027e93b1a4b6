import { spawn } from 'node:child_process'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as pause } from 'node:timers/promises'
import { expect, it } from 'vitest'

const LIMIT_MS = 4_000

it('a process that was stopped for longer than its limit of time goes on where it was', async () => {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'asleep-program.ts'), String(LIMIT_MS)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const said = async () => JSON.parse(String((await lines.next()).value))
  try {
    expect(await said()).toEqual({ asked: true })
    child.kill('SIGSTOP')
    await pause(LIMIT_MS + 1_000)
    child.kill('SIGCONT')
    child.stdin.write('go on\n')
    expect(await said()).toEqual({ status: 'completed', result: 'answered' })
  } finally {
    child.kill('SIGKILL')
  }
})
