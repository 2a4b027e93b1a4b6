/** Deletes runs: given ones, or old ones. What only they needed is freed. */
import type { RunRow } from '../kernel/run-query.ts'
import { type AnyStore, runLocked } from '../kernel/store.ts'
import { whenFree } from '../kernel/when-free.ts'
import { ENDED, ThinkonError } from '../protocol/index.ts'
import type { HouseOptions, Pruned, PruneOptions } from './api.ts'
import { type EngineParts, requireRun } from './parts.ts'

/** Deletes all of them, or none if one is not there or is being worked on. */
export async function deleteRuns(
  parts: EngineParts,
  ids: readonly string[],
  options: HouseOptions = {},
): Promise<{ freedBytes: number }> {
  const { store } = parts
  for (const id of ids) await requireRun(parts, id)
  for (const id of ids) if ((await store.row(id)).owned) throw runLocked(id, 'a living process')
  for (const id of new Set(ids)) await whenFree(() => store.delete(id))
  return { freedBytes: await sweep(store, options) }
}

export async function pruneRuns({ store, clock }: EngineParts, options: PruneOptions): Promise<Pruned> {
  const { keep = 0, olderThanMs = 0, status = ENDED, dryRun = false } = checked(options)
  const before = clock.nowMs() - olderThanMs
  const old = (await store.list({ status }))
    .sort((a, b) => Date.parse(b.changedAt) - Date.parse(a.changedAt))
    .slice(keep)
    .filter(({ changedAt, owned }) => !owned && Date.parse(changedAt) <= before)
  if (dryRun) return { runs: old, freedBytes: 0 }
  const runs: RunRow[] = []
  for (const row of old) {
    if (options.signal?.aborted) break
    if (await deleteUnlessOwned(store, row.id)) runs.push(row)
  }
  return { runs, freedBytes: await sweep(store, options) }
}

/** Without either it would delete every run. */
function checked(options: PruneOptions): PruneOptions {
  if (options.keep === undefined && options.olderThanMs === undefined)
    throw new ThinkonError(
      'BAD_INPUT',
      'prune needs olderThanMs, keep or both: without them it would delete every run',
    )
  return options
}

/** Another process may have begun to work on it, or deleted it. */
async function deleteUnlessOwned(store: AnyStore, id: string): Promise<boolean> {
  try {
    await whenFree(() => store.delete(id))
    return true
  } catch (thrown) {
    if (ThinkonError.isInstance(thrown) && (thrown.code === 'RUN_LOCKED' || thrown.code === 'UNKNOWN_RUN'))
      return false
    throw thrown
  }
}

/** Runs of this process go on between the steps. If it is aborted, the next sweep frees the rest. */
async function sweep(store: AnyStore, { signal, onProgress }: HouseOptions): Promise<number> {
  let freed = 0
  const sweepOnce = async () => {
    for await (const { done, of, freedBytes } of store.sweep()) {
      freed = freedBytes
      onProgress?.(done, of)
      if (signal?.aborted) break
      await new Promise(setImmediate)
    }
  }
  await whenFree(sweepOnce, () => signal?.aborted === true)
  return freed
}
