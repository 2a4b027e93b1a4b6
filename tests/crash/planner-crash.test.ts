// kill -9 while an executor's command runs, and after its reply is recorded: it is never run a second time unseen.
import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type Event, messageText, type Outcome } from '../../src/protocol/index.ts'
import { until } from '../conformance/async.ts'
import { execute, journal, solveHere } from './crash.ts'

const PROGRAM = 'planner-program.ts'
const INTERRUPTED = 'it was interrupted, and may or may not have happened'

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'thinkon-planner-crash-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 300 }))
  return folder
}

function timesBegun(folder: string): number {
  const log = join(folder, 'work/ran.log')
  return existsSync(log) ? readFileSync(log, 'utf8').split('began').length - 1 : 0
}

async function toItsEnd(folder: string): Promise<{ outcome: Outcome; events: Event[] }> {
  return { outcome: await solveHere(PROGRAM, [folder]), events: journal(folder) }
}

/** What the Planner was told since the run was gone on with. */
function toldSince(events: readonly Event[]): string {
  const resumed = events.findIndex((event) => event.type === 'run-resume')
  return events
    .slice(resumed)
    .flatMap((event) =>
      event.type === 'model-start' && event.request.kind === 'planner/plan'
        ? event.request.messages.map(messageText)
        : [],
    )
    .join('\n')
}

describe('a command of the planner', () => {
  it('that runs when the process is killed is not run again: the Planner is told that it was interrupted', async () => {
    const folder = makeFolder()
    const child = spawn(process.execPath, [join(import.meta.dirname, PROGRAM), folder], { stdio: 'ignore' })
    const gone = new Promise((resolve) => child.on('exit', (_, signal) => resolve(signal)))
    await until(() => timesBegun(folder) === 1, 'the command has begun')
    child.kill('SIGKILL')
    expect(await gone).toBe('SIGKILL')
    const before = journal(folder)
    expect(before.at(-1)).toMatchObject({ type: 'tool-start', path: '1-1' })

    const { outcome, events } = await toItsEnd(folder)
    expect(timesBegun(folder), 'how often the command began').toBe(1)
    const [tool] = events.filter((event) => event.type === 'tool-end')
    expect(tool).toMatchObject({ path: '1-1', result: { ok: false, error: { code: 'INTERRUPTED' } } })
    expect(toldSince(events)).toContain(INTERRUPTED)
    // The very same command was refused, a look at what is there was not.
    expect(outcome).toMatchObject({ status: 'completed', violations: { REPEATS_FAILED_BLOCK: 1 } })
    expect(events.filter((event) => event.type === 'block-start').map(({ goal }) => goal)).toEqual([
      'run the slow command',
      'run it',
      'look what is there',
    ])
  })

  it('whose reply is recorded is not run again, whatever comes next when the process is killed', async () => {
    const whole = makeFolder()
    const { outcome, events } = await toItsEnd(whole)
    expect(outcome.status).toBe('completed')
    const ended = events.find((event) => event.type === 'tool-end')?.seq as number
    const archived = events.find((event) => event.type === 'done-add')?.seq as number
    expect(archived).toBeGreaterThan(ended)
    const kills = Array.from({ length: archived - ended + 1 }, (_, i) => ({
      seq: ended + i,
      folder: makeFolder(),
    }))
    await Promise.all(
      kills.map(async ({ seq, folder }) => {
        await execute(PROGRAM, [folder, String(seq)])
        expect(journal(folder).length, `killed at ${seq}`).toBeGreaterThanOrEqual(seq)
        const after = await toItsEnd(folder)
        expect(timesBegun(folder), `how often it ran, killed at ${seq}`).toBe(1)
        expect(after.outcome).toMatchObject({ status: 'completed', result: outcome.result })
        expect(toldSince(after.events)).not.toContain(INTERRUPTED)
      }),
    )
  }, 60_000)

  it('that may have begun when the process was killed is told of, too', async () => {
    const whole = makeFolder()
    const { events } = await toItsEnd(whole)
    const begun = events.find((event) => event.type === 'tool-start')?.seq as number
    const folder = makeFolder()
    await execute(PROGRAM, [folder, String(begun)])
    const after = await toItsEnd(folder)
    expect(timesBegun(folder), 'it was killed before it could begin').toBe(0)
    expect(toldSince(after.events)).toContain(INTERRUPTED)
    expect(after.outcome.status).toBe('completed')
  }, 30_000)
})
