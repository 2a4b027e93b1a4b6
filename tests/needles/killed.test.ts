import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { solve } from './killed-program.ts'

it('a Think that is killed with SIGKILL in the middle of its conversation goes on with the same bytes', async () => {
  const expected = await inFolder(async (folder) => {
    await solve([folder])
    return requestsIn(folder)
  })
  expect(Object.values(expected).some((request) => request.includes('Earlier in this conversation'))).toBe(
    true,
  )
  for (const dieAt of ['6', '11', '17', '20']) {
    const requests = await inFolder(async (folder) => {
      const killed = spawnSync(process.execPath, [
        join(import.meta.dirname, 'killed-program.ts'),
        folder,
        dieAt,
      ])
      expect(killed.signal).toBe('SIGKILL')
      await solve([folder])
      return requestsIn(folder)
    })
    expect(requests, `killed after event ${dieAt}`).toEqual(expected)
  }
})

/** By step; one that was sent by both processes must be the same in both. */
function requestsIn(folder: string): Record<string, string> {
  const requests: Record<string, string> = {}
  for (const line of readFileSync(join(folder, 'requests.log'), 'utf8').trim().split('\n')) {
    const [step = ''] = line.split(' ', 1)
    expect(requests[step] ?? line).toBe(line)
    requests[step] = line
  }
  return requests
}

async function inFolder<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-killed-'))
  try {
    return await work(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
