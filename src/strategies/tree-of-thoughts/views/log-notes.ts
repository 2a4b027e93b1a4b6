/** Notes in the logs: most are the Explorer's. */
import { type EventOf, isObject } from '../../../protocol/index.ts'
import type { TotNotes } from '../notes.ts'
import { type Entry, type LogEntry, type Reading, short } from './log-entry.ts'
import { scoreText } from './tree-words.ts'

export function noteEntries({ name, data }: EventOf<'note'>, reading: Reading): readonly Entry[] {
  const entries: ((data: never, reading: Reading) => readonly Entry[]) | undefined =
    NOTES[name as keyof Notes]
  return isObject(data) ? (entries?.(data as never, reading) ?? []) : []
}

/** Messages are logged by themselves. */
type Notes = Omit<TotNotes, 'tot/message'>

type EntriesOf<K extends keyof Notes> = (data: Notes[K], reading: Reading) => readonly Entry[]

const NOTES: { readonly [K in keyof Notes]: EntriesOf<K> } = {
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
    const entries: Entry[] = []
    if (remembered.length > 0)
      entries.push({
        agent: 'evaluator',
        level: 'progress',
        msg: words.remembered(remembered.length),
        data: { remembered },
      })
    for (const { node_id, score, confidence, reasoning } of evaluations) {
      if (threshold === null || score >= threshold) continue
      const msg = words.lowScore(node_id, scoreText(score))
      entries.push({ agent: 'evaluator', level: 'warning', msg, data: { confidence, reasoning } })
    }
    return entries
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
    explored('warning', words.adjusted(short(error.code), short(change)), { error }),
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

function explored(level: LogEntry['level'], msg: string, data?: unknown): Entry {
  return { agent: 'explorer', level, msg, ...(data !== undefined && { data }) }
}
