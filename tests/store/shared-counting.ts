import type { Draft, SharedTransaction } from '../../src/kernel/store.ts'

export function note(data: unknown, n = 1): Draft {
  return { type: 'note', path: '1', atMs: Date.now(), n, name: 'test', data }
}

/** Counts the run's note up, unless operation `n` of the block has done so; what it was counted to. */
export function countUp(tx: SharedTransaction, path: string, n: number): number {
  const recorded = tx.find(path, n, 'start')
  if (recorded?.type === 'note') return recorded.data as number
  const count = (tx.note<number>('count') ?? 0) + 1
  tx.setNote('count', count)
  tx.append(note(count, n), { path, n, kind: 'start' })
  return count
}
