/** The runs of one page of the list, read again and again. */
import { useEffect, useState } from 'react'
import { type ListQuery, ThinkonError } from 'thinkon/client'
import { type RunDesk, type RunList, useDesk } from '../data/source.ts'

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
/** Runs that wait come first on the first page. */
const MOST_WAITING = 500

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
  const wanted = status === '' ? asked : { ...asked, status: status as 'failed' }
  const [{ runs, total }, waiting] = await Promise.all([
    desk.list({ ...wanted, limit: PAGE_SIZE, offset: (page - 1) * PAGE_SIZE }),
    status === '' && page === 1 ? desk.list({ ...asked, status: 'waiting', limit: MOST_WAITING }) : null,
  ])
  const first = waiting?.runs ?? []
  const ids = new Set(first.map(({ id }) => id))
  return { runs: [...first, ...runs.filter(({ id }) => !ids.has(id))], total }
}
