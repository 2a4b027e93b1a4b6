/** The runs of one page of the list, read again and again. */
import { useEffect, useState } from 'react'
import { type ListQuery, ThinkonError } from 'thinkon/client'
import { type ListedRun, type RunDesk, type RunList, useDesk } from '../data/source.ts'

export interface Filter {
  readonly search: string
  /** Empty: any. */
  readonly status: string
  readonly strategy: string
}

export interface Runs {
  /** Null until they have been read; then those that were read last. */
  readonly list: (RunList & { readonly view: string }) | null
  readonly problem: string
  /** The service can't be reached. */
  readonly isLost: boolean
  /** Reads them now. */
  readonly refresh: () => void
}

export const PAGE_SIZE = 100
const REFRESH_MS = 2_000
/** A page that is not seen only looks for what waits. */
const HIDDEN_MS = 15_000
/** Those that are worked on are few, and which of them wait for a person only their journals say. */
const MOST_AT_WORK = 500
const AT_WORK = ['running', 'waiting'] as const

export function useRuns(filter: Filter, page: number): Runs {
  const desk = useDesk()
  const { search, status, strategy } = filter
  const [list, setList] = useState<Runs['list']>(null)
  const [problem, setProblem] = useState<unknown>(null)
  const [reading, setReading] = useState(0)
  // biome-ignore lint/correctness/useExhaustiveDependencies: `reading` asks for another reading.
  useEffect(() => {
    let isGone = false
    const read = async () => {
      try {
        const found = await readPage(desk, { search, status, strategy }, page)
        if (isGone) return
        setList({ ...found, view: JSON.stringify([search, status, strategy, page]) })
        setProblem(null)
      } catch (error) {
        if (!isGone) setProblem(error)
      }
      if (isGone) return
      clearTimeout(timer)
      timer = setTimeout(read, document.hidden ? HIDDEN_MS : REFRESH_MS)
    }
    const seen = () => {
      if (document.hidden) return
      clearTimeout(timer)
      void read()
    }
    document.addEventListener('visibilitychange', seen)
    let timer: ReturnType<typeof setTimeout> | undefined
    void read()
    return () => {
      isGone = true
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', seen)
    }
  }, [desk, search, status, strategy, page, reading])
  return {
    list,
    problem: problem === null ? '' : problem instanceof Error ? problem.message : String(problem),
    isLost: problem instanceof ThinkonError && problem.code === 'INTERRUPTED',
    refresh: () => setReading((n) => n + 1),
  }
}

/** Those that wait for somebody come first, wherever in the list they are. */
async function readPage(desk: RunDesk, filter: Filter, page: number): Promise<RunList> {
  const { search, status, strategy } = filter
  const asked: ListQuery = {
    figures: true,
    ...(search !== '' && { search }),
    ...(strategy !== '' && { strategy }),
  }
  if (isAtWork(status)) {
    const those = await runsAtWork(desk, asked, status)
    return { runs: those.slice((page - 1) * PAGE_SIZE, page * PAGE_SIZE), total: those.length }
  }
  const wanted = status === '' ? asked : { ...asked, status: status as 'failed' }
  const [{ runs, total }, atWork] = await Promise.all([
    desk.list({ ...wanted, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    status === '' && page === 1 ? desk.list({ ...asked, status: AT_WORK, limit: MOST_AT_WORK }) : null,
  ])
  const first = (atWork?.runs ?? []).filter((run) => standingOf(run) === 'waiting')
  const ids = new Set(first.map(({ id }) => id))
  return { runs: [...first, ...runs.filter(({ id }) => !ids.has(id))], total }
}

export function isAtWork(status: string): status is (typeof AT_WORK)[number] {
  return status === 'running' || status === 'waiting'
}

/** Those that are worked on, or that wait for a person. */
export async function runsAtWork(
  desk: RunDesk,
  asked: ListQuery,
  status: (typeof AT_WORK)[number],
): Promise<ListedRun[]> {
  const { runs } = await desk.list({ ...asked, status: AT_WORK, limit: MOST_AT_WORK })
  return runs.filter((run) => standingOf(run) === status)
}

/** For the store, a run that only waits for a person is running. */
export function standingOf({ status, figures }: ListedRun): ListedRun['status'] {
  return status === 'running' && figures?.standing === 'waiting' ? 'waiting' : status
}
