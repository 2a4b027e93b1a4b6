/**
 * The Explorer's one move, which every search is made of: expand some thoughts at once. It asks for candidates, drops what is
 * wrong, merges what is known, has answers verified by program, and what is left evaluated.
 */
import type { Op } from '../../../kernel/durable.ts'
import { type Candidate, errorData, type Outcome, type ThoughtPayloads } from '../../../protocol/index.ts'
import { exchange } from '../agents/exchange.ts'
import { failureOf } from '../agents/strategy-generator.ts'
import { evaluate } from './evaluate.ts'
import { adjust, isEnd, isExpandable, type Search } from './search.ts'
import { addThought, isRepeated, nodeOf, type Thought } from './tree.ts'
import { verifyThoughts } from './verify.ts'

/** Adds the children of these thoughts, judged. Those that have all they can have are left as they are. */
export async function expand(search: Search, parents: readonly Thought[]): Promise<void> {
  const open = parents.filter((parent) => isExpandable(search, parent))
  const offers = await solveSubGoals(search, await generate(search, open))
  const added = open.flatMap((parent, i) => grow(search, parent, offers[i] as Candidate[]))
  const own = added.filter((thought) => thought.mergedInto === null)
  const ends = own.filter((thought) => isEnd(search, thought))
  for (const thought of ends) thought.status = 'terminal'
  if (search.context.options.verify === 'all') await verifyThoughts(search, ends)
  if (search.solution !== null) return
  await evaluate(
    search,
    own.filter((thought) => thought.check === null),
  )
}

/** One list of candidates for each parent. Where that fails it is tried once more, adjusted. */
async function generate(search: Search, parents: readonly Thought[]): Promise<(readonly Candidate[])[]> {
  const request = (parent: Thought): ThoughtPayloads['generate_thoughts'] => ({
    parent_node: nodeOf(parent),
    generation_strategy: search.generation,
    num_candidates: search.config.branching_factor,
    context: { problem: search.problem, goal: search.goal, constraints: search.constraints },
  })
  const requests = parents.map(request)
  for (const parent of parents) parent.asked = search.config.branching_factor
  const replies = await exchange(search, 'generate_thoughts', requests)
  const failed = [...replies.keys()].filter((i) => replies[i]?.ok === false)
  if (failed.length > 0) {
    const easier = failed.map((i) => adjusted(requests[i] as ThoughtPayloads['generate_thoughts']))
    const first = replies[failed[0] as number]
    const { num_candidates: n, generation_strategy: how } = easier[0] as ThoughtPayloads['generate_thoughts']
    if (first?.ok === false) adjust(search, first.error, search.words.fewer(n, how))
    const second = await exchange(search, 'generate_thoughts', easier, { again: true })
    for (const [k, i] of failed.entries()) replies[i] = second[k] as (typeof second)[number]
  }
  return replies.map((reply) => {
    if (reply.ok) return reply.payload.candidates
    search.trouble = reply.cause
    return []
  })
}

function adjusted(request: ThoughtPayloads['generate_thoughts']): ThoughtPayloads['generate_thoughts'] {
  return {
    ...request,
    num_candidates: Math.ceil(request.num_candidates / 2),
    generation_strategy:
      request.generation_strategy === 'independent_sampling' ? 'sequential_proposal' : 'independent_sampling',
  }
}

/**
 * A candidate whose metadata names a `goal` needs work of its own: it is solved as a block below (by the strategy in
 * `metadata.strategy`, otherwise the option `solver`), and what it comes to is the thought.
 */
async function solveSubGoals(
  search: Search,
  offers: readonly (readonly Candidate[])[],
): Promise<Candidate[][]> {
  const { context } = search
  const goals = offers.flat().filter(hasGoal)
  const begun = goals.map((candidate) => ({ candidate, op: beginBlock(search, candidate) }))
  const ops = begun.flatMap(({ op }) => (op === null ? [] : [op]))
  const ended = ops.length === 0 ? [] : await context.all(ops)
  const outcomes = new Map(begun.map(({ candidate, op }) => [candidate, op && ended[ops.indexOf(op)]]))
  return offers.map((candidates) =>
    candidates.flatMap((candidate) => {
      const result = outcomes.get(candidate)
      if (result === undefined) return [candidate]
      return result?.ok ? thoughtFrom(search, candidate, result.value) : []
    }),
  )
}

/** Null for a goal that can't be worked on: no such strategy, or the same again and again. */
function beginBlock(search: Search, { metadata }: Candidate): Op<Outcome> | null {
  const { goal, strategy } = metadata as { goal: string; strategy?: unknown }
  const { solver } = search.context.options
  try {
    const chosen = typeof strategy === 'string' ? { strategy } : { kind: 'leaf' as const, strategy: solver }
    return search.context.call(goal, chosen)
  } catch (thrown) {
    search.trouble = errorData(thrown, 'STRATEGY_ERROR')
    dropped(search, goal, search.trouble.message)
    return null
  }
}

function hasGoal({ metadata }: Candidate): boolean {
  return typeof metadata?.goal === 'string' && metadata.goal.trim() !== ''
}

function thoughtFrom(search: Search, candidate: Candidate, outcome: Outcome): Candidate[] {
  const { status, result } = outcome
  if (result.trim() !== '' && (status === 'completed' || status === 'partial'))
    return [{ ...candidate, content: result, metadata: { ...candidate.metadata, status } }]
  search.trouble = failureOf(outcome)
  const { goal } = candidate.metadata as { goal: string }
  dropped(search, goal, search.trouble.message)
  return []
}

/** Puts candidates into the tree, but for those that are wrong. */
function grow(search: Search, parent: Thought, candidates: readonly Candidate[]): Thought[] {
  const { context, domain, tree } = search
  const before = [...parent.children]
  parent.status = 'expanded'
  parent.capped = candidates.length === parent.asked
  const added: Thought[] = []
  for (const candidate of candidates) {
    const { state } = parent.metadata
    const knows = domain !== null && context.options.recompute && typeof state === 'string'
    const read = knows ? domain.read(candidate, state as string) : candidate
    if (typeof read === 'string') dropped(search, candidate.content, read)
    else if (!isRepeated(before, parent, read))
      added.push(addThought(tree, parent, read, context.options.merge))
  }
  if (added.length > 0) context.emit('tot/nodes-added', { parent_id: parent.id, nodes: added.map(nodeOf) })
  return added
}

function dropped({ context }: Search, content: string, why: string): void {
  context.emit('tot/candidate-dropped', { content, why })
}
