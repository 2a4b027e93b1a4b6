/** Of the listed runs, those that wait for somebody: the title counts them, and one that has come while the page was not seen is told of. */
import { useEffect, useRef, useState } from 'react'
import { goalTitle } from 'thinkon/protocol'
import type { ListedRun } from '../data/source.ts'
import { type News, NOTIFY_WORDS, useNotification, useTitle } from '../parts/notify.tsx'
import { useWords } from '../preferences.ts'

/** Null: they have not been read yet. */
export function useWaitingRuns(runs: readonly ListedRun[] | null): void {
  const words = useWords(NOTIFY_WORDS)
  const waiting = runs?.filter((run) => run.status === 'waiting') ?? []
  const known = useRef<ReadonlySet<string> | null>(null)
  const [news, setNews] = useState<News | null>(null)
  useTitle(waiting.length)
  // biome-ignore lint/correctness/useExhaustiveDependencies: a list is new whenever it has been read.
  useEffect(() => {
    if (runs === null) return
    const before = known.current
    known.current = new Set(waiting.map(keyOf))
    const come = before && waiting.find((run) => !before.has(keyOf(run)))
    if (come) setNews({ title: `${words.toast}: ${goalTitle(come.goal)}`, body: come.id, tag: keyOf(come) })
  }, [runs])
  useNotification(news)
}

/** A run that goes on and waits again is news again. */
function keyOf({ id, changedAt }: ListedRun): string {
  return `${id} ${changedAt}`
}
