/** The thoughts of a `cot` block: a fold over the notes its strategy leaves in the journal. */
import { type Event, goalText, type Outcome } from '../../../protocol/index.ts'

export interface PlanStep {
  readonly description: string
  /** `Pending`, `Done` or `Verification Needed`. */
  readonly status: string
  readonly result?: string | null
  /** Why it is to be verified. */
  readonly mark?: string | null
  readonly sub_steps?: readonly PlanStep[] | null
}

export interface ChainThought {
  readonly thought_number: number
  readonly current_thinking: string
  readonly planning: readonly PlanStep[]
  readonly next_thought_needed: boolean
  readonly evaluation?: string
}

export interface ThoughtChain {
  path: string
  problem: string
  thoughts: ChainThought[]
  outcome: Outcome | null
}

export const COT = 'cot'
export const COT_THOUGHT = 'cot/thought'
const COT_STEP_SOLVED = 'cot/step-solved'
const COT_STEP_REOPENED = 'cot/step-reopened'

/** Whether the event's block is a chain of thought: by its strategy's name, or by notes, which one made from it leaves, too. */
function tellsChain(event: Event): boolean {
  if (event.type === 'block-start') return event.strategy.startsWith(`${COT}@`)
  return event.type === 'note' && event.name.startsWith(`${COT}/`)
}

/** By the path of the block, in order of their start. */
export function foldChains(events: Iterable<Event>): ReadonlyMap<string, ThoughtChain> {
  const chains = new Map<string, ThoughtChain>()
  const problems = new Map<string, string>()
  for (const event of events) {
    const { path } = event
    if (event.type === 'block-start') problems.set(path, goalText(event.goal))
    if (!chains.has(path) && tellsChain(event)) chains.set(path, emptyChain(path, problems.get(path) ?? ''))
    const chain = chains.get(path)
    if (chain !== undefined) foldChain(chain, event)
  }
  return chains
}

export function emptyChain(path: string, problem: string): ThoughtChain {
  return { path, problem, thoughts: [], outcome: null }
}

export function foldChain(chain: ThoughtChain, event: Event): void {
  if (event.type === 'block-end') chain.outcome = event.outcome
  const thought = thoughtOf(event)
  if (thought !== null) chain.thoughts.push(thought)
  const last = chain.thoughts.at(-1)
  if (event.type !== 'note' || event.name !== COT_STEP_SOLVED || last === undefined) return
  // A block below has solved a step of the plan.
  const { planning } = (event.data ?? {}) as Partial<ChainThought>
  chain.thoughts[chain.thoughts.length - 1] = { ...last, planning: stepsOf(planning ?? last.planning) }
}

export function thoughtOf(event: Event): ChainThought | null {
  if (event.type !== 'note' || event.name !== COT_THOUGHT) return null
  const thought = event.data as Partial<ChainThought> | null
  if (typeof thought?.current_thinking !== 'string') return null
  return { ...(thought as ChainThought), planning: stepsOf(thought.planning) }
}

/** A step that was Done and is not any more, by its number in the plan. */
export interface ReopenedStep {
  readonly step: string
  readonly description: string
  readonly mark?: string
}

export function reopenedOf(event: Event): readonly ReopenedStep[] {
  if (event.type !== 'note' || event.name !== COT_STEP_REOPENED) return []
  const { steps } = (event.data ?? {}) as { steps?: readonly ReopenedStep[] }
  return Array.isArray(steps) ? steps : []
}

export function stepsOf(steps: readonly PlanStep[] | null | undefined): readonly PlanStep[] {
  return Array.isArray(steps) ? steps : []
}

export const STEP_MARKS: Readonly<Record<string, string>> = { Done: '[x]', 'Verification Needed': '[?]' }

export function stepMark({ status }: PlanStep): string {
  return STEP_MARKS[status] ?? '[ ]'
}

export interface StepCounts {
  done: number
  all: number
  verify: number
}

/** Sub-steps, too. */
export function countSteps(steps: readonly PlanStep[]): StepCounts {
  const counts: StepCounts = { done: 0, all: 0, verify: 0 }
  for (const { status, sub_steps } of steps) {
    const below = countSteps(stepsOf(sub_steps))
    counts.done += below.done + (status === 'Done' ? 1 : 0)
    counts.verify += below.verify + (status === 'Verification Needed' ? 1 : 0)
    counts.all += below.all + 1
  }
  return counts
}
