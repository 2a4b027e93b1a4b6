/** The runs, newest first, those that wait for somebody before all others. */
import { useEffect, useState } from 'react'
import { goalTitle } from 'thinkon/protocol'
import { type ListedRun, type RunList, useSource } from '../data/source.ts'
import { Empty, Notice } from '../parts/notice.tsx'
import { StatusPill } from '../parts/status.tsx'
import { usePreferences, useWords } from '../preferences.ts'
import { addressOf, setQuery, usePlace } from '../routing.ts'
import { RUNS_WORDS } from './words.ts'
import './runs.css'

const REFRESH_MS = 2_000
const MOST = 200

export function RunsPage() {
  const words = useWords(RUNS_WORDS)
  const search = usePlace().query.search ?? ''
  const { list, problem } = useRuns(search)
  return (
    <div className="runs">
      <header className="runs-head">
        <h1>{words.title}</h1>
        {list && <span className="dim numbers">{words.shown(list.runs.length, list.total)}</span>}
        <input
          className="input runs-search"
          type="search"
          aria-label={words.search}
          placeholder={words.search}
          value={search}
          onChange={({ target }) => setQuery({ search: target.value })}
        />
      </header>
      {problem !== '' && <Notice tone="bad">{problem}</Notice>}
      {list?.runs.length === 0 && <Empty title={search === '' ? words.none : words.noneFound} />}
      {list && list.runs.length > 0 && <RunTable runs={list.runs} />}
    </div>
  )
}

function RunTable({ runs }: { runs: readonly ListedRun[] }) {
  const words = useWords(RUNS_WORDS)
  const { lang } = usePreferences()
  const time = new Intl.DateTimeFormat(lang, { dateStyle: 'short', timeStyle: 'medium' })
  return (
    <table className="runs-table">
      <thead>
        <tr>
          <th>{words.status}</th>
          <th>{words.goal}</th>
          <th>{words.strategy}</th>
          <th>{words.changed}</th>
        </tr>
      </thead>
      <tbody>
        {runs.map(({ id, status, goal, strategy, changedAt, forkOf }) => (
          <tr key={id}>
            <td>
              <StatusPill status={status} />
            </td>
            <td className="runs-goal">
              <a className="one-line text" href={addressOf(['runs', id])}>
                {goalTitle(goal)}
              </a>
              <span className="dim mono one-line">
                {id}
                {forkOf !== null && ` · ${words.fork}`}
              </span>
            </td>
            <td>
              <span className="tag">{strategy}</span>
            </td>
            <td className="dim numbers">{time.format(new Date(changedAt))}</td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function useRuns(search: string): { list: RunList | null; problem: string } {
  const source = useSource()
  const [list, setList] = useState<RunList | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isGone = false
    const read = async () => {
      try {
        const found = await source.list({ limit: MOST, ...(search !== '' && { search }) })
        if (isGone) return
        setList({ ...found, runs: waitingFirst(found.runs) })
        setProblem('')
      } catch (error) {
        if (!isGone) setProblem(error instanceof Error ? error.message : String(error))
      }
    }
    void read()
    const timer = setInterval(() => document.hidden || void read(), REFRESH_MS)
    return () => {
      isGone = true
      clearInterval(timer)
    }
  }, [source, search])
  return { list, problem }
}

function waitingFirst(runs: readonly ListedRun[]): ListedRun[] {
  return [...runs].sort((a, b) => Number(b.status === 'waiting') - Number(a.status === 'waiting'))
}
