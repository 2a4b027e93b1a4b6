/** What earlier runs remember of a task, and what this one leaves for later ones. */
import type { Conversation } from '../../kernel/brief/conversation.ts'
import type { Section } from '../../kernel/brief/section.ts'
import { fence } from '../../kernel/fence.ts'
import { isObject, oneLine, shorten } from '../../protocol/index.ts'
import { hasHidden, resultOf, type Scope } from './scope.ts'

/** After this the loop continues without memories. */
const LOAD_MS = 200
const MAX_ITEMS = 6
const MAX_QUERY = 800

/** What was remembered. */
export interface Memory {
  readonly id: string
  readonly text: string
  readonly kind: string
}

/** What is to be found, and what is not needed again. */
export interface Remembering {
  readonly query: string
  readonly iteration: number
  readonly known: ReadonlySet<string>
}

export interface Recalled {
  readonly items: readonly Memory[]
  /** They came too late. */
  readonly late?: true
}

/** Of earlier runs, and about the task. The items, or the fact that they were late, are the value of a recorded step. */
export async function loadMemories(
  { context, options }: Scope,
  { query, iteration, known }: Remembering,
): Promise<Recalled> {
  if (!options.memory || !hasHidden(context, 'memory__load')) return { items: [] }
  const input = {
    query: shorten(oneLine(query), MAX_QUERY),
    limit: MAX_ITEMS,
    timeoutMs: LOAD_MS,
    earlier: true,
    related: true,
    ...(known.size > 0 && { known: [...known] }),
    // An embedding is a paid call: later iterations have the vector of the first, or words.
    ...(iteration > 1 && { byMeaning: false }),
  }
  const loaded = await resultOf(context, context.ownTool('memory__load', input))
  const { items = [], late } = (loaded.ok ? loaded.value : {}) as Partial<Recalled>
  return { items, ...(late && { late }) }
}

/** Said in a conversation that has begun. */
export function tellMemories(conversation: Conversation, memories: readonly Memory[]): void {
  if (memories.length > 0) conversation.say(`${REMEMBERED}\n${fence('memory', linesOf(memories))}`)
}

/** What a conversation begins with. */
export function memorySection(memories: readonly Memory[]): Section {
  const items = memories.length === 0 ? [] : [{ text: linesOf(memories), data: 'memory' }]
  return { need: 'last', title: REMEMBERED, items }
}

const REMEMBERED = 'Remembered from earlier runs:'

function linesOf(memories: readonly Memory[]): string {
  return memories.map(({ kind, text }) => `- ${kind}: ${oneLine(text)}`).join('\n')
}

/** How a model judges what it wants to have remembered. */
export const MEMORIES = {
  type: 'array',
  items: {
    type: 'object',
    properties: {
      text: { type: 'string' },
      kind: { type: 'string' },
      relevance: { type: 'number' },
      importance: { type: 'number' },
    },
  },
}

/** Keeps what was judged worth it. `result` is the task's own, which is in the journal and no memory. */
export async function saveMemories(
  { context, options }: Scope,
  proposed: readonly unknown[],
  result: string,
): Promise<void> {
  if (!options.memory || !hasHidden(context, 'memory__save')) return
  const isResult = (text: string) => oneLine(text) === oneLine(result)
  const items = proposed.flatMap((one) => judged(one) ?? []).filter(({ text }) => !isResult(text))
  if (items.length > 0)
    await resultOf(context, context.ownTool('memory__save', { items: items.slice(0, MAX_SAVED) }))
}

const MAX_SAVED = 8
/** The mean of relevance and importance from which on something is kept. */
const WORTH_KEEPING = 0.5
const UNRATED = 0.5

function judged(value: unknown) {
  if (!isObject(value) || typeof value.text !== 'string') return null
  const kind = typeof value.kind === 'string' ? value.kind : 'fact'
  const importance = share(value.importance) ?? share(value.relevance) ?? UNRATED
  const relevance = share(value.relevance) ?? importance
  if (kind === 'result' || (importance + relevance) / 2 < WORTH_KEEPING) return null
  return { text: value.text, kind, score: { relevance, importance } }
}

function share(value: unknown): number | null {
  return typeof value === 'number' && value >= 0 && value <= 1 ? value : null
}
