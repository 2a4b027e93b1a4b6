/** What a loop remembers of earlier runs, and leaves for later ones. */
import type { Section } from '../../../kernel/brief/section.ts'
import { fence } from '../../../kernel/fence.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { oneLine, shorten } from '../../../protocol/index.ts'
import { hasHidden, resultOf } from '../scope.ts'
import type { Decision, Loop } from './loop.ts'

/** After this the loop continues without memories. */
const LOAD_MS = 200
const MAX_ITEMS = 6
const MAX_ITEM = 400
const MAX_SAVED = 8

interface Remembered {
  readonly text: string
  readonly kind?: string
}

type Remembering = Pick<Loop, 'context' | 'options' | 'brief' | 'iteration'>

/** In lines. The items, or the fact that they were late, are the value of a recorded step. */
export async function loadMemories({
  context,
  options,
  brief,
  iteration,
}: Remembering): Promise<readonly string[]> {
  if (!options.memory || !hasHidden(context, 'memory__load')) return []
  // What is known changes with the task, not with every iteration; a reflection's interval is often enough.
  if (iteration > 1 && iteration % 8 !== 1) return []
  const input = { query: shorten(`${brief.name} ${brief.goal}`, 2_000), limit: MAX_ITEMS, timeoutMs: LOAD_MS }
  const loaded = await resultOf(context, context.tool('memory__load', input))
  const { items = [], late } = (loaded.ok ? loaded.value : {}) as {
    items?: readonly Remembered[]
    late?: true
  }
  if (late) context.emit('dual/memory-late', { iteration })
  const results = context.known().flatMap(({ status, text }) => (status && text !== '' ? beginOf(text) : []))
  return items
    .filter(({ text }) => !results.some((begin) => text.includes(begin)))
    .map(({ text, kind }) => `- ${kind ?? 'fact'}: ${oneLine(text)}`)
}

/** By which the memory of a result is recognised that stands whole in the request (B6). */
function beginOf(result: string): string {
  return oneLine(result).slice(0, COMPARED)
}

const COMPARED = 100

/** Tells the model what it does not know yet. */
export function tellMemories({ conversation, memories }: Loop, loaded: readonly string[]): void {
  const news = loaded.filter((line) => !memories.has(line))
  if (news.length === 0) return
  for (const line of news) memories.add(line)
  conversation.say(`${REMEMBERED}\n${fence('memory', news.join('\n'))}`)
}

/** What it is told when it begins. */
export function memorySection(loaded: readonly string[]): Section {
  const items = loaded.length === 0 ? [] : [{ text: loaded.join('\n'), data: 'memory' }]
  return { need: 'last', title: REMEMBERED, items }
}

const REMEMBERED = 'Remembered from earlier runs:'

/** At the end of a task: what the model thinks worth it, and the task's result. */
export async function saveMemories(
  { context, options, brief }: Loop,
  decisions: readonly Decision[],
  answer: Answer,
): Promise<void> {
  if (!options.memory || !hasHidden(context, 'memory__save')) return
  const result = typeof answer === 'string' ? answer : answer.result
  const own = decisions.flatMap(({ params }) => (Array.isArray(params.memories) ? params.memories : []))
  const text = `${brief.name}: ${shorten(oneLine(result), MAX_ITEM)}`
  const items = [
    ...own.filter(isRemembered).slice(0, MAX_SAVED).map(scored),
    { text, kind: 'result', score: { importance: 0.3 } },
  ]
  await resultOf(context, context.tool('memory__save', { items }))
}

function isRemembered(value: unknown): value is Remembered & { importance?: unknown } {
  return typeof (value as Remembered | null)?.text === 'string'
}

function scored({ text, kind = 'fact', importance }: Remembered & { importance?: unknown }) {
  const known = typeof importance === 'number' && importance >= 0 && importance <= 1 ? importance : 0.5
  return { text, kind, score: { importance: known } }
}
