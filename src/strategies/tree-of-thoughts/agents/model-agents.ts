/** The agents that ask a model. */

import { type ModelReply, type Result, ThinkonError } from '../../../protocol/index.ts'
import { type JsonSchema, schemaProblem } from '../../../schema/check-schema.ts'
import { invalidReply, readValue } from '../../read-value.ts'
import type { TotContext } from '../context.ts'
import {
  CANDIDATES,
  decomposePrompt,
  evaluatePrompt,
  generatePrompt,
  synthesizePrompt,
  taskTypePrompt,
  VALUE,
  VOTE,
  votePrompt,
} from '../prompts.ts'
import { type Candidate, type NodeEvaluation, TASK_TYPES, type TaskType } from '../protocol.ts'
import { type Agent, type Agents, unwrap } from './agent.ts'
import { type Ballot, meanValue, ranked, tally } from './tally.ts'

/** The Orchestrator's question. */
export async function askTaskType(
  context: TotContext,
  problem: string,
): Promise<{ taskType: TaskType; reason: string }> {
  const reply = await context.one(context.model(taskTypePrompt(context, problem)))
  const { task_type, reason } = (readValue(reply) ?? {}) as { task_type?: unknown; reason?: unknown }
  if (!TASK_TYPES.includes(task_type as TaskType))
    throw invalidReply(`"task_type" must be one of ${TASK_TYPES.join(', ')}`, reply.value ?? reply.text)
  return { taskType: task_type as TaskType, reason: typeof reason === 'string' ? reason : '' }
}

const decomposer: Agent<'decompose_task'> = {
  asksModel: true,
  begin: ({ payload }, context) => [context.model(decomposePrompt(context, payload))],
  end: (_request, [result]) => replyOf(result),
}

/** At a higher temperature after a failure, and where several draws should differ. */
const generator: Agent<'generate_thoughts'> = {
  asksModel: true,
  begin({ payload }, context, again) {
    const { generation_strategy, num_candidates: of } = payload
    if (generation_strategy === 'sequential_proposal')
      return [context.model(generatePrompt(context, payload, null, again ? 1 : 0.7))]
    const draws = Array.from({ length: of }, (_, i) => ({ n: i + 1, of }))
    return draws.map((draw) => context.model(generatePrompt(context, payload, draw, again ? 1.2 : 1)))
  },
  /** A failed draw is one candidate fewer; the generation fails only when all draws do. */
  end({ payload }, results) {
    const replies = results.map((result) => attempt(() => candidatesOf(result)))
    const drawn = payload.generation_strategy === 'independent_sampling'
    const candidates = replies.flatMap((reply) =>
      reply.ok ? (drawn ? reply.value.slice(0, 1) : reply.value) : [],
    )
    if (candidates.length === 0) {
      const failed = replies.find((reply) => !reply.ok)
      throw failed?.ok === false ? failed.thrown : new ThinkonError('MODEL_ERROR', 'no candidates came')
    }
    return { candidates: candidates.map((candidate, i) => ({ ...candidate, temp_id: `cand_${i + 1}` })) }
  },
}

function candidatesOf(result: Result | undefined): Omit<Candidate, 'temp_id'>[] {
  const { candidates } = checked(result, CANDIDATES) as { candidates: Partial<Candidate>[] }
  return candidates
    .filter(({ content, metadata }) => content?.trim() !== '' || metadata?.goal !== undefined)
    .map(({ content = '', action_type = 'thought', metadata }) => ({
      content,
      action_type,
      ...(metadata === undefined ? {} : { metadata }),
    }))
}

const evaluator: Agent<'evaluate_thoughts'> = {
  asksModel: true,
  begin({ payload }, context, again) {
    const { samples, votes } = context.options
    if (payload.evaluation_strategy === 'comparative_voting') {
      const of = again ? 1 : votes
      return times(of).map((n) => context.model(votePrompt(context, payload, { n, of })))
    }
    const of = again ? 1 : samples
    return payload.candidates.flatMap((node) =>
      times(of).map((n) => context.model(evaluatePrompt(context, payload, node, { n, of }))),
    )
  },
  /** Values come from the replies that can be used; the evaluation fails only when none can. */
  end({ payload }, results) {
    const { candidates, evaluation_strategy } = payload
    const voting = evaluation_strategy === 'comparative_voting'
    const replies = results.map((result) => attempt(() => checked(result, voting ? VOTE : VALUE)))
    const failed = replies.find((reply) => !reply.ok)
    if (failed?.ok === false && replies.every((reply) => !reply.ok)) throw failed.thrown
    const evaluations = voting
      ? tally(
          candidates.map(({ id }) => id),
          replies.flatMap((reply) => (reply.ok ? [reply.value as Ballot] : [])),
        )
      : candidates.flatMap(({ id }, i) => {
          const each = results.length / candidates.length
          const own = replies.slice(i * each, (i + 1) * each)
          return meanValue(
            id,
            own.flatMap((reply) => (reply.ok ? [reply.value as Omit<NodeEvaluation, 'node_id'>] : [])),
          )
        })
    return { evaluations, ranking: ranked(evaluations), pruning_suggestions: hopeless(evaluations) }
  },
}

/** The Evaluator does not know the threshold: it advises only against dead ends. */
function hopeless(evaluations: readonly NodeEvaluation[]): string[] {
  return evaluations
    .filter(({ score, confidence }) => score < 1 && confidence >= 0.7)
    .map(({ node_id }) => node_id)
}

const synthesizer: Agent<'synthesize_solution'> = {
  asksModel: true,
  begin: ({ payload }, context) => [context.model(synthesizePrompt(context, payload))],
  end: (_request, [result]) => replyOf(result),
}

export const MODEL_AGENTS: Agents = { decomposer, generator, evaluator, synthesizer }

function replyOf(result: Result | undefined): unknown {
  return readValue(unwrap(result) as ModelReply)
}

function checked(result: Result | undefined, schema: JsonSchema): unknown {
  const value = replyOf(result)
  const problem = schemaProblem(value, schema)
  if (problem !== undefined) throw invalidReply(problem, value)
  return value
}

type Attempt<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly thrown: unknown }

function attempt<T>(work: () => T): Attempt<T> {
  try {
    return { ok: true, value: work() }
  } catch (thrown) {
    return { ok: false, thrown }
  }
}

function times(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}
