/** Has thoughts evaluated: each state once, in one request; those that failed once more, simpler. */

import { codeAgent } from '../agents/agent.ts'
import { exchange, type Reply } from '../agents/exchange.ts'
import { agreement, ranked } from '../agents/tally.ts'
import type { Evaluation, NodeEvaluation, ThoughtPayloads } from '../protocol.ts'
import { isVoting, noteAdjusted, noteFailure, type Search } from './search.ts'
import { nodeOf, type Thought } from './tree.ts'

export async function evaluate(search: Search, thoughts: readonly Thought[]): Promise<void> {
  const settled = thoughts.filter((thought) => thought.settled !== null)
  if (settled.length > 0) await evaluateSettled(search, settled)
  const open = thoughts.filter((thought) => thought.settled === null)
  if (open.length > 0) await evaluateOpen(search, open)
}

/** What a program knows is not asked of the Evaluator; it is a message like any other. */
async function evaluateSettled(search: Search, thoughts: readonly Thought[]): Promise<void> {
  const evaluations = thoughts.map(({ id, settled }) => ({
    node_id: id,
    score: settled?.leads ? 10 : 0,
    confidence: 1,
    reasoning: settled?.reasoning ?? '',
  }))
  const pruning_suggestions = thoughts.filter(({ settled }) => !settled?.leads).map(({ id }) => id)
  const answer = { evaluations, ranking: ranked(evaluations), pruning_suggestions }
  const [reply] = await exchange(search, 'evaluate_thoughts', [requestFor(search, thoughts)], {
    by: codeAgent(() => answer),
  })
  if (reply !== undefined) take(search, thoughts, reply)
  noteEvaluations(search, thoughts, [])
}

async function evaluateOpen(search: Search, thoughts: readonly Thought[]): Promise<void> {
  const { remembered, context } = search
  const { remember } = context.options
  // A vote compares: what is known already is part of it.
  const known = remember && !isVoting(search) ? thoughts.filter(({ key }) => remembered.has(key)) : []
  for (const thought of known) thought.evaluation = remembered.get(thought.key)?.evaluation ?? null
  const unknown = thoughts.filter((thought) => !known.includes(thought))
  // Two that reach the same state are one question, where values are remembered.
  const asked = remember ? firstOfEach(unknown) : unknown
  if (asked.length > 0) await ask(search, asked)
  const twins = unknown.filter((thought) => !asked.includes(thought) && remembered.has(thought.key))
  for (const thought of twins) thought.evaluation = remembered.get(thought.key)?.evaluation ?? null
  noteEvaluations(search, thoughts, [...known, ...twins])
}

/** A further look at states that have a value, each by another thought that reaches it. Where that fails the value stands. */
export async function evaluateAgain(search: Search, thoughts: readonly Thought[]): Promise<void> {
  take(search, thoughts, await askOnce(search, requestFor(search, thoughts)))
  const refined = thoughts.flatMap((thought) => (thought.evaluation === null ? [] : [thought]))
  const first = refined.flatMap(({ mergedInto }) => mergedInto ?? [])
  for (const [i, thought] of first.entries()) thought.evaluation = refined[i]?.evaluation ?? null
  noteEvaluations(search, [...refined, ...first], first)
}

function firstOfEach(thoughts: readonly Thought[]): Thought[] {
  const first = new Map<string, Thought>()
  for (const thought of thoughts) if (!first.has(thought.key)) first.set(thought.key, thought)
  return [...first.values()]
}

/** The journal's note of values, remembered ones among them. */
export function noteEvaluations(
  { context }: Search,
  thoughts: readonly Thought[],
  remembered: readonly Thought[],
): void {
  const evaluations = thoughts.flatMap(({ id, evaluation }) =>
    evaluation === null ? [] : [{ node_id: id, ...evaluation }],
  )
  if (evaluations.length === 0) return
  context.emit('tot/nodes-evaluated', { evaluations, remembered: remembered.map(({ id }) => id) })
}

type Request = ThoughtPayloads['evaluate_thoughts']

/** What was not evaluated is asked once more, simpler. What has no value after that is not chosen. */
async function ask(search: Search, thoughts: readonly Thought[]): Promise<void> {
  const reply = await askOnce(search, requestFor(search, thoughts))
  take(search, thoughts, reply)
  if (isVoting(search)) takePlaces(thoughts, reply)
  const missing = thoughts.filter(({ evaluation }) => evaluation === null)
  if (missing.length === 0) return
  const message = search.words.noValue(missing.length, thoughts.length)
  const error = { code: 'EVALUATION_TIMEOUT', message, recoverable: true } as const
  noteAdjusted(search, reply.ok ? error : reply.error, search.words.simpler)
  const second = await askOnce(search, simpler(requestFor(search, missing)), true)
  if (!second.ok) noteFailure(search, second.cause)
  take(search, missing, second)
}

async function askOnce(search: Search, request: Request, again = false): Promise<Reply<'evaluate_thoughts'>> {
  const [reply] = await exchange(search, 'evaluate_thoughts', [request], { again })
  return reply as Reply<'evaluate_thoughts'>
}

function requestFor(search: Search, thoughts: readonly Thought[]): Request {
  const { problem, goal, config, evaluation, criteria } = search
  const depth = Math.max(...thoughts.map((thought) => thought.depth))
  return {
    candidates: thoughts.map(nodeOf),
    evaluation_strategy: evaluation,
    evaluation_criteria: criteria,
    context: { problem, goal, current_depth: depth, max_depth: config.max_depth },
  }
}

function simpler(request: Request): Request {
  return {
    ...request,
    evaluation_strategy: 'independent_scoring',
    evaluation_criteria: request.evaluation_criteria.slice(0, 1),
  }
}

function take(search: Search, thoughts: readonly Thought[], reply: Reply<'evaluate_thoughts'>): void {
  if (!reply.ok) return
  const { evaluations, pruning_suggestions } = reply.payload
  const values = new Map<string, NodeEvaluation>(evaluations.map((value) => [value.node_id, value]))
  const discouraged = new Set(pruning_suggestions)
  for (const thought of thoughts) {
    const value = values.get(thought.id)
    if (value === undefined) continue
    const { score, confidence, reasoning } = value
    const given = { score, confidence, reasoning }
    thought.evaluation = search.context.options.remember ? remember(search, thought.key, given) : given
    thought.discouraged = discouraged.has(thought.id)
  }
}

/** Values of the same state are refined by each other: what is remembered is their mean. */
function remember({ remembered }: Search, key: string, given: Evaluation): Evaluation {
  const { evaluation, looks } = remembered.get(key) ?? { evaluation: given, looks: 0 }
  const mean = (before: number, now: number) => (before * looks + now) / (looks + 1)
  const reasons = new Set([...(looks === 0 ? [] : [evaluation.reasoning]), given.reasoning])
  const refined = {
    score: mean(evaluation.score, given.score),
    confidence: mean(evaluation.confidence, given.confidence) * agreement([evaluation.score, given.score]),
    reasoning: [...reasons].join(' | '),
  }
  remembered.set(key, { evaluation: refined, looks: looks + 1 })
  return refined
}

/** In a vote the Evaluator's ranking is the result: the candidate that most ballots name need not have the highest score. */
function takePlaces(thoughts: readonly Thought[], reply: Reply<'evaluate_thoughts'>): void {
  if (!reply.ok) return
  const places = new Map(reply.payload.ranking.map((id, place) => [id, place]))
  for (const thought of thoughts) thought.place = places.get(thought.id) ?? null
}
