/** Above the list: what is searched and filtered, and what can be begun. */
import { type RefObject, useEffect, useRef, useState } from 'react'
import type { RunDesk } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { STATUS_WORDS } from '../parts/status-words.ts'
import { useWords } from '../preferences.ts'
import { setQuery } from '../routing.ts'
import type { Filter } from './use-runs.ts'
import { RUNS_WORDS } from './words.ts'

const STATUSES = [
  'waiting',
  'running',
  'stopped',
  'completed',
  'partial',
  'failed',
  'cancelled',
  'skipped',
] as const

interface Props {
  filter: Filter
  search: RefObject<HTMLInputElement | null>
  desk: RunDesk | null
  onImport(files: readonly File[]): void
}

export function RunsHead({ filter, search, desk, onImport }: Props) {
  const words = useWords(RUNS_WORDS)
  const statuses = useWords(STATUS_WORDS)
  const files = useRef<HTMLInputElement>(null)
  const strategies = useStrategies(desk, filter.strategy)
  return (
    <div className="runs-tools">
      <input
        ref={search}
        className="input runs-search"
        type="search"
        aria-label={words.search}
        placeholder={words.search}
        value={filter.search}
        onChange={({ target }) => setQuery({ search: target.value, page: null })}
      />
      <select
        className="input"
        aria-label={words.status}
        value={filter.status}
        onChange={({ target }) => setQuery({ status: target.value, page: null })}
      >
        <option value="">{words.anyStatus}</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {statuses[status]}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label={words.strategy}
        value={filter.strategy}
        onChange={({ target }) => setQuery({ strategy: target.value, page: null })}
      >
        <option value="">{words.anyStrategy}</option>
        {strategies.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
      {desk && (
        <>
          <input
            ref={files}
            className="unseen"
            type="file"
            multiple
            tabIndex={-1}
            aria-label={words.import}
            accept=".jsonl,.ndjson,application/x-ndjson"
            onChange={({ target }) => {
              onImport([...(target.files ?? [])])
              target.value = ''
            }}
          />
          <Button icon="upload" onClick={() => files.current?.click()}>
            {words.import}
          </Button>
          <Button look="main" icon="plus" onClick={() => setQuery({ new: '1' })}>
            {words.newRun}
          </Button>
        </>
      )}
    </div>
  )
}

/** Those of the service, and the one in the address. */
function useStrategies(desk: RunDesk | null, chosen: string): readonly string[] {
  const [names, setNames] = useState<readonly string[]>([])
  useEffect(() => {
    // The list says what is wrong, if anything is.
    desk?.offers().then(
      ({ strategies }) => setNames(strategies.map(({ name }) => name)),
      () => setNames([]),
    )
  }, [desk])
  return chosen === '' || names.includes(chosen) ? names : [...names, chosen]
}
