import type { PruneOptions } from '../../engine/api.ts'
import { bytesText } from '../../views/figures.ts'
import { type CommandRun, textOption, type Values } from '../command.ts'
import { confirm } from '../confirm.ts'
import { longWork } from '../long-work.ts'
import { age, badInput, langOption, statusOption, wholeNumber } from '../options.ts'
import { withStore } from '../session.ts'
import { printRuns } from './list.ts'

export const prune: CommandRun = ({ values, out }) => {
  const options = pruneOptions(values)
  return withStore(values, null, async ({ engine }) => {
    const { runs } = await engine.prune({ ...options, dryRun: true })
    if (values['dry-run'] === true) {
      if (out.json) out.data({ type: 'prune', runs: runs.map(({ id }) => id), freedBytes: 0, dryRun: true })
      else {
        await printRuns(engine, runs, langOption(values) ?? 'en', out)
        out.print(`${countOf(runs)} would be deleted`)
      }
      return 0
    }
    if (values.yes !== true && !out.json && runs.length > 0) {
      const refused = await confirm(`delete ${countOf(runs)} (--dry-run lists them)?`, out)
      if (refused !== null) return refused
    }
    return longWork(out, 'freeing space', async ({ signal, progress }) => {
      const pruned = await engine.prune({ ...options, signal, onProgress: progress })
      const ids = pruned.runs.map(({ id }) => id)
      const { freedBytes } = pruned
      if (!out.json) out.print(`deleted ${countOf(ids)}; freed ${bytesText(freedBytes)} for later runs`)
      if (signal.aborted) out.remark('stopped: the rest of the space is freed by the next delete or prune')
      const vacuumedBytes = values.vacuum === true && !signal.aborted ? await engine.compact() : null
      if (out.json)
        out.data({ type: 'prune', runs: ids, freedBytes, ...(vacuumedBytes !== null && { vacuumedBytes }) })
      else if (vacuumedBytes !== null) out.print(`the store's file is ${bytesText(vacuumedBytes)} smaller`)
      return 0
    })
  })
}

function pruneOptions(values: Values): PruneOptions {
  const olderThan = textOption(values, 'older-than')
  const keep = textOption(values, 'keep')
  if (olderThan === undefined && keep === undefined)
    throw badInput('thinkon prune needs --older-than <age>, --keep <n> or both: which runs are old?')
  const status = statusOption(values)
  return {
    ...(olderThan !== undefined && { olderThanMs: age('--older-than', olderThan) }),
    ...(keep !== undefined && { keep: wholeNumber('--keep', keep) }),
    ...(status !== undefined && { status }),
  }
}

function countOf({ length }: readonly unknown[]): string {
  return `${length} run${length === 1 ? '' : 's'}`
}
