/**
 * One exchange of a conversation with a run: what is given out for one request. It begins at the run's start, or where the results of the
 * caller's tools were taken that the request brought; it ends with the run, or where the run waits for the caller's tools. Folded from
 * events and deltas, with the chunks of a UI message: whoever asks again for an exchange of the past gets the same.
 */
import {
  type Event,
  emptyState,
  foldEvent,
  type ModelRetry,
  type Outcome,
  type RunState,
  type TextDelta,
  type Usage,
} from '../protocol/index.ts'
import type { StrategyViews } from './block-views.ts'
import { type CallerCall, createCallerCalls } from './caller-calls.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'
import { createUIMessageChunks } from './ui-message-chunks.ts'

const PASSED = [
  'text-start',
  'text-delta',
  'text-end',
  'reasoning-start',
  'reasoning-delta',
  'reasoning-end',
  'tool-input-available',
  'tool-output-available',
  'tool-output-error',
  'tool-output-denied',
] as const

type PassedChunk = Extract<UIMessageChunk, { type: (typeof PASSED)[number] }>
type ToolChunk = Extract<PassedChunk, { toolCallId: string }>

export type ExchangePart =
  /** The first of all: the number of the event that it begins with. */
  | { type: 'begun'; from: number }
  /** What is thought, and the answer's text. Tools are those that the run itself executes. */
  | PassedChunk
  /** Text that was given before is not the answer: another follows. */
  | { type: 'text-replaced' }
  /** The run waits for these. `usage`: what was spent in this exchange. */
  | { type: 'calls'; calls: readonly CallerCall[]; usage: Usage }
  | { type: 'ended'; outcome: Outcome; usage: Usage }

export interface Exchange {
  follow(event: Event | ModelRetry | TextDelta): ExchangePart[]
  /** The number of the event that it began with; null until then. */
  readonly from: number | null
  /** Calls of the caller's tools are open, and nothing else is under way. */
  readonly mayRest: boolean
  /** Ends it with the calls that are open. */
  rest(): ExchangePart[]
  readonly isOver: boolean
  readonly state: RunState
}

/** Where it begins: the event of this number, or where all these questions were answered. */
export type ExchangeStart = number | ReadonlySet<number>

export function createExchange(views: StrategyViews, run: string, start: ExchangeStart = 1): Exchange {
  const message = createUIMessageChunks(views, run, { tree: false, reasoning: 'steps' })
  const state = emptyState()
  const calls = createCallerCalls()
  const unanswered = new Set(typeof start === 'number' ? [] : start)
  /** Parts that were begun in this exchange and have not ended. */
  const open = new Map<string, 'text' | 'reasoning' | 'tool'>()
  let from: number | null = null
  let before: Usage = { ...state.usage }
  let isOver = false
  let hasText = false

  function begins(event: Event): boolean {
    if (typeof start === 'number') return event.seq >= start
    const ended = event.type === 'signal-answered' ? calls.endedBy(event) : undefined
    if (ended !== undefined) unanswered.delete(ended)
    return unanswered.size === 0
  }

  /** Answers are the next exchange's. One that timed out is nobody's. */
  function isNextExchange(event: Event): boolean {
    if (event.type !== 'signal-answered' || event.number === 0) return false
    const ended = calls.endedBy(event)
    return ended !== undefined && calls.statusOf(ended) === 'open'
  }

  /** What began before the exchange is told from here on. */
  function passed(chunk: UIMessageChunk): ExchangePart[] {
    if (!isPassed(chunk)) return []
    switch (chunk.type) {
      case 'text-start':
        return begin('text', chunk)
      case 'reasoning-start':
        return begin('reasoning', chunk)
      case 'text-delta':
        return [...(open.has(chunk.id) ? [] : begin('text', { type: 'text-start', id: chunk.id })), chunk]
      case 'reasoning-delta':
        return [
          ...(open.has(chunk.id) ? [] : begin('reasoning', { type: 'reasoning-start', id: chunk.id })),
          chunk,
        ]
      case 'text-end':
      case 'reasoning-end':
        return open.delete(chunk.id) ? [chunk] : []
      default:
        return toolPart(chunk)
    }
  }

  /** The caller's are given together, when nothing else is under way. */
  function toolPart(chunk: ToolChunk): ExchangePart[] {
    if (chunk.type !== 'tool-input-available') return open.delete(chunk.toolCallId) ? [chunk] : []
    if (!chunk.providerExecuted) return []
    open.set(chunk.toolCallId, 'tool')
    return [chunk]
  }

  function begin(kind: 'text' | 'reasoning', chunk: ExchangePart & { id: string }): ExchangePart[] {
    const before: ExchangePart[] = kind === 'text' ? closed('text') : []
    if (kind === 'text' && hasText) before.push({ type: 'text-replaced' })
    hasText ||= kind === 'text'
    open.set(chunk.id, kind)
    return [...before, chunk]
  }

  function closed(kind: 'text' | 'reasoning'): ExchangePart[] {
    const ids = [...open].flatMap(([id, its]) => (its === kind && open.delete(id) ? id : []))
    return ids.map((id) => ({ type: `${kind}-end`, id }))
  }

  function end(last: ExchangePart): ExchangePart[] {
    isOver = true
    return [...closed('reasoning'), ...closed('text'), last]
  }

  function rest(): ExchangePart[] {
    return end({ type: 'calls', calls: calls.open(), usage: spentSince(before, state.usage) })
  }

  return {
    follow(event) {
      if (isOver) return []
      if ('seq' in event) {
        if (from !== null && isNextExchange(event)) return rest()
        foldEvent(state, event)
        calls.follow(event)
      }
      const parts = message.follow(event).flatMap((chunk) => (from === null ? [] : passed(chunk)))
      if (from === null && 'seq' in event && begins(event)) {
        from = event.seq
        before = { ...state.usage }
      }
      if (event.type !== 'run-end' || state.outcome === null) return parts
      return [
        ...parts,
        ...end({ type: 'ended', outcome: state.outcome, usage: spentSince(before, state.usage) }),
      ]
    },
    get from() {
      return from
    },
    get mayRest() {
      return from !== null && !isOver && !calls.isEmpty && isAtRest(state)
    },
    rest,
    get isOver() {
      return isOver
    },
    state,
  }
}

function isPassed(chunk: UIMessageChunk): chunk is PassedChunk {
  return (PASSED as readonly string[]).includes(chunk.type)
}

/** Every block that is open waits for an answer or for a block below it. */
function isAtRest({ openSteps, blocks }: RunState): boolean {
  if (openSteps > 0) return false
  const open = [...blocks.values()].filter(({ outcome }) => outcome === null)
  const parents = new Set(open.map(({ parent }) => parent))
  return open.every(({ path, questions }) => questions.length > 0 || parents.has(path))
}

function spentSince(before: Usage, now: Usage): Usage {
  const spent: Usage = {
    calls: now.calls - before.calls,
    inputTokens: now.inputTokens - before.inputTokens,
    outputTokens: now.outputTokens - before.outputTokens,
  }
  if (now.cachedInputTokens !== undefined)
    spent.cachedInputTokens = now.cachedInputTokens - (before.cachedInputTokens ?? 0)
  if (now.costUsd !== undefined) spent.costUsd = now.costUsd - (before.costUsd ?? 0)
  return spent
}
