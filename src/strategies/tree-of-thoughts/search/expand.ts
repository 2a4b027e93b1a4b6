/**
 * The Explorer's one move, which every search is made of: expand some thoughts at once. It asks for candidates, drops what is
 * wrong, merges what is known, has answers verified by program, and what is left evaluated.
 */
import type { Op } from '../../../kernel/durable.ts'
import { errorData, type Outcome, type Result } from '../../../protocol/index.ts'
import { codeAgent } from '../agents/agent.ts'
import { exchange, type Reply } from '../agents/exchange.ts'
import { failureOf } from '../agents/strategy-generator.ts'
import type { Candidate, ThoughtPayloads } from '../protocol.ts'
import { evaluate } from './evaluate.ts'
import { failuresOf } from './failures.ts'
import {
  isEnd,
  isExpandable,
  isFull,
  isVoting,
  knownState,
  noteAdjusted,
  noteFailure,
  roomIn,
  type Search,
} from './search.ts'
import { addThought, isRepeated, nodeOf, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

/** Adds the children of these thoughts, judged. Those that have all they can have are left as they are. */
export async function expand(search: Search, parents: readonly Thought[]): Promise<void> {
  const added = await grow(search, parents)
  if (search.solution === null) await judge(search, parents, added)
}

/** Adds the children, the ends among them verified, and says which they are. */
export async function grow(search: Search, parents: readonly Thought[]): Promise<Thought[]> {
  const open = parents.filter((parent) => isExpandable(search, parent)).slice(0, roomIn(search))
  const offers = await solveSubGoals(search, await generate(search, open))
  const added = open.flatMap((parent, i) => addCandidates(search, parent, offers[i] as Candidate[]))
  const own = added.filter((thought) => thought.mergedInto === null)
  const ends = own.filter((thought) => isEnd(search, thought))
  for (const thought of ends) thought.status = 'terminal'
  for (const thought of own)
    if (thought.status !== 'terminal') thought.settled = settledState(search, thought)
  if (search.context.options.verify === 'all') await verifyThoughts(search, ends)
  return added
}

/** Has what was added evaluated; in a vote beside the children that were there before. */
export async function judge(
  search: Search,
  parents: readonly Thought[],
  added: readonly Thought[],
): Promise<void> {
  if (added.length === 0) return
  const judged = isVoting(search) ? parents.flatMap(({ children }) => children) : added
  await evaluate(
    search,
    judged.filter(({ mergedInto, check }) => mergedInto === null && check === null),
  )
}

function settledState(search: Search, { metadata }: Thought): Thought['settled'] {
  return knownState(search, metadata, (domain, state) => domain.settle(state)) ?? null
}

type Request = ThoughtPayloads['generate_thoughts']

/** One list of candidates for each parent: from a program where it knows the last step, otherwise from the Generator. */
async function generate(search: Search, parents: readonly Thought[]): Promise<(readonly Candidate[])[]> {
  for (const parent of parents) parent.asked = search.config.branching_factor
  const known = parents.filter(({ settled }) => settled?.last !== undefined)
  const candidates = new Map<Thought, readonly Candidate[]>()
  for (const parent of known) {
    const [reply] = await exchange(search, 'generate_thoughts', [requestFor(search, parent, 1)], {
      by: codeAgent(() => ({ candidates: [{ temp_id: 'cand_1', ...parent.settled?.last }] })),
    })
    if (reply?.ok) candidates.set(parent, reply.payload.candidates)
  }
  const others = parents.filter((parent) => !candidates.has(parent))
  const offers = await askGenerator(search, others)
  for (const [i, parent] of others.entries()) candidates.set(parent, offers[i] ?? [])
  return parents.map((parent) => candidates.get(parent) ?? [])
}

/** Where that fails it is tried once more, adjusted. */
async function askGenerator(search: Search, parents: readonly Thought[]): Promise<(readonly Candidate[])[]> {
  const requests = parents.map((parent) => requestFor(search, parent, parent.asked))
  const replies = await exchange(search, 'generate_thoughts', requests)
  const candidates = await generateAgain(search, requests, replies)
  return candidates.map((reply) => {
    if (reply.ok) return reply.payload.candidates
    noteFailure(search, reply.cause)
    return []
  })
}

function requestFor(search: Search, parent: Thought, num_candidates: number): Request {
  const { problem, goal, constraints, generation } = search
  const failed = parent.reopened ? { failed: failuresOf(search, parent) } : {}
  return {
    parent_node: nodeOf(parent),
    generation_strategy: generation,
    num_candidates,
    context: { problem, goal, constraints, ...failed },
  }
}

/** The replies, with those that failed asked once more, all at once. */
async function generateAgain(
  search: Search,
  requests: readonly Request[],
  replies: readonly Reply<'generate_thoughts'>[],
): Promise<readonly Reply<'generate_thoughts'>[]> {
  const failed = replies.find((reply) => !reply.ok)
  if (failed === undefined || failed.ok) return replies
  const adjusted = requests.filter((_, i) => replies[i]?.ok === false).map(adjust)
  const { num_candidates, generation_strategy } = adjusted[0] as Request
  noteAdjusted(search, failed.error, search.words.fewer(num_candidates, generation_strategy))
  const again = await exchange(search, 'generate_thoughts', adjusted, { again: true })
  return replies.map((reply) => (reply.ok ? reply : (again.shift() ?? reply)))
}

function adjust(request: Request): Request {
  return {
    ...request,
    num_candidates: Math.ceil(request.num_candidates / 2),
    generation_strategy:
      request.generation_strategy === 'independent_sampling' ? 'sequential_proposal' : 'independent_sampling',
  }
}

type WithGoal = Candidate & { readonly metadata: { readonly goal: string; readonly strategy?: unknown } }

/**
 * A candidate whose metadata names a `goal` needs work of its own: it is solved as a block below (by the strategy in
 * `metadata.strategy`, otherwise the option `solver`), and the block's result is the thought.
 */
async function solveSubGoals(
  search: Search,
  offers: readonly (readonly Candidate[])[],
): Promise<Candidate[][]> {
  const begun = offers
    .flat()
    .filter(hasGoal)
    .flatMap((candidate) => {
      const op = beginBlock(search, candidate)
      return op === null ? [] : [{ candidate, op }]
    })
  const ended = begun.length === 0 ? [] : await search.context.all(begun.map(({ op }) => op))
  const thoughts = new Map<Candidate, Candidate[]>(
    begun.map(({ candidate }, i) => [candidate, thoughtFrom(search, candidate, ended[i])]),
  )
  return offers.map((candidates) =>
    candidates.flatMap((candidate) => (hasGoal(candidate) ? (thoughts.get(candidate) ?? []) : [candidate])),
  )
}

function hasGoal(candidate: Candidate): candidate is WithGoal {
  const { goal } = candidate.metadata ?? {}
  return typeof goal === 'string' && goal.trim() !== ''
}

/** Null for a goal that can't be worked on: no such strategy, or the same goal again and again. */
function beginBlock(search: Search, { metadata: { goal, strategy } }: WithGoal): Op<Outcome> | null {
  const { solver } = search.context.options
  try {
    const chosen = typeof strategy === 'string' ? { strategy } : { kind: 'leaf' as const, strategy: solver }
    return search.context.call(goal, chosen)
  } catch (thrown) {
    const failure = errorData(thrown, 'STRATEGY_ERROR')
    noteFailure(search, failure)
    noteDropped(search, goal, failure.message)
    return null
  }
}

/** The one thought, or none. */
function thoughtFrom(search: Search, candidate: WithGoal, ended: Result<Outcome> | undefined): Candidate[] {
  if (!ended?.ok) return []
  const { status, result } = ended.value
  if (result.trim() !== '' && (status === 'completed' || status === 'partial'))
    return [{ ...candidate, content: result, metadata: { ...candidate.metadata, status } }]
  const failure = failureOf(ended.value)
  noteFailure(search, failure)
  noteDropped(search, candidate.metadata.goal, failure.message)
  return []
}

/** Puts candidates into the tree, except those that are wrong or too many for it. */
function addCandidates(search: Search, parent: Thought, candidates: readonly Candidate[]): Thought[] {
  const { context, tree } = search
  const before = [...parent.children]
  parent.status = 'expanded'
  parent.reopened = false
  parent.capped = candidates.length === parent.asked
  const added: Thought[] = []
  for (const read of readCandidates(search, parent, candidates)) {
    if (isRepeated(tree, before, parent, read)) continue
    if (isFull(search)) noteDropped(search, read.content, search.words.full(tree.all.length))
    else added.push(addThought(tree, parent, read, context.options.merge))
  }
  if (added.length > 0) context.emit('tot/nodes-added', { parent_id: parent.id, nodes: added.map(nodeOf) })
  return added
}

/** As the domain reads them. One that it had to correct comes after those that were right as they were written. */
function readCandidates(
  search: Search,
  { metadata }: Thought,
  candidates: readonly Candidate[],
): Candidate[] {
  const right: Candidate[] = []
  const corrected: Candidate[] = []
  for (const candidate of candidates) {
    const read = knownState(search, metadata, (domain, state) => domain.read(candidate, state)) ?? candidate
    if (typeof read === 'string') noteDropped(search, candidate.content, read)
    else (read.content === candidate.content ? right : corrected).push(read)
  }
  return [...right, ...corrected]
}

function noteDropped({ context }: Search, content: string, why: string): void {
  context.emit('tot/candidate-dropped', { content, why })
}
