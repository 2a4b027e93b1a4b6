// kill -9 between the requests that complete a reply which reached its cap: none of those that were paid is made again.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { execute, journal, solveHere } from './crash.ts'
import { PIECES } from './cut-program.ts'

const PROGRAM = 'cut-program.ts'

describe.each([
  ['prose', PIECES.join(''), ['0 100', '1 100', '2 100', '3 100']],
  ['value', '{"said":"all of it"}', ['0 100', '0 200', '0 400']],
])('K2: a reply that is completed (%s)', (what, result, requests) => {
  it('is paid for request by request', async () => {
    await inFolder(async (folder) => {
      const outcome = await solveHere(PROGRAM, [what, folder])
      expect(outcome).toMatchObject({ status: 'completed', result })
      expect(outcome.usage).toMatchObject({ calls: requests.length, outputTokens: 100 * requests.length })
      expect(partsOf(folder)).toHaveLength(requests.length)
      expect(asked(folder)).toEqual([requests])
    })
  })

  it.concurrent.for(requests.map((_, i) => i + 1))(
    'killed after request %i',
    { timeout: 60_000 },
    async (paid) => {
      await inFolder(async (folder) => {
        // run-start, block-start and model-start come first, and a start before each further part.
        await execute(PROGRAM, [what, folder, String(3 + paid + (paid - 1))])
        expect(partsOf(folder)).toHaveLength(paid)
        const outcome = await solveHere(PROGRAM, [what, folder])
        expect(outcome).toMatchObject({ status: 'completed', result })
        // None was under way.
        expect(outcome.usage).toMatchObject({ calls: requests.length, outputTokens: 100 * requests.length })
        expect(outcome.usage.lostTokens).toBeUndefined()
        expect(asked(folder)).toEqual([expect.anything(), requests.slice(paid)])
      })
    },
  )
})

async function inFolder(run: (folder: string) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-cut-'))
  try {
    await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function partsOf(folder: string) {
  return journal(folder).filter(({ type }) => type === 'part-end')
}

/** The requests of each process. */
function asked(folder: string): string[][] {
  const [, ...processes] = readFileSync(join(folder, 'effects.log'), 'utf8').split('--- process\n')
  return processes.map((lines) =>
    lines
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => line.replace('model ', '')),
  )
}
