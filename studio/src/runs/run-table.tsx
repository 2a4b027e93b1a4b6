/** Runs as rows. */
import { memo } from 'react'
import { goalTitle } from 'thinkon/protocol'
import { costText, durationText } from 'thinkon/views'
import type { ListedRun } from '../data/source.ts'
import { Button } from '../parts/button.tsx'
import { StatusPill } from '../parts/status.tsx'
import { usePreferences, useWords } from '../preferences.ts'
import { addressOf } from '../routing.ts'
import { activeMsOf } from './figures.ts'
import { RUNS_WORDS } from './words.ts'

export interface RowActions {
  again(run: string): void
  export(runs: readonly string[]): void
  savePages(runs: readonly string[]): void
  delete(runs: readonly string[]): void
}

interface Props {
  runs: readonly ListedRun[]
  chosen: ReadonlySet<string>
  onChoose(runs: readonly string[], isChosen: boolean): void
  /** Null where runs can only be looked at. */
  actions: RowActions | null
}

export function RunTable({ runs, chosen, onChoose, actions }: Props) {
  const words = useWords(RUNS_WORDS)
  const ids = runs.map(({ id }) => id)
  const areAll = ids.every((id) => chosen.has(id))
  return (
    <table className="runs-table">
      <thead>
        <tr>
          <th>
            <input
              type="checkbox"
              aria-label={words.chooseAll}
              checked={areAll}
              onChange={() => onChoose(ids, !areAll)}
            />
          </th>
          <th>{words.status}</th>
          <th>{words.goal}</th>
          <th className="runs-wide">{words.strategy}</th>
          <th className="runs-wide runs-model">{words.model}</th>
          <th className="runs-wide runs-number">{words.cost}</th>
          <th className="runs-wide runs-number">{words.time}</th>
          <th className="runs-wide">{words.changed}</th>
          {actions && (
            <th className="runs-wide">
              <span className="unseen">{words.actions}</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {runs.map((run) => (
          <Row
            key={run.id}
            run={run}
            seen={versionOf(run)}
            isChosen={chosen.has(run.id)}
            onChoose={onChoose}
            actions={actions}
          />
        ))}
      </tbody>
    </table>
  )
}

interface RowProps extends Pick<Props, 'onChoose' | 'actions'> {
  run: ListedRun
  /** Changes with whatever the row shows. */
  seen: string
  isChosen: boolean
}

const Row = memo(
  function Row({ run, isChosen, onChoose, actions }: RowProps) {
    const words = useWords(RUNS_WORDS)
    const { lang } = usePreferences()
    const { id, goal, strategy, changedAt, forkOf, figures } = run
    const title = goalTitle(goal, 200)
    const asks = figures?.openQuestions ?? 0
    const { costUsd } = figures?.usage ?? {}
    const cost = costUsd === undefined ? '–' : costText(costUsd)
    const time = figures ? durationText(activeMsOf(run)) : '–'
    return (
      <tr className={isChosen ? 'is-chosen' : undefined}>
        <td>
          <input
            type="checkbox"
            aria-label={words.choose(title)}
            checked={isChosen}
            onChange={() => onChoose([id], !isChosen)}
          />
        </td>
        <td className="runs-status">
          <StatusPill status={run.status} />
        </td>
        <td className="runs-goal">
          <a className="one-line text" href={addressOf(['runs', id])}>
            {title}
          </a>
          <span className="dim one-line">
            {asks > 0 && <span className="tone-ask">{`${words.asks(asks)} · `}</span>}
            <span className="runs-narrow">{`${strategy} · ${cost} · ${time} · `}</span>
            <span className="mono">{id}</span>
            {forkOf !== null && ` · ${words.fork}`}
          </span>
        </td>
        <td className="runs-wide">
          <span className="tag">{strategy}</span>
        </td>
        <td className="runs-wide runs-model dim">
          <span className="one-line" title={figures?.model ?? undefined}>
            {figures?.model ?? '–'}
          </span>
        </td>
        <td className="runs-wide runs-number numbers">{cost}</td>
        <td className="runs-wide runs-number numbers">{time}</td>
        <td className="runs-wide dim numbers">{timeText(changedAt, lang)}</td>
        {actions && (
          <td className="runs-wide runs-actions">
            <Button look="quiet" icon="redo" aria-label={words.again} onClick={() => actions.again(id)} />
            <Button
              look="quiet"
              icon="download"
              aria-label={words.export}
              onClick={() => actions.export([id])}
            />
            <Button
              look="quiet"
              icon="page"
              aria-label={words.savePage}
              onClick={() => actions.savePages([id])}
            />
            <Button
              look="quiet"
              icon="trash"
              aria-label={words.delete}
              onClick={() => actions.delete([id])}
            />
          </td>
        )}
      </tr>
    )
  },
  (before, after) =>
    before.seen === after.seen && before.isChosen === after.isChosen && before.actions === after.actions,
)

function versionOf(run: ListedRun): string {
  const { changedAt, figures } = run
  const time = figures ? durationText(activeMsOf(run)) : ''
  return `${changedAt} ${run.status} ${time} ${figures?.openQuestions}`
}

/** The time of today's, the day of older ones. */
function timeText(iso: string, lang: string): string {
  const date = new Date(iso)
  const isToday = date.toDateString() === new Date().toDateString()
  const form = isToday ? { timeStyle: 'medium' as const } : { dateStyle: 'medium' as const }
  return new Intl.DateTimeFormat(lang === 'zh' ? 'zh-CN' : 'en', form).format(date)
}
