/**
 * A run as the chunks of a UI message of the AI SDK: what models think as reasoning, tools and questions as tool parts, the tree as a data
 * part, the answer as text. Folded from events and deltas.
 */

import { checkEvent } from '../protocol/check-event.ts'
import {
  type Event,
  type EventOf,
  type ModelRetry,
  type Outcome,
  parentPath,
  type TextDelta,
  ThinkonError,
} from '../protocol/index.ts'
import { createAnswerText } from './answer-text.ts'
import type { StrategyViews } from './block-views.ts'
import { checkView } from './entrances.ts'
import { createThoughts, type ThoughtStep } from './thoughts.ts'
import type { UIMessageChunk, UIMessageMetadata } from './ui-message-chunk.ts'
import { createUIParts } from './ui-parts.ts'
import { createUITree } from './ui-tree.ts'

export interface UIMessageOptions {
  /** The message's id; by default the run's. */
  messageId?: string
  /** What models think; true by default. `steps`: also what blocks work on, their plans, and what is good to know. */
  reasoning?: boolean | 'steps'
  /** The data part `data-thinkon-tree`; true by default. */
  tree?: boolean
  /** Text for the client if the run fails; by default the error's message. */
  onError?(error: unknown): string
}

export interface UIMessageChunks {
  follow(event: Event | ModelRetry | TextDelta): UIMessageChunk[]
  /** The tree, if it has changed since it was given last. */
  tree(): UIMessageChunk[]
  readonly hasNewTree: boolean
  /** The run can't continue here. */
  fail(error: unknown): UIMessageChunk[]
}

export function createUIMessageChunks(
  views: StrategyViews,
  run: string,
  options: UIMessageOptions = {},
): UIMessageChunks {
  checkView('createUIMessageChunks', [views, run, options])
  const { messageId = run, reasoning = true, tree: hasTree = true, onError = textOf } = options
  const answer = createAnswerText(views)
  const thoughts = createThoughts(views)
  const tree = createUITree()
  const parts = createUIParts(reasoning)
  let isBegun = false
  let hasNewTree = false
  let result: Outcome | null = null
  let textId: string | null = null
  /** How often the text was replaced. */
  let replaced = 0

  function begin(): UIMessageChunk[] {
    if (isBegun) return []
    isBegun = true
    return [{ type: 'start', messageId, messageMetadata: { run } }]
  }

  function write(piece: string): UIMessageChunk[] {
    if (piece === '') return []
    const start: UIMessageChunk[] = []
    if (textId === null) {
      textId = `${run}/answer${replaced === 0 ? '' : ` (${replaced + 1})`}`
      // A step of its own: it can be taken back as a whole.
      if (replaced === 0) start.push(...parts.close(), { type: 'start-step' })
      start.push({ type: 'text-start', id: textId })
    }
    return [...start, { type: 'text-delta', id: textId, delta: piece }]
  }

  /** What was given of the answer is not the result: it is taken back, unless parts came after it that would go with it. */
  function replace(text: string): UIMessageChunk[] {
    const before = parts.isAnswerLast ? ([{ type: 'reset-step' }] as const) : end()
    const closed = parts.close()
    textId = null
    replaced++
    hasNewTree = hasTree
    return [...closed, ...before, ...write(text)]
  }

  /** A message, and a chat, may have parts of several runs. The id of a tool's call is the one that the tool gets. */
  function part(step: ThoughtStep): UIMessageChunk[] {
    return parts.add({ ...step, id: `${run}/${step.id}` })
  }

  function text(event: Event | ModelRetry | TextDelta): UIMessageChunk[] {
    try {
      return write(answer.follow(event))
    } catch (thrown) {
      if (!ThinkonError.isInstance(thrown)) throw thrown
      return replace(String(thrown.data.result ?? ''))
    }
  }

  function end(): UIMessageChunk[] {
    const id = textId
    textId = null
    return id === null ? [] : [{ type: 'text-end', id }, { type: 'finish-step' }]
  }

  function ended({ status }: EventOf<'run-end'>): UIMessageChunk[] {
    const metadata: UIMessageMetadata = { run, status, ...endOf(result) }
    const last = [...parts.close(), ...lastTree(), ...end()]
    if (status === 'completed' || status === 'partial' || status === 'skipped')
      return [...last, { type: 'finish', finishReason: finishOf(result), messageMetadata: metadata }]
    const told: UIMessageChunk = { type: 'message-metadata', messageMetadata: metadata }
    const why = result?.reason
    if (status === 'cancelled')
      return [...last, told, { type: 'abort', ...(why !== undefined && { reason: why }) }]
    return [...last, told, { type: 'error', errorText: onError(failure(result)) }]
  }

  function lastTree(): UIMessageChunk[] {
    if (!hasNewTree) return []
    hasNewTree = false
    return [{ type: 'data-thinkon-tree', id: `${run} tree`, data: tree.read() }]
  }

  return {
    follow(event) {
      checkEvent('follow', event)
      const chunks = begin()
      if ('seq' in event) {
        if (tree.follow(event)) hasNewTree = hasTree
        if (event.type === 'block-end' && parentPath(event.path) === null) result = event.outcome
      }
      const piece = text(event)
      const steps = thoughts.follow(event)
      chunks.push(...steps.filter(({ id }) => id !== answer.step).flatMap(part), ...piece)
      if (event.type === 'run-end') chunks.push(...ended(event))
      return chunks
    },
    tree: lastTree,
    get hasNewTree() {
      return hasNewTree
    },
    fail: (error) => [
      ...begin(),
      ...parts.close(),
      ...lastTree(),
      ...end(),
      { type: 'error', errorText: onError(error) },
    ],
  }
}

function endOf(outcome: Outcome | null): Partial<UIMessageMetadata> {
  if (outcome === null) return {}
  const { reason, usage } = outcome
  return { ...(reason !== undefined && { reason }), usage: { ...usage } }
}

function finishOf(outcome: Outcome | null): 'stop' | 'length' | 'other' {
  if (outcome?.status === 'completed') return 'stop'
  return outcome?.limit === undefined ? 'other' : 'length'
}

function failure(outcome: Outcome | null): ThinkonError {
  return new ThinkonError(outcome?.code ?? 'STRATEGY_ERROR', outcome?.reason ?? 'the run has failed')
}

/** Errors of ours have no secrets in them; of others, nobody knows. */
function textOf(error: unknown): string {
  return ThinkonError.isInstance(error) ? error.message : 'An error occurred.'
}
