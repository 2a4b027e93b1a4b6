/** A message between agents on one line: number, time, path, who to whom, what, and the gist of it. */
import type { EventOf } from '../../../protocol/index.ts'
import { type Line, segment } from '../../../views/line.ts'
import { cleanLine, fitText } from '../../../views/text-width.ts'
import type { ThoughtMessage, ThoughtMessageType, ThoughtPayloads } from '../protocol.ts'
import { scoreText } from './tree-words.ts'

export function messageLine(event: EventOf<'note'> & { data: ThoughtMessage }, width: number): Line {
  const { from, to, type, payload, error } = event.data
  const head = `${String(event.seq).padStart(5)}  ${event.ts.slice(11, 23)}  ${event.path}  `
  const way = `${from} → ${to}`.padEnd(28)
  const what = `  ${type.padEnd(20)}  `
  const room = Math.max(20, width - head.length - way.length - what.length - 1)
  const gist =
    error === undefined
      ? (GISTS[type]?.(payload as never) ?? '')
      : `${error.code}: ${cleanLine(error.message)}`
  return [
    segment(head, 'dim'),
    segment(way, 'strong'),
    segment(what, error === undefined ? 'active' : 'bad'),
    segment(fitText(cleanLine(gist, 1_000), room)),
  ]
}

const GISTS: { readonly [K in ThoughtMessageType]: (payload: ThoughtPayloads[K]) => string } = {
  decompose_task: ({ task_type, problem }) => `${task_type}: ${problem}`,
  decomposition_result: ({ thought_granularity, intermediate_steps, depth_estimate }) =>
    `${thought_granularity}, depth ${depth_estimate}: ${intermediate_steps.join(' · ')}`,
  initialize_search: ({ search_config: { strategy, max_depth, branching_factor, pruning_threshold } }) =>
    `${strategy}, depth ${max_depth}, branching ${branching_factor}, threshold ${pruning_threshold}`,
  generate_thoughts: ({ parent_node, num_candidates, generation_strategy }) =>
    `${num_candidates} below ${parent_node.id} (${parent_node.content}), ${generation_strategy}`,
  generated_thoughts: ({ candidates }) =>
    `${candidates.length}: ${candidates.map(({ content }) => content).join(' · ')}`,
  evaluate_thoughts: ({ candidates, evaluation_strategy }) =>
    `${candidates.length}, ${evaluation_strategy}: ${candidates.map(({ id }) => id).join(' ')}`,
  evaluation_results: ({ evaluations }) =>
    evaluations.map(({ node_id, score }) => `${node_id} ${scoreText(score)}`).join(' · '),
  synthesize_solution: ({ best_path }) => best_path.map(({ id }) => id).join(' → '),
  final_solution: ({ answer, verification, confidence }) =>
    `${verification.is_valid ? '✓ ' : ''}${answer} (confidence ${confidence})`,
  search_complete: ({ best_path, stats }) =>
    `${stats.total_nodes} nodes, ${stats.total_backtracks} backtracks, ${stats.llm_calls} calls: ${best_path.map(({ id }) => id).join(' → ')}`,
}
