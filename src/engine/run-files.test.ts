import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TASK_ID, walk } from '../../tests/views/game24-walk.ts'
import { journal } from '../../tests/views/journal.ts'
import type { Event } from '../protocol/index.ts'
import { SHIPPED_VIEWS } from '../strategies/shipped-views.ts'
import { fileFold } from './run-files.ts'

let workspace: string
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'thinkon-logs-'))
})
afterEach(() => rmSync(workspace, { recursive: true, force: true }))

/** A process that sees the events from `from` on; the journal has those before, too. */
async function watch(
  events: readonly Event[],
  from = 0,
  until = events.length,
  more: object = {},
): Promise<unknown[]> {
  let seen = from
  const journal = () => events.slice(0, seen)
  const source = {
    workspace,
    events: journal,
    openEvents: async (follow: (event: Event) => void) => journal().forEach(follow),
    ...more,
  }
  const view = fileFold(source, SHIPPED_VIEWS)
  const written: unknown[] = []
  for (; seen < until; ) written.push(...(await view(events[seen++] as Event)))
  return written
}

function folders(at = 'logs'): string[] {
  return readdirSync(join(workspace, at)).sort()
}

describe('log folders in the workspace', () => {
  it('appear when the search ends, whole, with nothing else beside them', async () => {
    const { events } = walk(journal().runStart('x', 'tot@1'))
    await watch(events, 0, events.length - 1)
    expect(() => folders()).toThrow('ENOENT')
    await watch(events)
    expect(folders()).toEqual([TASK_ID])
    const files = readdirSync(join(workspace, 'logs', TASK_ID))
    expect(files).toHaveLength(12)
    expect(readFileSync(join(workspace, 'logs', TASK_ID, '99-merged-timeline.log'), 'utf8')).toContain(
      TASK_ID,
    )
  })

  it("are in the folder of the run's store, which is said, unless an option names another place", async () => {
    const storeFolder = join(workspace, 'kept')
    const { events } = walk(journal().runStart('x', 'tot@1'))
    const folder = join(storeFolder, 'logs', TASK_ID)
    expect(await watch(events, 0, events.length, { storeFolder })).toEqual([{ path: '1', folder }])
    expect(folders('kept/logs')).toEqual([TASK_ID])
    expect(() => folders()).toThrow('ENOENT')
    const named = walk(journal().runStart('x', 'tot@1'), { options: { log_dir: 'mine' } }).events
    await watch(named, 0, named.length, { storeFolder })
    expect(folders('mine')).toEqual([TASK_ID])
    expect(await watch(events, 0, events.length, { storeFolder })).toEqual([])
  })

  it('are one for each search of a run, at the place its options name', async () => {
    const made = journal().runStart('x', 'fractal@1').start('1', 'x', 'fractal@1')
    walk(made, { path: '1-1', taskId: 'tot-20260304-050607-aaaaaa' })
    walk(made, { path: '1-2', taskId: 'tot-20260304-050607-bbbbbb', options: { log_dir: 'deep/er' } })
    made.end('1', { status: 'completed', result: '' }).runEnd('completed')
    await watch(made.events)
    expect(folders()).toEqual(['tot-20260304-050607-aaaaaa'])
    expect(folders('deep/er')).toEqual(['tot-20260304-050607-bbbbbb'])
  })

  it('are written at the end of the run when a kill prevented it', async () => {
    const { events } = walk(journal().runStart('x', 'tot@1')).runEnd('completed')
    // Killed after the end of the block was recorded; another process only sees how the run ends.
    await watch(events, events.length - 1)
    expect(folders()).toEqual([TASK_ID])
  })

  it('are written by the process that goes on with a search which another began', async () => {
    const { events } = walk(journal().runStart('x', 'tot@1'))
    await watch(events, 0, 20)
    await watch(events, 20)
    expect(folders()).toEqual([TASK_ID])
    const info = JSON.parse(readFileSync(join(workspace, 'logs', TASK_ID, '00-task-info.json'), 'utf8'))
    expect(info.start_time).toBe(events[1]?.ts)
  })

  it('are not written twice, and never changed: a fork gets a folder of its own', async () => {
    const { events } = walk(journal().runStart('x', 'tot@1')).runEnd('completed')
    await watch(events)
    await watch(events, events.length - 1)
    expect(folders()).toEqual([TASK_ID])
    const kept = join(workspace, 'logs', TASK_ID, '00-task-info.json')
    writeFileSync(kept, '{}')
    await watch(events)
    expect(folders()).toEqual([TASK_ID, `${TASK_ID}-2`])
    expect(readFileSync(kept, 'utf8')).toBe('{}')
  })

  it('are written for a strategy of another name that leaves the notes of a search', async () => {
    const made = walk(journal().runStart('x', 'puzzle@1'))
    const [begun] = made.events.splice(1, 1)
    made.events.splice(1, 0, { ...(begun as Event), strategy: 'puzzle@1' } as Event)
    await watch(made.events)
    expect(folders()).toEqual([TASK_ID])
  })

  it('are not made for runs without a search', async () => {
    const made = journal().runStart('x', 'cot@1').start('1', 'x', 'cot@1')
    made.end('1', { status: 'completed', result: '' }).runEnd('completed')
    await watch(made.events)
    expect(readdirSync(workspace)).toEqual([])
  })

  it('fail aloud where the folder cannot be made, and leave nothing', async () => {
    writeFileSync(join(workspace, 'logs'), 'a file')
    await expect(watch(walk(journal().runStart('x', 'tot@1')).events)).rejects.toThrow()
    expect(readdirSync(workspace)).toEqual(['logs'])
  })
})
