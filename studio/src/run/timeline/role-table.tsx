/** What each role of models, and tools, took: time, calls, tokens, money. */
import type { RunState } from 'thinkon/protocol'
import { costText, countText, durationText, type RunTimeline, tokensOf } from 'thinkon/views'
import { useWords } from '../../preferences.ts'
import { TIMELINE_WORDS } from './words.ts'

export function RoleTable({ line, state }: { line: RunTimeline; state: RunState }) {
  const words = useWords(TIMELINE_WORDS)
  const names = [...new Set([...Object.keys(state.roles), ...line.roles.keys()])]
  if (names.length === 0) return null
  return (
    <table className="roles">
      <caption className="unseen">{words.roles}</caption>
      <thead>
        <tr>
          <th scope="col">{words.role}</th>
          <th scope="col">{words.time}</th>
          <th scope="col">{words.calls}</th>
          <th scope="col">{words.tokens}</th>
          <th scope="col">{words.cost}</th>
        </tr>
      </thead>
      <tbody>
        {names.map((name) => {
          const usage = state.roles[name]
          return (
            <tr key={name}>
              <th scope="row">{name === 'tool' ? words.tool : name}</th>
              <td>{durationText(line.roles.get(name) ?? 0)}</td>
              <td>{usage?.calls ?? 0}</td>
              <td>{usage === undefined ? '0' : countText(tokensOf(usage))}</td>
              <td>{usage?.costUsd ? costText(usage.costUsd) : '–'}</td>
            </tr>
          )
        })}
      </tbody>
    </table>
  )
}
