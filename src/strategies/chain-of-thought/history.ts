/**
 * The document's history, as a conversation: the thoughts as the model wrote them, and between them only what is new, such as the
 * result of a step that others solved, or why a reply was refused. The plan is told only when something else than a thought
 * has changed it. Of thoughts that there is no room for any more, the results that they added to the plan remain.
 */
import { stringify } from 'yaml'
import { Conversation, type TurnOfModel } from '../../kernel/brief/conversation.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { oneLine } from '../../protocol/index.ts'
import { formatPlanForPrompt, gainedResults } from './plan.ts'
import type { Plan, Shared, Thought } from './schema.ts'

export interface History {
  readonly conversation: Conversation
  /** The plan as the conversation has it. */
  plan: Plan
  /** Steps of it, by description, whose results stand in the conversation on their own. */
  readonly told: Set<string>
}

/** A reply, and by which reference it can be read once it is folded. */
export interface Said extends TurnOfModel {
  readonly ref?: string
}

/** A store has the document's fields alone. */
const HISTORIES = new WeakMap<Shared, History>()

/** A store that was filled elsewhere has its thoughts told as they would have been written. */
export function historyOf(shared: Shared): History {
  const known = HISTORIES.get(shared)
  if (known !== undefined) return known
  const history = beginHistory(shared, new Conversation([problemSection(shared.problem)]))
  for (const thought of shared.thoughts) {
    beginThought(history, thought.thought_number)
    addThought(history, { text: yamlOf(thought) }, thought)
  }
  return history
}

export function beginHistory(shared: Shared, conversation: Conversation): History {
  const history: History = { conversation, plan: [], told: new Set() }
  HISTORIES.set(shared, history)
  return history
}

export function problemSection(problem: string): Section {
  return { need: 'whole', title: 'The problem:', items: [{ text: problem }] }
}

/** Before the first asking for a thought; when it is asked for again, that is part of the same. */
export function beginThought({ conversation }: History, thoughtNumber: number): void {
  conversation.say(`Now thought ${thoughtNumber}.`, { line: '' })
}

/** The plan as it stands is in the last thought: it is whole as long as that is the last. */
export function addThought(history: History, said: Said, thought: Thought): void {
  history.conversation.reply(said, { line: thoughtLine(history.plan, said, thought), stands: true })
  history.plan = thought.planning
  history.told.clear()
}

export function addRefused({ conversation }: History, said: Said, problems: readonly string[]): void {
  // A turn without words would be refused by providers.
  if (said.text.trim() !== '') conversation.reply(said, { line: 'a reply that was not taken' })
  const lines = problems.map((problem) => `- ${problem}\n`).join('')
  const again = 'Answer again, with the whole YAML document.\n'
  conversation.say(`That was not taken:\n${lines}${again}`, { line: `why not: ${problems.join('; ')}` })
}

/** Says how the plan is now, if the conversation has another. */
export function tellPlan(history: History, plan: Plan): void {
  if (JSON.stringify(plan) === JSON.stringify(history.plan)) return
  history.plan = plan
  history.conversation.say(`The plan as it stands now:\n${formatPlanForPrompt(plan, history.told)}`, {
    line: 'the plan, brought up to date with that',
    stands: true,
  })
}

function thoughtLine(before: Plan, { ref }: Said, { thought_number, planning }: Thought): string {
  const gained = gainedResults(before, planning).map(
    ({ description, result }) => `${oneLine(description)} → ${oneLine(result)}`,
  )
  const read = ref === undefined ? '' : ` (read_result ${JSON.stringify(ref)})`
  return `your thought ${thought_number}${read}: ${gained.length === 0 ? 'no result' : gained.join('; ')}`
}

function yamlOf({ thought_number: _, ...thought }: Thought): string {
  return stringify(thought)
}
