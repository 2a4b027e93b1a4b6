/** Messages in the logs: a request is logged by whoever is asked, a response by whoever answers. */
import type { ThoughtMessage, ThoughtMessageType } from '../protocol.ts'
import { type Entry, short, titled } from './log-entry.ts'
import type { LogWords } from './log-words.ts'
import { scoreText } from './tree-words.ts'

export function messageEntries(message: ThoughtMessage, words: LogWords): readonly Entry[] {
  const { error, from, type } = message
  if (error !== undefined) {
    const level = error.recoverable ? 'warning' : 'error'
    const msg = words.failedMessage(titled(from), error.code, short(error.message))
    return [{ agent: from, level, msg, data: error }]
  }
  return (MESSAGES[type] as EntriesOf<ThoughtMessageType> | undefined)?.(message, words) ?? []
}

type EntriesOf<K extends ThoughtMessageType> = (
  message: ThoughtMessage<K>,
  words: LogWords,
) => readonly Entry[]

const MESSAGES: { readonly [K in ThoughtMessageType]: EntriesOf<K> } = {
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
