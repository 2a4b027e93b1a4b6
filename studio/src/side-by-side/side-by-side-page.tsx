/** Two runs side by side: what they cost, how they ended, and where they went different ways. */
import { type CSSProperties, useMemo } from 'react'
import { type BlockState, goalTitle, type RunState } from 'thinkon/protocol'
import { blockRow, costText, countText, durationText, tokensOf } from 'thinkon/views'
import type { Moment, RunLog } from '../data/run-log.ts'
import { useRunLog } from '../data/use-run-log.ts'
import { Empty } from '../parts/notice.tsx'
import { StatusMark, StatusPill } from '../parts/status.tsx'
import { usePreferences, useWords } from '../preferences.ts'
import { addressOf, setQuery, usePlace } from '../routing.ts'
import { UnreadRun } from '../run/unread-run.tsx'
import { alignBlocks, type EditedPrompts, editedPrompts, type Pair } from './align.ts'
import { SIDE_WORDS } from './words.ts'
import './side-by-side.css'

export function SideBySidePage({ runs: [left, right] }: { runs: readonly [string, string] }) {
  const words = useWords(SIDE_WORDS)
  const { query } = usePlace()
  const logs = [useRunLog(left), useRunLog(right)] as const
  const [a, b] = [logs[0].moment(), logs[1].moment()]
  // biome-ignore lint/correctness/useExhaustiveDependencies: the logs are changed in place; their versions say when.
  const { pairs, prompts } = useMemo(() => alignedRuns(...logs), [logs[0].version, logs[1].version])
  const unread = logs.find(({ events }) => events.length === 0)
  if (unread !== undefined) return <UnreadRun log={unread} />
  const isFew = query.all === undefined
  const shown = isFew ? pairs.filter(({ differs }) => differs.length > 0) : pairs
  const shared = sharedEvents(a.state, b.state)
  return (
    <div className="sides">
      <header className="sides-head">
        <h1>{words.title}</h1>
        <label className="sides-few">
          <input
            type="checkbox"
            checked={isFew}
            onChange={({ target }) => setQuery({ all: target.checked ? null : '1' })}
          />
          {words.onlyDifferences}
        </label>
        <span className="dim numbers">
          {words.same(pairs.length - pairs.filter(({ differs }) => differs.length > 0).length)}
        </span>
        {shared !== null && <span className="dim">{words.shared(shared)}</span>}
      </header>
      <table className="sides-table">
        <thead>
          <tr>
            <th scope="col">{words.block}</th>
            {[a, b].map(({ state }) => (
              <th scope="col" key={state.run}>
                <RunHead state={state} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((pair) => (
            <PairRow key={pair.path} pair={pair} moments={[a, b]} prompts={prompts} />
          ))}
        </tbody>
      </table>
      {shown.length === 0 && <Empty title={words.none} />}
    </div>
  )
}

function alignedRuns(left: RunLog, right: RunLog) {
  const prompts = [editedPrompts(left.events), editedPrompts(right.events)] as const
  return { prompts, pairs: alignBlocks(left.moment().state, right.moment().state, prompts) }
}

function RunHead({ state }: { state: RunState }) {
  const words = useWords(SIDE_WORDS)
  const { usage, activeMs, run, goal, strategy, status } = state
  return (
    <div className="sides-run">
      <a className="one-line text" href={addressOf(['runs', run])}>
        {goalTitle(goal)}
      </a>
      <span className="sides-tags">
        <StatusPill status={status} />
        <span className="tag">{strategy}</span>
        {state.config.model && <span className="tag one-line">{state.config.model}</span>}
      </span>
      <span className="dim numbers">
        {usage.calls} {words.calls} · {countText(tokensOf(usage))} {words.tokens} · {durationText(activeMs)}
        {usage.costUsd ? ` · ${costText(usage.costUsd)}` : ''}
      </span>
    </div>
  )
}

interface RowProps {
  pair: Pair
  moments: readonly [Moment, Moment]
  prompts: readonly [EditedPrompts, EditedPrompts]
}

function PairRow({ pair, moments, prompts }: RowProps) {
  const level = pair.path.split('-').length - 1
  return (
    <tr className={pair.differs.length > 0 ? 'sides-differs' : ''}>
      <th scope="row" className="mono" style={{ '--level': Math.min(level, 12) } as CSSProperties}>
        {pair.path}
      </th>
      <Side block={pair.left} moment={moments[0]} pair={pair} prompts={prompts[0]} />
      <Side block={pair.right} moment={moments[1]} pair={pair} prompts={prompts[1]} />
    </tr>
  )
}

interface SideProps {
  block: BlockState | null
  moment: Moment
  pair: Pair
  prompts: EditedPrompts
}

function Side({ block, moment, pair, prompts }: SideProps) {
  const words = useWords(SIDE_WORDS)
  const { lang } = usePreferences()
  if (block === null) return <td className="dim">{words.absent}</td>
  const { title, strategy, note } = blockRow(block, moment.state, { details: moment.details, lang })
  const marked = (what: Pair['differs'][number]) => (pair.differs.includes(what) ? 'sides-mark' : '')
  return (
    <td>
      <a className="sides-block" href={addressOf(['runs', moment.state.run], { block: block.path })}>
        <StatusMark status={block.status} />
        <span className={`one-line text ${marked('goal')}`}>{title}</span>
        {strategy !== '' && <span className={`tag ${marked('strategy')}`}>{strategy}</span>}
      </a>
      {prompts.get(block.path)?.map(({ seq, run }) => (
        <a
          key={seq}
          className={`tag tag-warn ${marked('prompt')}`}
          href={addressOf(['runs', run], { block: block.path, at: String(seq) })}
        >
          {words.editedPrompt(seq)}
        </a>
      ))}
      <span className={`sides-note text ${marked('result')}`}>{note?.text}</span>
    </td>
  )
}

/** How far a fork and its origin, in either order, are the same; null if neither is a fork of the other. */
function sharedEvents(a: RunState, b: RunState): number | null {
  if (a.fork?.from === b.run) return a.fork.at
  return b.fork?.from === a.run ? b.fork.at : null
}
