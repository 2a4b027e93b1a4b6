/** What each agent of a search has to say in its log, event by event. */
import type { Event, EventOf } from '../../../protocol/index.ts'
import type { AgentName } from '../protocol.ts'
import { isMessage } from './fold-thoughts.ts'
import { type Entry, type LogEntry, type Reading, short, titled } from './log-entry.ts'
import { messageEntries } from './log-messages.ts'
import { noteEntries } from './log-notes.ts'
import type { LogWords } from './log-words.ts'

/** In the order of the events, which are those of one block. */
export function logEntries(events: readonly Event[], words: LogWords): LogEntry[] {
  const reading: Reading = { words, round: 0, threshold: null, kinds: new Map() }
  const entries: LogEntry[] = []
  for (const event of events) {
    for (const entry of entriesOf(event, reading))
      entries.push({ ...entry, round: reading.round, ts: event.ts })
  }
  const last = events.at(-1)
  if (last !== undefined && !events.some(({ type }) => type === 'block-end'))
    entries.push({
      agent: 'orchestrator',
      round: reading.round,
      ts: last.ts,
      level: 'error',
      msg: words.notEnded,
    })
  return entries
}

function entriesOf(event: Event, reading: Reading): readonly Entry[] {
  switch (event.type) {
    case 'model-start':
      reading.kinds.set(event.n, event.request.kind)
      return []
    case 'model-end':
      return event.result.ok ? [] : [failedCall(event, event.result.error.message, reading)]
    case 'block-end':
      return [endOf(event, reading.words)]
    case 'note':
      return isMessage(event) ? messageEntries(event.data, reading.words) : noteEntries(event, reading)
    default:
      return []
  }
}

function endOf({ outcome }: EventOf<'block-end'>, words: LogWords): Entry {
  const { status, result, reason } = outcome
  const level = status === 'completed' ? 'info' : status === 'failed' ? 'error' : 'warning'
  const why = reason === undefined ? '' : `: ${short(reason)}`
  return { agent: 'orchestrator', level, msg: `${words.ended[status]}${why}`, data: { status, result } }
}

function failedCall({ n }: EventOf<'model-end'>, message: string, { kinds, words }: Reading): Entry {
  const agent = agentOf(kinds.get(n) ?? '')
  return { agent, level: 'error', msg: words.failedCall(titled(agent), short(message)) }
}

/** Who makes a call of a kind. */
function agentOf(kind: string): AgentName {
  const [, agent] = CALLERS.find(([pattern]) => pattern.test(kind)) ?? []
  return agent ?? 'orchestrator'
}

const CALLERS: readonly [RegExp, AgentName][] = [
  [/decompos/, 'decomposer'],
  [/generat|propos|sampl/, 'generator'],
  [/evaluat|scor|vot/, 'evaluator'],
  [/synthes/, 'synthesizer'],
]
