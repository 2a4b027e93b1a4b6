/** Rows that stay where they are as long as somebody is about to use one. */
import { useRef } from 'react'
import type { ListedRun } from '../data/source.ts'

export interface Steady {
  readonly runs: readonly ListedRun[]
  /** How many others there are by now. */
  readonly news: number
}

/** `view` names what is listed: another one begins anew. */
export function useSteady(runs: readonly ListedRun[], isHeld: boolean, view: string): Steady {
  const shown = useRef<{ view: string; ids: readonly string[] }>({ view, ids: [] })
  if (!isHeld || shown.current.view !== view || shown.current.ids.length === 0) {
    shown.current = { view, ids: runs.map(({ id }) => id) }
    return { runs, news: 0 }
  }
  return heldRows(shown.current.ids, runs)
}

/** As they were before, with what is new of each; what is gone is gone. */
export function heldRows(ids: readonly string[], runs: readonly ListedRun[]): Steady {
  const byId = new Map(runs.map((run) => [run.id, run]))
  const stayed = ids.flatMap((id) => byId.get(id) ?? [])
  return { runs: stayed, news: runs.length - stayed.length }
}
