/** The thoughts of a `cot` block: a fold over the notes that the strategy leaves in the journal, and the words of its views. */
import { type Event, goalText, type Outcome } from '../../../protocol/index.ts'
import type { ShownBlock } from '../../../views/strategy-view.ts'
import type { Lang } from '../../../views/words.ts'
import type { CotNotes, Plan, PlanStep, ReopenedStep, Thought } from '../notes.ts'

export interface ThoughtChain {
  problem: string
  readonly thoughts: Thought[]
  outcome: Outcome | null
}

export function emptyChain(): ThoughtChain {
  return { problem: '', thoughts: [], outcome: null }
}

export function chainOf({ path, journal }: ShownBlock): ThoughtChain {
  const chain = emptyChain()
  for (const event of journal) if (event.path === path) foldChain(chain, event)
  return chain
}

export function foldChain(chain: ThoughtChain, event: Event): void {
  if (event.type === 'block-start') chain.problem = goalText(event.goal)
  if (event.type === 'block-end') chain.outcome = event.outcome
  const thought = thoughtIn(event)
  if (thought !== null) chain.thoughts.push(thought)
  const solved = noteIn(event, 'cot/step-solved')
  const last = chain.thoughts.at(-1)
  if (solved?.planning !== undefined && last !== undefined)
    chain.thoughts[chain.thoughts.length - 1] = { ...last, planning: readPlan(solved.planning) }
}

export function thoughtIn(event: Event): Thought | null {
  const thought = noteIn(event, 'cot/thought')
  if (typeof thought?.current_thinking !== 'string') return null
  return { ...(thought as Thought), planning: readPlan(thought.planning) }
}

export function reopenedIn(event: Event): readonly ReopenedStep[] {
  const { steps } = noteIn(event, 'cot/step-reopened') ?? {}
  return Array.isArray(steps) ? steps : []
}

/** Any field may be missing: the journal may be of another writer. */
function noteIn<Name extends keyof CotNotes>(event: Event, name: Name): Partial<CotNotes[Name]> | null {
  return event.type === 'note' && event.name === name ? ((event.data ?? {}) as Partial<CotNotes[Name]>) : null
}

function readPlan(steps: unknown): Plan {
  if (!Array.isArray(steps)) return []
  return steps.map((step: PlanStep) => ({ ...step, sub_steps: readPlan(step.sub_steps) }))
}

const STEP_MARKS: Readonly<Record<string, string>> = { Done: '[x]', 'Verification Needed': '[?]' }

export function stepMark({ status }: PlanStep): string {
  return STEP_MARKS[status] ?? '[ ]'
}

/** Including sub-steps. */
export function countSteps(plan: Plan): { done: number; all: number; verify: number } {
  const statuses = statusesIn(plan)
  const count = (status: PlanStep['status']) => statuses.filter((one) => one === status).length
  return { done: count('Done'), all: statuses.length, verify: count('Verification Needed') }
}

/** How a thought is named where the one that concludes is told apart. */
export function thoughtName({ thought_number, next_thought_needed }: Thought, words: ChainWords): string {
  return `${words.thought} ${thought_number}${next_thought_needed === false ? words.conclusion : ''}`
}

export function capital(word: string): string {
  return `${word.slice(0, 1).toUpperCase()}${word.slice(1)}`
}

function statusesIn(plan: Plan): PlanStep['status'][] {
  return plan.flatMap(({ status, sub_steps = [] }) => [status, ...statusesIn(sub_steps)])
}

const en = {
  thought: 'thought',
  conclusion: ' (conclusion)',
  evaluation: 'evaluation',
  reopened: 'open again',
  verify: 'verify',
  more: (steps: number) => `${steps} more steps`,
  earlier: (thoughts: number) => (thoughts === 1 ? 'an earlier thought' : `${thoughts} earlier thoughts`),
  counts: (done: number, all: number, verify: number) =>
    `${done} of ${all} ${all === 1 ? 'step' : 'steps'} done${verify === 0 ? '' : `, ${verify} to verify`}`,
}

export type ChainWords = typeof en

const zh: ChainWords = {
  thought: '思考',
  conclusion: '（结论）',
  evaluation: '评估',
  reopened: '重新打开',
  verify: '待验证',
  more: (steps) => `还有 ${steps} 步`,
  earlier: (thoughts) => `之前还有 ${thoughts} 次思考`,
  counts: (done, all, verify) => `已完成 ${done}/${all} 步${verify === 0 ? '' : `, 待验证 ${verify} 步`}`,
}

export const CHAIN_WORDS: Readonly<Record<Lang, ChainWords>> = { en, zh }
