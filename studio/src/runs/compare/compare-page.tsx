/** Many runs side by side: chosen ones (`?runs=a,b`), those of a filter, or the results of a lab from its file. */
import { useEffect, useMemo, useState } from 'react'
import { type ListedRun, type RunDesk, useDesk } from '../../data/source.ts'
import { Empty, Notice } from '../../parts/notice.tsx'
import { useWords } from '../../preferences.ts'
import { addressOf, setQuery, usePlace } from '../../routing.ts'
import type { Filter } from '../use-runs.ts'
import { GroupTable, RunsTable } from './compare-tables.tsx'
import { LabFile, type LabResults } from './lab-file.tsx'
import { Plot } from './plot.tsx'
import {
  compared,
  comparedResult,
  GROUPINGS,
  type Grouping,
  groupsOf,
  MEASURES,
  type Measure,
} from './summary.ts'
import { COMPARE_WORDS } from './words.ts'
import './compare.css'

const MOST = 1_000

export function ComparePage() {
  const words = useWords(COMPARE_WORDS)
  const { query } = usePlace()
  const { found, problem } = useFound(query)
  const [lab, setLab] = useState<LabResults | null>(null)
  const runs = useMemo(
    () => lab?.results.map(comparedResult) ?? (found?.runs ?? []).map(compared),
    [found, lab],
  )
  const groupings = GROUPINGS.filter((name) => name !== 'setting' || lab !== null)
  const by: Grouping = groupings.find((name) => name === query.by) ?? (lab === null ? 'strategy' : 'setting')
  const hasCost = runs.some(({ costUsd }) => costUsd > 0)
  const across: Measure = MEASURES.find((name) => name === query.across) ?? (hasCost ? 'costUsd' : 'tokens')
  const groups = useMemo(() => groupsOf(runs, by), [runs, by])
  return (
    <div className="compare">
      <header className="compare-head">
        <h1>{words.title}</h1>
        {lab === null && found && (
          <span className="dim numbers">
            {found.total > runs.length ? words.cut(runs.length, found.total) : words.count(runs.length)}
          </span>
        )}
        <LabFile lab={lab} onChange={setLab} />
        <span className="compare-space" />
        <Chooser
          name={words.by}
          of={groupings}
          value={by}
          names={words.names}
          onChoose={(next) => setQuery({ by: next })}
        />
        <Chooser
          name={words.across}
          of={MEASURES}
          value={across}
          names={words.names}
          onChoose={(next) => setQuery({ across: next })}
        />
      </header>
      {lab === null && problem !== '' && <Notice tone="bad">{problem}</Notice>}
      {lab === null && found && found.missing.length > 0 && (
        <Notice tone="warn">
          {words.missing(found.missing.length)}
          <span className="text">{found.missing.join('; ')}</span>
        </Notice>
      )}
      {lab === null && found === null && problem === '' && <p className="dim">{words.reading}</p>}
      {found && runs.length === 0 && (
        <Empty title={words.none}>
          <p>{words.noneHelp}</p>
          <a href={addressOf(['runs'])}>{words.toList}</a>
        </Empty>
      )}
      {runs.length > 0 && (
        <>
          <figure className="compare-plot">
            <figcaption>
              <h2>{words.plot(words.names[across])}</h2>
              <p className="dim">{words.plotHelp}</p>
            </figcaption>
            <Plot
              groups={groups}
              measure={across}
              label={words.plot(words.names[across])}
              names={{ x: words.names[across], y: words.names.quality }}
            />
          </figure>
          <h2>{words.means}</h2>
          <GroupTable groups={groups} by={by} />
          <h2>{words.each}</h2>
          <RunsTable runs={runs} groups={groups} by={by} />
        </>
      )}
    </div>
  )
}

interface ChooserProps<Name extends string> {
  name: string
  of: readonly Name[]
  value: Name
  names: Readonly<Record<Name, string>>
  onChoose(name: Name): void
}

function Chooser<Name extends string>({ name, of, value, names, onChoose }: ChooserProps<Name>) {
  return (
    <label className="compare-chooser">
      <span className="dim">{name}</span>
      <select className="input" value={value} onChange={({ target }) => onChoose(target.value as Name)}>
        {of.map((one) => (
          <option key={one} value={one}>
            {names[one]}
          </option>
        ))}
      </select>
    </label>
  )
}

interface Found {
  readonly runs: readonly ListedRun[]
  readonly total: number
  /** Why those that were chosen are not there. */
  readonly missing: readonly string[]
}

function useFound({ runs = '', search = '', status = '', strategy = '' }: Readonly<Record<string, string>>) {
  const desk = useDesk()
  const [found, setFound] = useState<Found | null>(null)
  const [problem, setProblem] = useState('')
  useEffect(() => {
    let isGone = false
    const reading =
      runs === ''
        ? readFiltered(desk, { search, status, strategy })
        : readChosen(desk, [...new Set(runs.split(','))])
    reading.then(
      (next) => !isGone && setFound(next),
      (error) => !isGone && setProblem(error instanceof Error ? error.message : String(error)),
    )
    return () => {
      isGone = true
    }
  }, [desk, runs, search, status, strategy])
  return { found, problem }
}

async function readFiltered(desk: RunDesk, { search, status, strategy }: Filter): Promise<Found> {
  const asked = {
    figures: true,
    ...(search !== '' && { search }),
    ...(strategy !== '' && { strategy }),
  }
  const wanted = status === '' ? asked : { ...asked, status: status as 'failed' }
  return { ...(await desk.list({ ...wanted, limit: MOST })), missing: [] }
}

async function readChosen(desk: RunDesk, ids: readonly string[]): Promise<Found> {
  const read = await Promise.allSettled(ids.map((id) => desk.row(id)))
  const runs = read.flatMap((one) => (one.status === 'fulfilled' ? one.value : []))
  const missing = read.flatMap((one) => (one.status === 'rejected' ? String(one.reason.message) : []))
  return { runs, total: runs.length, missing }
}
