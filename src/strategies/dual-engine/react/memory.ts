/** What a loop remembers of earlier runs, and leaves for later ones. */
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

/** The items, or the fact that they were late, are the value of a recorded step. */
export async function loadMemories({ context, options, brief, iteration, memories }: Loop): Promise<string> {
  if (!options.memory || !hasHidden(context, 'memory__load')) return ''
  // What is known changes with the task, not with every iteration; a reflection's interval is often enough.
  if (iteration > 1 && iteration % 8 !== 1) return memories
  const input = { query: shorten(`${brief.name} ${brief.goal}`, 2_000), limit: MAX_ITEMS, timeoutMs: LOAD_MS }
  const loaded = await resultOf(context, context.tool('memory__load', input))
  const { items = [], late } = (loaded.ok ? loaded.value : {}) as {
    items?: readonly Remembered[]
    late?: true
  }
  if (late) context.emit('dual/memory-late', { iteration })
  return items.map(({ text, kind }) => `- ${kind ?? 'fact'}: ${shorten(oneLine(text), MAX_ITEM)}`).join('\n')
}

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
