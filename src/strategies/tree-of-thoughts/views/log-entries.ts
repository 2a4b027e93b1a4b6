/** What each agent of a search has to say in its log, event by event. */
import { type Event, type EventOf, isObject } from '../../../protocol/index.ts'
import { cleanLine } from '../../../views/text-width.ts'
import type { TotNotes } from '../notes.ts'
import type { AgentName, ThoughtMessage, ThoughtMessageType, ThoughtPayloads } from '../protocol.ts'
import { isMessage } from './fold-thoughts.ts'
import type { LogWords } from './log-words.ts'
import { scoreText } from './tree-words.ts'

export interface LogEntry {
  agent: AgentName
  /** The layer; 0 before the first. */
  round: number
  ts: string
  level: 'info' | 'progress' | 'warning' | 'error'
  msg: string
  data?: unknown
}

/** What an agent says because of an event; the event has the time, and the reading the round. */
type Entry = Omit<LogEntry, 'ts' | 'round'>

/** What was read so far. */
interface Reading {
  words: LogWords
  round: number
  threshold: number | null
  /** What kind of call each number is. */
  kinds: Map<number, string>
}

/** In the order of the events, which are those of one block. */
export function logEntries(events: readonly Event[], words: LogWords): LogEntry[] {
  const reading: Reading = { words, round: 0, threshold: null, kinds: new Map() }
  const entries: LogEntry[] = []
  for (const event of events) {
    for (const one of entriesOf(event, reading)) entries.push({ ...one, round: reading.round, ts: event.ts })
  }
  const last = events.at(-1)
  if (last !== undefined && !events.some(({ type }) => type === 'block-end')) {
    const notEnded = entry('orchestrator', 'error', words.notEnded)
    entries.push({ ...notEnded, round: reading.round, ts: last.ts })
  }
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

function entry(agent: AgentName, level: LogEntry['level'], msg: string, data?: unknown): Entry {
  return { agent, level, msg, ...(data !== undefined && { data }) }
}

function endOf({ outcome }: EventOf<'block-end'>, words: LogWords): Entry {
  const { status, result, reason } = outcome
  const level = status === 'completed' ? 'info' : status === 'failed' ? 'error' : 'warning'
  const why = reason === undefined ? '' : `: ${short(reason)}`
  return entry('orchestrator', level, `${words.ended[status]}${why}`, { status, result })
}

function failedCall({ n }: EventOf<'model-end'>, message: string, { kinds, words }: Reading): Entry {
  const kind = kinds.get(n) ?? ''
  const [, agent = 'orchestrator'] = CALLERS.find(([pattern]) => pattern.test(kind)) ?? []
  return entry(agent, 'error', words.failedCall(titled(agent), short(message)))
}

/** Who makes a call of a kind. */
const CALLERS: readonly [RegExp, AgentName][] = [
  [/decompos/, 'decomposer'],
  [/generat|propos|sampl/, 'generator'],
  [/evaluat|scor|vot/, 'evaluator'],
  [/synthes/, 'synthesizer'],
]

function messageEntries({ error, from, type, payload }: ThoughtMessage, words: LogWords): readonly Entry[] {
  if (error !== undefined) {
    const msg = words.failedMessage(titled(from), error.code, short(error.message))
    return [entry(from, error.recoverable ? 'warning' : 'error', msg, error)]
  }
  const made: ((payload: never, words: LogWords) => Entry | Entry[]) | undefined = MESSAGES[type]
  return [made?.(payload as never, words) ?? []].flat()
}

/** A request is logged by whoever is asked, a response by whoever answers. */
const MESSAGES: {
  readonly [K in ThoughtMessageType]: (payload: ThoughtPayloads[K], words: LogWords) => Entry | Entry[]
} = {
  decompose_task: ({ task_type }, words) => [
    entry('orchestrator', 'info', words.taskType(task_type)),
    entry('decomposer', 'info', words.decomposing),
  ],
  decomposition_result: (payload, words) => entry('decomposer', 'info', words.decomposed, payload),
  initialize_search: ({ search_config: { strategy, max_depth } }, words) =>
    entry('explorer', 'info', words.searchReady, { strategy, depth: max_depth }),
  generate_thoughts({ parent_node: { id, content }, num_candidates, generation_strategy }, words) {
    const msg = words.generating(id, num_candidates, generation_strategy)
    return entry('generator', 'progress', msg, { parent: content })
  },
  generated_thoughts({ candidates }, words) {
    const contents = candidates.map(({ content }) => content)
    return entry('generator', 'progress', words.generated(candidates.length), { candidates: contents })
  },
  evaluate_thoughts({ candidates, evaluation_strategy }, words) {
    const msg = words.evaluating(candidates.length, evaluation_strategy)
    return entry('evaluator', 'progress', msg, { candidates: candidates.map(({ id }) => id) })
  },
  evaluation_results({ evaluations, ranking, pruning_suggestions }, words) {
    const best = evaluations.reduce<number | null>((most, { score }) => Math.max(most ?? score, score), null)
    const msg = words.evaluated(evaluations.length, best === null ? null : scoreText(best))
    const scores = Object.fromEntries(evaluations.map(({ node_id, score }) => [node_id, score]))
    return entry('evaluator', 'progress', msg, { scores, ranking, pruning_suggestions })
  },
  synthesize_solution({ best_path }, words) {
    const ids = best_path.map(({ id }) => id)
    return entry('synthesizer', 'info', words.synthesizing(best_path.length), { best_path: ids })
  },
  final_solution({ answer, confidence, verification }, words) {
    const level = verification.is_valid ? 'info' : 'warning'
    return entry('synthesizer', level, words.answer(short(answer)), { answer, confidence, verification })
  },
  search_complete(payload, words) {
    const { total_nodes, total_backtracks, llm_calls } = payload.stats
    const msg = words.searchComplete(total_nodes, total_backtracks, llm_calls)
    return entry('orchestrator', 'info', msg, payload.stats)
  },
}

/** Messages are logged by themselves; a vote among trees is not part of any search. */
type Notes = Omit<TotNotes, 'tot/message' | 'tot/trees-voted'>

function noteEntries({ name, data }: EventOf<'note'>, reading: Reading): readonly Entry[] {
  const made: ((data: never, reading: Reading) => readonly Entry[]) | undefined = NOTES[name as keyof Notes]
  return isObject(data) ? (made?.(data as never, reading) ?? []) : []
}

/** Most are the Explorer's. */
const NOTES: { readonly [K in keyof Notes]: (data: Notes[K], reading: Reading) => readonly Entry[] } = {
  'tot/task-chosen'({ search_config, reason = '' }, reading) {
    reading.threshold = search_config.pruning_threshold
    const why = reason === '' ? undefined : { reason }
    return [entry('orchestrator', 'info', reading.words.config(search_config), why)]
  },
  'tot/layer-start'({ round, expanding }, reading) {
    reading.round = round
    return [entry('explorer', 'progress', reading.words.layerStart(round, expanding.length), { expanding })]
  },
  'tot/nodes-added'({ parent_id, nodes }, { words, round }) {
    if (parent_id === null) return []
    const contents = Object.fromEntries(nodes.map(({ id, content }) => [id, content]))
    const msg = words.nodesAdded(round, nodes.length, parent_id)
    return [entry('explorer', 'progress', msg, { nodes: contents })]
  },
  'tot/nodes-evaluated'({ evaluations, remembered = [] }, { words, threshold }) {
    const entries: Entry[] = []
    if (remembered.length > 0)
      entries.push(entry('evaluator', 'progress', words.remembered(remembered.length), { remembered }))
    for (const { node_id, score, confidence, reasoning } of evaluations) {
      if (threshold === null || score >= threshold) continue
      const msg = words.lowScore(node_id, scoreText(score))
      entries.push(entry('evaluator', 'warning', msg, { confidence, reasoning }))
    }
    return entries
  },
  'tot/layer-selected'({ round, kept, pruned, merged = [] }, { words }) {
    const msg = words.layerSelected(round, kept.length, pruned.length, merged.length)
    return [entry('explorer', 'progress', msg, { kept, pruned, ...(merged.length > 0 && { merged }) })]
  },
  'tot/node-backtracked'({ node_id, to, why }, { words }) {
    const data = why === undefined ? undefined : { why }
    return [entry('explorer', 'progress', words.backtracked(node_id, to ?? '∅'), data)]
  },
  'tot/best-path'({ path, score }, { words }) {
    const msg = words.bestPath(path.join(' → '), score === null ? null : scoreText(score))
    return [entry('explorer', 'info', msg)]
  },
  'tot/adjusted': ({ error, change }, { words }) => [
    entry('explorer', 'warning', words.adjusted(short(error.code), short(change)), { error }),
  ],
  'tot/candidate-dropped': ({ content, why }, { words }) => [
    entry('explorer', 'warning', words.dropped(short(content)), { why }),
  ],
  'tot/solution-verified'({ node_id, answer = '', is_valid, errors = [] }, { words }) {
    const data = { node_id, ...(errors.length > 0 && { errors }) }
    return is_valid
      ? [entry('explorer', 'info', words.verified(short(answer)), data)]
      : [entry('explorer', 'warning', words.notVerified(short(answer)), data)]
  },
}

function titled(agent: string): string {
  return agent.charAt(0).toUpperCase() + agent.slice(1)
}

/** A message is one line. */
function short(text: string): string {
  return cleanLine(text, 300)
}
