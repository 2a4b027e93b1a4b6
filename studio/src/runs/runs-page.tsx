/** The runs, newest first, those that wait for somebody before all others. */
import { type DragEvent, useMemo, useRef, useState } from 'react'
import { useSource } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { useCommands } from '../parts/commands.ts'
import { Empty, Notice } from '../parts/notice.tsx'
import { NotifyButton } from '../parts/notify.tsx'
import { useWords } from '../preferences.ts'
import { addressOf, goTo, setQuery, usePlace } from '../routing.ts'
import { FRAME_WORDS } from '../words.ts'
import { ChosenBar } from './chosen-bar.tsx'
import { DeleteDialog } from './delete-dialog.tsx'
import { exportRuns, importRuns, savePages } from './desk-work.ts'
import { Paging } from './paging.tsx'
import { type RowActions, RunTable } from './run-table.tsx'
import { RunsHead } from './runs-head.tsx'
import { StartDialog } from './start/start-dialog.tsx'
import { useSteady } from './steady.ts'
import { type Filter, PAGE_SIZE, useRuns } from './use-runs.ts'
import { useWaitingRuns } from './use-waiting-runs.ts'
import { RUNS_WORDS } from './words.ts'
import './runs.css'

export function RunsPage() {
  const words = useWords(RUNS_WORDS)
  const frame = useWords(FRAME_WORDS)
  const { desk } = useSource()
  const { query } = usePlace()
  const filter: Filter = {
    search: query.search ?? '',
    status: query.status ?? '',
    strategy: query.strategy ?? '',
  }
  const page = Math.max(1, Math.floor(Number(query.page ?? 1)) || 1)
  const { list, problem, isLost, refresh } = useRuns(filter, page)
  useWaitingRuns(list?.runs ?? null)
  const search = useRef<HTMLInputElement>(null)
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  const [toDelete, setToDelete] = useState<readonly string[]>([])
  const [problems, setProblems] = useState<readonly string[]>([])
  const [imported, setImported] = useState<readonly string[]>([])
  const [isHeld, setHeld] = useState(false)
  const [isDropping, setDropping] = useState(false)
  const steady = useSteady(list?.runs ?? [], isHeld, list?.view ?? '')

  const choose = (runs: readonly string[], isChosen: boolean) =>
    setChosen((before) => {
      const next = new Set(before)
      for (const run of runs)
        if (isChosen) next.add(run)
        else next.delete(run)
      return next
    })
  const bringIn = async (files: readonly File[]) => {
    if (desk === null || files.length === 0) return
    const done = await importRuns(desk, files)
    setImported(done.runs)
    setProblems(done.problems)
    refresh()
  }
  const actions = useMemo<RowActions | null>(
    () =>
      desk && {
        again: (run) => setQuery({ again: run }),
        export: async (runs) => setProblems((await exportRuns(desk, runs)).problems),
        savePages: async (runs) => setProblems((await savePages(desk, runs)).problems),
        delete: setToDelete,
      },
    [desk],
  )
  useCommands([
    { id: 'runs-search', name: words.search, key: '/', run: () => search.current?.focus() },
    {
      id: 'runs-compare',
      name: chosen.size > 0 ? words.compare : words.compareShown,
      run: () => goTo(['compare'], chosen.size > 0 ? { runs: [...chosen].join(',') } : { ...filter }),
    },
  ])

  const isFiltered = Object.values(filter).some((text) => text !== '')
  const drop = {
    onDragOver: (event: DragEvent) => {
      if (desk === null || !event.dataTransfer.types.includes('Files')) return
      event.preventDefault()
      setDropping(true)
    },
    onDragLeave: (event: DragEvent) => {
      if (!event.currentTarget.contains(event.relatedTarget as Node | null)) setDropping(false)
    },
    onDrop: (event: DragEvent) => {
      event.preventDefault()
      setDropping(false)
      void bringIn([...event.dataTransfer.files])
    },
  }
  return (
    <div className={isDropping ? 'runs is-dropping' : 'runs'} data-drop={words.drop} {...drop}>
      <header className="runs-head">
        <h1>{words.title}</h1>
        {list && list.total > 0 && (
          <span className="dim numbers">
            {words.shown((page - 1) * PAGE_SIZE + 1, Math.min(page * PAGE_SIZE, list.total), list.total)}
          </span>
        )}
        {steady.news > 0 && (
          <Button look="quiet" onClick={() => setHeld(false)}>
            {words.newer(steady.news)}
          </Button>
        )}
        <span className="runs-head-space" />
        {desk && <NotifyButton />}
        {steady.runs.length > 0 && (
          <a className="runs-compare-link" href={addressOf(['compare'], { ...filter })}>
            {words.compareShown}
          </a>
        )}
      </header>
      <RunsHead filter={filter} search={search} desk={desk} onImport={bringIn} />
      {isLost && <Notice tone="warn">{frame.lost}</Notice>}
      {problem !== '' && !isLost && (
        <Notice tone="bad">
          <span className="text">{problem}</span>
        </Notice>
      )}
      {problems.map((text) => (
        <Notice key={text} tone="bad">
          <span className="text">{text}</span>
          <Button
            look="quiet"
            icon="close"
            aria-label={words.close}
            onClick={() => setProblems(problems.filter((one) => one !== text))}
          />
        </Notice>
      ))}
      {imported.length > 0 && (
        <Notice tone="active">
          {words.imported}
          {imported.map((run) => (
            <a key={run} className="mono" href={addressOf(['runs', run])}>
              {run}
            </a>
          ))}
          <Button look="quiet" icon="close" aria-label={words.close} onClick={() => setImported([])} />
        </Notice>
      )}
      {list === null && problem === '' && <p className="dim runs-reading">{words.reading}</p>}
      {list?.runs.length === 0 && (
        <Empty title={isFiltered ? words.noneFound : words.none}>
          {isFiltered ? (
            <a href={addressOf(['runs'])}>{words.clearFilter}</a>
          ) : (
            desk && (
              <>
                <p>{words.noneHelp}</p>
                <Button look="main" icon="plus" onClick={() => setQuery({ new: '1' })}>
                  {words.newRun}
                </Button>
              </>
            )
          )}
        </Empty>
      )}
      {steady.runs.length > 0 && (
        // biome-ignore lint/a11y/noStaticElementInteractions: it only holds the rows still below a pointer.
        <div
          // Not “enter”: that is not told where the rows come up below a pointer that stays where it is.
          onPointerMove={() => setHeld(true)}
          onPointerLeave={() => setHeld(false)}
          onFocus={() => setHeld(true)}
          onBlur={() => setHeld(false)}
        >
          <RunTable runs={steady.runs} chosen={chosen} onChoose={choose} actions={actions} />
        </div>
      )}
      {list && <Paging page={page} total={list.total} />}
      {chosen.size > 0 && (
        <ChosenBar runs={[...chosen]} actions={actions} onClear={() => setChosen(new Set())} />
      )}
      {desk && toDelete.length > 0 && (
        <DeleteDialog
          desk={desk}
          runs={toDelete}
          onDeleted={(runs) => {
            choose(runs, false)
            refresh()
          }}
          onClose={() => setToDelete([])}
        />
      )}
      {desk && (query.new !== undefined || query.again !== undefined) && (
        <StartDialog
          key={query.again ?? ''}
          desk={desk}
          like={query.again ?? null}
          onClose={() => setQuery({ new: null, again: null })}
        />
      )}
    </div>
  )
}
