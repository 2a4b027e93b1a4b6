/** What each agent of a search has to say in its log, event by event. */
import type { Event, EventOf } from '../../../protocol/index.ts'
import { oneLine } from '../../../views/text-width.ts'
import { type AgentName, THOUGHT_MESSAGE, type ThoughtMessage, type ThoughtMessageType } from '../protocol.ts'
import type { LogWords } from './log-words.ts'
import { isMessage, type ThoughtNotes } from './thought-tree.ts'

export interface LogEntry {
  agent: AgentName
  /** The layer; 0 before the first. */
  round: number
  ts: string
  level: 'info' | 'progress' | 'warning' | 'error'
  msg: string
  data?: unknown
}

type Said = Omit<LogEntry, 'ts' | 'round'>

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
    for (const said of saidBy(event, reading)) entries.push({ ...said, round: reading.round, ts: event.ts })
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

function saidBy(event: Event, reading: Reading): readonly Said[] {
  switch (event.type) {
    case 'model-start':
      reading.kinds.set(event.n, event.request.kind)
      return []
    case 'model-end':
      return event.result.ok ? [] : [failedCall(event, event.result.error.message, reading)]
    case 'block-end':
      return [endOf(event, reading.words)]
    case 'note':
      if (event.data === null || typeof event.data !== 'object') return []
      if (isMessage(event)) return saidInMessage(event.data, reading.words)
      return event.name === THOUGHT_MESSAGE ? [] : (NOTES[event.name]?.(event.data as never, reading) ?? [])
    default:
      return []
  }
}

function endOf({ outcome }: EventOf<'block-end'>, words: LogWords): Said {
  const { status, result, reason } = outcome
  const level = status === 'completed' ? 'info' : status === 'failed' ? 'error' : 'warning'
  const why = reason === undefined ? '' : `: ${short(reason)}`
  return { agent: 'orchestrator', level, msg: `${words.ended[status]}${why}`, data: { status, result } }
}

function failedCall({ n }: EventOf<'model-end'>, message: string, { kinds, words }: Reading): Said {
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

// --- messages: a request is logged by whoever is asked, a response by whoever answers

type Told<K extends ThoughtMessageType> = (message: ThoughtMessage<K>, words: LogWords) => readonly Said[]

const MESSAGES: { readonly [K in ThoughtMessageType]: Told<K> } = {
  decompose_task: (_, words) => [{ agent: 'decomposer', level: 'info', msg: words.decomposing }],
  decomposition_result: ({ payload }, words) => [
    { agent: 'decomposer', level: 'info', msg: words.decomposed, data: payload },
  ],
  initialize_search: ({ payload: { search_config } }, words) => [
    {
      agent: 'explorer',
      level: 'info',
      msg: words.searchReady,
      data: { strategy: search_config.strategy, depth: search_config.max_depth },
    },
  ],
  generate_thoughts: ({ payload }, words) => {
    const { parent_node, num_candidates, generation_strategy } = payload
    return [
      {
        agent: 'generator',
        level: 'progress',
        msg: words.generating(parent_node.id, num_candidates, generation_strategy),
        data: { parent: parent_node.content },
      },
    ]
  },
  generated_thoughts: ({ payload: { candidates } }, words) => [
    {
      agent: 'generator',
      level: 'progress',
      msg: words.generated(candidates.length),
      data: { candidates: candidates.map(({ content }) => content) },
    },
  ],
  evaluate_thoughts: ({ payload: { candidates, evaluation_strategy } }, words) => [
    {
      agent: 'evaluator',
      level: 'progress',
      msg: words.evaluating(candidates.length, evaluation_strategy),
      data: { candidates: candidates.map(({ id }) => id) },
    },
  ],
  evaluation_results: ({ payload: { evaluations, ranking, pruning_suggestions } }, words) => {
    const best = evaluations.reduce<number | null>((most, { score }) => Math.max(most ?? score, score), null)
    return [
      {
        agent: 'evaluator',
        level: 'progress',
        msg: words.evaluated(evaluations.length, best === null ? null : scoreText(best)),
        data: {
          scores: Object.fromEntries(evaluations.map(({ node_id, score }) => [node_id, score])),
          ranking,
          pruning_suggestions,
        },
      },
    ]
  },
  synthesize_solution: ({ payload: { best_path } }, words) => [
    {
      agent: 'synthesizer',
      level: 'info',
      msg: words.synthesizing(best_path.length),
      data: { best_path: best_path.map(({ id }) => id) },
    },
  ],
  final_solution: ({ payload }, words) => {
    const { answer, confidence, verification } = payload
    return [
      {
        agent: 'synthesizer',
        level: verification.is_valid ? 'info' : 'warning',
        msg: words.answer(short(answer)),
        data: { answer, confidence, verification },
      },
    ]
  },
  search_complete: ({ payload: { stats } }, words) => [
    {
      agent: 'orchestrator',
      level: 'info',
      msg: words.searchComplete(stats.total_nodes, stats.total_backtracks, stats.llm_calls),
      data: stats,
    },
  ],
}

function saidInMessage(message: ThoughtMessage, words: LogWords): readonly Said[] {
  const { error, from, type } = message
  if (error !== undefined) {
    const level = error.recoverable ? 'warning' : 'error'
    const msg = words.failedMessage(titled(from), error.code, short(error.message))
    return [{ agent: from, level, msg, data: error }]
  }
  return (MESSAGES[type] as Told<ThoughtMessageType> | undefined)?.(message, words) ?? []
}

// --- notes

type Noted<K extends keyof ThoughtNotes> = (data: ThoughtNotes[K], reading: Reading) => readonly Said[]

const NOTED: { readonly [K in keyof ThoughtNotes]: Noted<K> } = {
  'tot/task-chosen'({ task_type, search_config, reason = '' }, reading) {
    reading.threshold = search_config.pruning_threshold
    const type = { agent: 'orchestrator', level: 'info', msg: reading.words.taskType(task_type) } as const
    return [
      reason === '' ? type : { ...type, data: { reason } },
      { agent: 'orchestrator', level: 'info', msg: reading.words.config(search_config) },
    ]
  },
  'tot/layer-start'({ round, expanding }, reading) {
    reading.round = round
    return [explored('progress', reading.words.layerStart(round, expanding.length), { expanding })]
  },
  'tot/nodes-added'({ parent_id, nodes }, { words, round }) {
    if (parent_id === null) return []
    const contents = Object.fromEntries(nodes.map(({ id, content }) => [id, content]))
    return [explored('progress', words.nodesAdded(round, nodes.length, parent_id), { nodes: contents })]
  },
  'tot/nodes-evaluated'({ evaluations, remembered = [] }, { words, threshold }) {
    const said: Said[] = []
    if (remembered.length > 0)
      said.push({
        agent: 'evaluator',
        level: 'progress',
        msg: words.remembered(remembered.length),
        data: { remembered },
      })
    for (const { node_id, score, confidence, reasoning } of evaluations) {
      if (threshold === null || score >= threshold) continue
      const msg = words.lowScore(node_id, scoreText(score))
      said.push({ agent: 'evaluator', level: 'warning', msg, data: { confidence, reasoning } })
    }
    return said
  },
  'tot/layer-selected'({ round, kept, pruned, merged = [] }, { words }) {
    const msg = words.layerSelected(round, kept.length, pruned.length, merged.length)
    return [explored('progress', msg, { kept, pruned, ...(merged.length > 0 && { merged }) })]
  },
  'tot/node-backtracked': ({ node_id, to, why }, { words }) => [
    explored('progress', words.backtracked(node_id, to ?? '∅'), why === undefined ? undefined : { why }),
  ],
  'tot/best-path': ({ path, score }, { words }) => [
    explored('info', words.bestPath(path.join(' → '), score === null ? null : scoreText(score))),
  ],
  'tot/adjusted': ({ error, change }, { words }) => [
    explored(
      'warning',
      words.adjusted(short(typeof error === 'string' ? error : error.code), short(change)),
      typeof error === 'string' ? undefined : { error },
    ),
  ],
  'tot/candidate-dropped': ({ content, why }, { words }) => [
    explored('warning', words.dropped(short(content)), { why }),
  ],
  'tot/solution-verified'({ node_id, answer = '', is_valid, errors = [] }, { words }) {
    const data = { node_id, ...(errors.length > 0 && { errors }) }
    return is_valid
      ? [explored('info', words.verified(short(answer)), data)]
      : [explored('warning', words.notVerified(short(answer)), data)]
  },
}
const NOTES: Readonly<Record<string, ((data: never, reading: Reading) => readonly Said[]) | undefined>> =
  NOTED

function explored(level: LogEntry['level'], msg: string, data?: unknown): Said {
  return { agent: 'explorer', level, msg, ...(data !== undefined && { data }) }
}

/** 8.5, 10, 7.33: as it is, without digits that nobody gave. */
export function scoreText(score: number): string {
  return String(Math.round(score * 100) / 100)
}

function titled(agent: string): string {
  return agent.charAt(0).toUpperCase() + agent.slice(1)
}

/** A message is one line. */
function short(text: string): string {
  return oneLine(text, 300)
}
