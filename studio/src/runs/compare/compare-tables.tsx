/** The figures of groups and of runs. A click on a head sorts by it; where is in the address. */
import { StatusPill } from '../../parts/status.tsx'
import { useWords } from '../../preferences.ts'
import { addressOf, setQuery, usePlace } from '../../routing.ts'
import { figureText, qualityText } from './figure-text.ts'
import { GroupMark } from './plot.tsx'
import { type Compared, type Group, type Grouping, MEASURES, type SortKey, sorted } from './summary.ts'
import { COMPARE_WORDS } from './words.ts'

export function GroupTable({ groups, by }: { groups: readonly Group[]; by: Grouping }) {
  const words = useWords(COMPARE_WORDS)
  return (
    <section className="compare-scroll" aria-label={words.means} tabIndex={0}>
      <table className="compare-table">
        <thead>
          <tr>
            <th>{words.names[by]}</th>
            <th className="runs-number">{words.runs}</th>
            <th className="runs-number">{words.completed}</th>
            <th className="runs-number">{words.names.quality}</th>
            {MEASURES.map((measure) => (
              <th key={measure} className="runs-number">
                {words.names[measure]}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {groups.map((group, at) => (
            <tr key={group.name}>
              <td className="compare-name">
                <GroupMark at={at} />
                <span className="one-line text">{group.name}</span>
              </td>
              <td className="runs-number numbers">{group.runs.length}</td>
              <td className="runs-number numbers">{group.completed}</td>
              <td className="runs-number numbers">{qualityText(group.quality)}</td>
              {MEASURES.map((measure) => (
                <td key={measure} className="runs-number numbers">
                  {figureText(measure, group[measure])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

const COLUMNS = ['status', 'goal', 'strategy', 'model', 'quality', ...MEASURES] as const satisfies SortKey[]
const FIGURES: ReadonlySet<string> = new Set(['quality', ...MEASURES])

export function RunsTable({
  runs,
  groups,
  by,
}: {
  runs: readonly Compared[]
  groups: readonly Group[]
  by: Grouping
}) {
  const words = useWords(COMPARE_WORDS)
  const { sort = 'costUsd', down } = usePlace().query
  const key = COLUMNS.find((name) => name === sort) ?? 'costUsd'
  const isDown = down !== undefined
  const places = new Map(groups.map(({ name }, at) => [name, at]))
  return (
    <section className="compare-scroll" aria-label={words.each} tabIndex={0}>
      <table className="compare-table">
        <thead>
          <tr>
            {COLUMNS.map((name) => (
              <th
                key={name}
                className={FIGURES.has(name) ? 'runs-number' : undefined}
                aria-sort={name !== key ? 'none' : isDown ? 'descending' : 'ascending'}
              >
                <button
                  type="button"
                  className="compare-sort"
                  onClick={() => setQuery({ sort: name, down: name === key && !isDown ? '1' : null })}
                >
                  {words.names[name]}
                  <span aria-hidden="true">{name !== key ? '' : isDown ? ' ↓' : ' ↑'}</span>
                </button>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted(runs, key, isDown).map((run) => (
            <tr key={run.id}>
              <td>
                <StatusPill status={run.status} />
              </td>
              <td className="compare-goal">
                <GroupMark at={places.get(run[by]) ?? 0} />
                <a className="one-line text" href={addressOf(['runs', run.id])} title={run.id}>
                  {run.goal}
                </a>
              </td>
              <td>
                <span className="tag text">{run.setting}</span>
              </td>
              <td className="dim">{run.model}</td>
              <td className="runs-number numbers">{qualityText(run.quality)}</td>
              {MEASURES.map((measure) => (
                <td key={measure} className="runs-number numbers">
                  {figureText(measure, run[measure])}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
