import type { RunRow } from '../../kernel/store.ts'
import { goalTitle } from '../../protocol/index.ts'
import { bytesText } from '../../views/figures.ts'
import { cleanLine } from '../../views/text-width.ts'
import type { CommandRun } from '../command.ts'
import { confirm } from '../confirm.ts'
import { longWork } from '../long-work.ts'
import { findRun, type Session, withStore } from '../session.ts'

export const deleteRuns: CommandRun = ({ values, args, out }) =>
  withStore(values, args[0] as string, async ({ engine }) => {
    const found = new Map<string, RunRow>()
    for (const given of args) {
      const row = await findRun(engine, given)
      found.set(row.id, row)
    }
    const rows = [...found.values()]
    const forks = await forksOf(engine, rows)
    if (values.yes !== true && !out.json) {
      const refused = await confirm(`delete ${rows.map(nameOf).join(', ')}?`, out)
      if (refused !== null) return refused
    }
    return longWork(out, 'freeing space', async ({ signal, progress }) => {
      const runs = rows.map(({ id }) => id)
      const { freedBytes } = await engine.delete(runs, { signal, onProgress: progress })
      if (out.json) out.data({ type: 'delete', runs, forks, freedBytes })
      else {
        out.print(`deleted ${runs.join(', ')}; freed ${bytesText(freedBytes)}`)
        if (forks.length > 0) out.print(`forked from it, and whole without it: ${forks.join(', ')}`)
        if (signal.aborted) out.remark('stopped: the rest of the space is freed by the next delete or prune')
      }
      return 0
    })
  })

function nameOf({ id, goal }: RunRow): string {
  return `${id} ("${cleanLine(goalTitle(goal, 60))}")`
}

/** Runs that were forked from these and stay. */
async function forksOf(engine: Session['engine'], rows: readonly RunRow[]): Promise<string[]> {
  const forks: string[] = []
  for (const { id } of rows) {
    for (const fork of await engine.list({ forkOf: id }))
      if (!rows.some((row) => row.id === fork.id)) forks.push(fork.id)
  }
  return forks
}
