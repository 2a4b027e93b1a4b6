/**
 * An exchange as one thread of text: steps of reasoning one after the other, then the answer. Blocks think at the same time; of all that
 * is being thought, one step is told as it grows, and the others when it has ended.
 */
import type { ExchangePart } from '../../views/exchange.ts'

export type Told =
  | { readonly type: 'step-start'; readonly id: string }
  | { readonly type: 'step-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'step-end'; readonly id: string }
  | { readonly type: 'text'; readonly delta: string }
  | Extract<ExchangePart, { type: 'begun' | 'calls' | 'ended' }>

export interface Telling {
  follow(part: ExchangePart): Told[]
}

/** `hasValue`: the answer is a value, whose JSON is given at the end; other text is not. */
export function createTelling(hasValue: boolean): Telling {
  let live: string | null = null
  /** Steps that wait for their turn, in order. */
  const waiting = new Map<string, { text: string; isDone: boolean }>()
  const titles = new Map<string, string>()

  function begin(id: string, text = ''): Told[] {
    live = id
    return [
      { type: 'step-start', id },
      ...(text === '' ? [] : [{ type: 'step-delta', id, delta: text } as const]),
    ]
  }

  function whole(id: string, text: string): Told[] {
    return [
      { type: 'step-start', id },
      { type: 'step-delta', id, delta: text },
      { type: 'step-end', id },
    ]
  }

  function endLive(): Told[] {
    const id = live
    live = null
    return id === null ? [] : [{ type: 'step-end', id }]
  }

  /** Those that are done; then the oldest that is not is the one that is told as it grows. */
  function nextSteps(): Told[] {
    const told: Told[] = []
    for (const [id, { text, isDone }] of waiting) {
      if (!isDone) continue
      waiting.delete(id)
      told.push(...whole(id, text))
    }
    const [first] = waiting
    if (first === undefined) return told
    const [id, { text }] = first
    waiting.delete(id)
    return [...told, ...begin(id, text)]
  }

  /** The answer begins, or all is over: what is still being thought is told as far as it has come. */
  function allSteps(): Told[] {
    const told = endLive()
    for (const [id, { text }] of waiting) if (text !== '') told.push(...whole(id, text))
    waiting.clear()
    return told
  }

  function add(id: string, text: string): Told[] {
    if (live === null) return whole(id, text)
    waiting.set(id, { text, isDone: true })
    return []
  }

  function grow(id: string, delta: string): Told[] {
    if (id === live) return [{ type: 'step-delta', id, delta }]
    const step = waiting.get(id)
    if (step !== undefined) step.text += delta
    else if (live === null) return begin(id, delta)
    else waiting.set(id, { text: delta, isDone: false })
    return []
  }

  function end(id: string): Told[] {
    if (id === live) return [...endLive(), ...nextSteps()]
    const step = waiting.get(id)
    if (step !== undefined) step.isDone = true
    return []
  }

  function value(part: ExchangePart & { type: 'ended' }): Told[] {
    const { status, value } = part.outcome
    if (!hasValue || value === undefined || status === 'failed' || status === 'cancelled') return []
    return [{ type: 'text', delta: JSON.stringify(value) }]
  }

  return {
    follow(part) {
      switch (part.type) {
        case 'begun':
          return [part]
        case 'reasoning-start':
        case 'text-start':
        case 'text-end':
        case 'tool-output-available':
          return []
        case 'reasoning-delta':
          return grow(part.id, part.delta)
        case 'reasoning-end':
          return end(part.id)
        case 'tool-input-available':
          titles.set(part.toolCallId, part.title ?? part.toolName)
          return add(part.toolCallId, `→ ${part.title ?? part.toolName}`)
        case 'tool-output-error':
          return add(`${part.toolCallId} error`, `${titles.get(part.toolCallId)}: ${part.errorText}`)
        case 'tool-output-denied':
          return add(`${part.toolCallId} denied`, `${titles.get(part.toolCallId)}: a person said no`)
        case 'text-delta':
          return hasValue ? [] : [...allSteps(), { type: 'text', delta: part.delta }]
        case 'text-replaced':
          return hasValue ? [] : [{ type: 'text', delta: '\n\n' }]
        case 'calls':
          return [...allSteps(), part]
        case 'ended':
          return [...allSteps(), ...value(part), part]
      }
    },
  }
}
