/** The agents that ask a model. */
import type { Schema } from '../../../kernel/schema.ts'
import { isObject, type ModelReply, type Result, ThinkonError } from '../../../protocol/index.ts'
import { invalidReply, readValue } from '../../read-value.ts'
import { message } from '../messages.ts'
import {
  decomposeBrief,
  evaluateBrief,
  generateBrief,
  synthesizeBrief,
  taskTypeBrief,
  voteBrief,
} from '../prompts.ts'
import {
  type Candidate,
  type NodeEvaluation,
  TASK_TYPES,
  type TaskType,
  type ThoughtNode,
  type ThoughtPayloads,
} from '../protocol.ts'
import {
  type Ballot,
  candidatesSchema,
  type TotContext,
  type Value,
  valueSchema,
  voteSchema,
} from '../schema.ts'
import { ballotNames } from '../sections.ts'
import { type Agent, type Agents, unwrap } from './agent.ts'
import { withCountedScore } from './counted-score.ts'
import { meanValue, ranked, tally } from './tally.ts'

/** The Orchestrator's question. */
export async function askTaskType(
  context: TotContext,
  problem: string,
): Promise<{ task_type: TaskType; reason: string }> {
  const reply = await context.one(context.model(taskTypeBrief(context, problem)))
  const { task_type, reason } = (readValue(reply) ?? {}) as { task_type?: unknown; reason?: unknown }
  if (!TASK_TYPES.includes(task_type as TaskType))
    throw invalidReply(`"task_type" must be one of ${TASK_TYPES.join(', ')}`, reply.value ?? reply.text)
  return { task_type: task_type as TaskType, reason: typeof reason === 'string' ? reason : '' }
}

const decomposer: Agent<'decompose_task'> = {
  asksModel: true,
  begin: ({ payload }, context) => [context.model(decomposeBrief(context, payload))],
  end: (_request, [result]) => replyOf(result),
}

/** At a higher temperature after a failure, and where several draws should differ. */
const generator: Agent<'generate_thoughts'> = {
  asksModel: true,
  begin({ payload }, context, again, around) {
    const { generation_strategy, num_candidates: of } = payload
    if (generation_strategy === 'sequential_proposal')
      return [context.model(generateBrief(context, payload, around, null, again ? 1 : 0.7))]
    return times(of).map((n) =>
      context.model(generateBrief(context, payload, around, { n, of }, again ? 1.2 : 1)),
    )
  },
  /** A failed draw is one candidate fewer; the generation fails only when all draws do. */
  end({ payload }, results) {
    const drawn = payload.generation_strategy === 'independent_sampling'
    const candidates = usableReplies(results, candidatesSchema).flatMap((reply) => {
      const offered = reply === null ? [] : candidatesOf(reply.candidates)
      return drawn ? offered.slice(0, 1) : offered
    })
    if (candidates.length === 0) throw new ThinkonError('MODEL_ERROR', 'no candidates came')
    return { candidates: candidates.map((candidate, i) => ({ ...candidate, temp_id: `cand_${i + 1}` })) }
  },
}

function candidatesOf(offered: readonly Partial<Candidate>[]): Omit<Candidate, 'temp_id'>[] {
  return offered
    .filter(({ content, metadata }) => content?.trim() !== '' || metadata?.goal !== undefined)
    .map(({ content = '', action_type = 'thought', metadata }) => ({
      content,
      action_type,
      ...(metadata === undefined ? {} : { metadata }),
    }))
}

const evaluator: Agent<'evaluate_thoughts'> = {
  asksModel: true,
  begin({ payload }, context, again, around) {
    const { samples, votes } = context.options
    if (payload.evaluation_strategy === 'comparative_voting') {
      const of = again || payload.candidates.length === 1 ? 1 : votes
      return times(of).map((n) => {
        // What stands first is preferred: every ballot has an order of its own, which its request records.
        const order = shuffled(payload.candidates, context)
        return context.model(voteBrief(context, payload, around, { n, of }, order))
      })
    }
    const of = again ? 1 : samples
    return payload.candidates.flatMap((node) =>
      times(of).map((n) => context.model(evaluateBrief(context, payload, around, node, { n, of }))),
    )
  },
  /** Values come from the replies that can be used; the evaluation fails only when none can. */
  end({ payload }, results) {
    const { candidates, evaluation_strategy, evaluation_criteria: criteria } = payload
    const ids = candidates.map(({ id }) => id)
    if (evaluation_strategy === 'comparative_voting') {
      const ballots = usableReplies(results, voteSchema(criteria)).flatMap((ballot) =>
        ballot === null ? [] : withIds(ballot, candidates),
      )
      const evaluations = tally(ids, ballots)
      const ranking = evaluations.map(({ node_id }) => node_id)
      return { evaluations, ranking, pruning_suggestions: hopeless(evaluations) }
    }
    const values = usableReplies(results, valueSchema(criteria))
    const evaluations = scored(
      ids,
      values.map((value) => value && withCountedScore(value)),
    )
    return { evaluations, ranking: ranked(evaluations), pruning_suggestions: hopeless(evaluations) }
  },
}

/** Which of several whole answers most ballots name; the first where no ballot can be used. */
export async function castBallots(
  context: TotContext,
  problem: string,
  answers: readonly string[],
): Promise<number> {
  const candidates = answers.map((content, i): ThoughtNode => {
    const id = `answer_${i + 1}`
    const node = { id, parent_id: null, children_ids: [], depth: 1, content, action_type: 'answer' }
    return { ...node, evaluation: null, status: 'terminal' }
  })
  const request = message('evaluate_thoughts', '', {
    candidates,
    evaluation_strategy: 'comparative_voting',
    evaluation_criteria: ['correctness', 'how well it does what the problem asks for'],
    context: { problem, goal: '', current_depth: 1, max_depth: 1 },
  })
  const results = await context.all(evaluator.begin(request, context, false, null))
  try {
    const { ranking } = evaluator.end(request, results) as ThoughtPayloads['evaluation_results']
    return Math.max(
      0,
      candidates.findIndex(({ id }) => id === ranking[0]),
    )
  } catch {
    return 0
  }
}

/** Under the candidates' own ids; a program that judges names those. */
function withIds(ballot: Ballot, candidates: readonly ThoughtNode[]): Ballot {
  const ids = new Map([...ballotNames(candidates)].map(([id, name]) => [name, id]))
  const idOf = (name: string) => ids.get(name.replace(/^\[|\]$/g, '')) ?? name
  return {
    ...(ballot.best !== undefined && { best: idOf(ballot.best) }),
    evaluations: ballot.evaluations.map((given) => ({
      ...withCountedScore(given),
      node_id: idOf(given.node_id),
    })),
  }
}

function shuffled<T>(given: readonly T[], context: TotContext): T[] {
  const left = [...given]
  return given.map(() => left.splice(Math.floor(context.random() * left.length), 1)[0] as T)
}

/** Every thought has as many samples as any other, one thought after the other. */
function scored(ids: readonly string[], samples: readonly (Value | null)[]): NodeEvaluation[] {
  const each = samples.length / ids.length
  return ids.flatMap((id, i) =>
    meanValue(
      id,
      samples.slice(i * each, (i + 1) * each).filter((reply) => reply !== null),
    ),
  )
}

/** The Evaluator does not know the threshold: it advises only against dead ends. */
function hopeless(evaluations: readonly NodeEvaluation[]): string[] {
  return evaluations
    .filter(({ score, confidence }) => score < 1 && confidence >= 0.7)
    .map(({ node_id }) => node_id)
}

const synthesizer: Agent<'synthesize_solution'> = {
  asksModel: true,
  begin: ({ payload }, context, again, around) => [
    context.model(synthesizeBrief(context, payload, around, again ? 0.7 : 0)),
  ],
  end(_request, [result]) {
    const solution = replyOf(result)
    if (isObject(solution) && typeof solution.answer === 'string' && solution.answer.trim() === '')
      throw invalidReply('"answer" is empty', solution)
    return solution
  },
}

export const MODEL_AGENTS: Agents = { decomposer, generator, evaluator, synthesizer }

function replyOf(result: Result | undefined): unknown {
  return readValue(unwrap(result) as ModelReply)
}

/** Each reply as its schema reads it, null where it can't be used. When none can, throws what the first failed with. */
function usableReplies<T>(results: readonly Result[], schema: Schema<T>): (T | null)[] {
  const failures: unknown[] = []
  const replies = results.map((result) => {
    try {
      return schema.check(replyOf(result))
    } catch (thrown) {
      failures.push(thrown)
      return null
    }
  })
  if (failures.length > 0 && failures.length === replies.length) throw failures[0]
  return replies
}

function times(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i + 1)
}
