/** The steps of a run as parts of a UI message: what models think as reasoning, tools and questions as tool parts. */
import { oneLine, ROOT_PATH, readApproval, shorten } from '../protocol/index.ts'
import type { ThoughtStep } from './thoughts.ts'
import type { UIMessageChunk } from './ui-message-chunk.ts'

export interface UIParts {
  add(step: ThoughtStep): UIMessageChunk[]
  /** Ends all reasoning that is open. */
  close(): UIMessageChunk[]
  /** No part has been added since reasoning was closed last. */
  readonly isAnswerLast: boolean
}

export function createUIParts(reasoning: boolean | 'steps'): UIParts {
  /** The reasoning that is open: the id of its part, and what was given of it. */
  const open = new Map<string, { readonly id: string; text: string }>()
  const used = new Map<string, number>()
  let isAnswerLast = false

  function begin(step: ThoughtStep): UIMessageChunk {
    const times = (used.get(step.id) ?? 0) + 1
    used.set(step.id, times)
    const id = times === 1 ? step.id : `${step.id} (${times})`
    open.set(step.id, { id, text: '' })
    isAnswerLast = false
    return { type: 'reasoning-start', id, providerMetadata: { thinkon: { path: step.path } } }
  }

  function end(step: string): UIMessageChunk[] {
    const part = open.get(step)
    open.delete(step)
    return part === undefined ? [] : [{ type: 'reasoning-end', id: part.id }]
  }

  function reason(step: ThoughtStep): UIMessageChunk[] {
    const before = open.get(step.id)
    // A part can only grow: what is written anew is another.
    const chunks = before !== undefined && !step.text.startsWith(before.text) ? end(step.id) : []
    const isNew =
      !open.has(step.id) && step.text !== '' && !(step.done && used.has(step.id) && before === undefined)
    if (isNew) chunks.push(begin(step))
    const part = open.get(step.id)
    if (part !== undefined && step.text.length > part.text.length) {
      chunks.push({ type: 'reasoning-delta', id: part.id, delta: step.text.slice(part.text.length) })
      part.text = step.text
    }
    return step.done ? [...chunks, ...end(step.id)] : chunks
  }

  function added(chunks: UIMessageChunk[]): UIMessageChunk[] {
    isAnswerLast = false
    return chunks
  }

  return {
    add(step) {
      if (step.kind === 'tool') return added(toolChunks(step))
      if (step.kind === 'question') return added(questionChunks(step))
      if (step.kind === 'thought') return reasoning ? reason(step) : []
      return reasoning === 'steps' ? reason({ ...step, text: stepText(step) }) : []
    },
    close() {
      isAnswerLast = true
      return [...open.keys()].flatMap(end)
    },
    get isAnswerLast() {
      return isAnswerLast
    },
  }
}

/** What is told of a step besides what models think; nothing of the root's goal and result, which are the caller's and the answer. */
function stepText(step: ThoughtStep): string {
  const { kind, path, text } = step
  if (kind === 'plan' || kind === 'note') return text
  if (path === ROOT_PATH) return ''
  if (kind === 'goal') return `${path} ${shorten(oneLine(text), MAX_GOAL)}`
  if (kind !== 'result' || step.status === 'completed') return ''
  return `${path} ${step.status}${step.reason === undefined ? '' : `: ${step.reason}`}`
}

const MAX_GOAL = 300

const OURS = { dynamic: true, providerExecuted: true } as const
const CALLERS = { dynamic: true } as const

function toolChunks(step: Extract<ThoughtStep, { kind: 'tool' }>): UIMessageChunk[] {
  const { id: toolCallId, tool: toolName, input, text: title, path, question } = step
  const isCallers = question !== undefined
  const executed = isCallers ? CALLERS : OURS
  if (!step.done)
    return [
      {
        type: 'tool-input-available',
        toolCallId,
        toolName,
        // Who executes it needs all of it.
        input: isCallers ? (input ?? null) : bounded(input),
        title,
        ...executed,
        providerMetadata: { thinkon: { path, ...(isCallers && { question }) } },
      },
    ]
  if (step.error !== undefined)
    return [{ type: 'tool-output-error', toolCallId, errorText: step.error, ...executed }]
  return [{ type: 'tool-output-available', toolCallId, output: bounded(step.output), ...executed }]
}

/** A question is the call of a tool that a person answers. */
function questionChunks(step: Extract<ThoughtStep, { kind: 'question' }>): UIMessageChunk[] {
  const { id: toolCallId, path, question, text, answer } = step
  const isApproval = question.permission !== undefined
  if (!step.done) {
    const { id, choices, other } = question
    const input = { question: id, path, text, ...(choices && { choices }), ...(other && { other }) }
    const asked: UIMessageChunk = {
      type: 'tool-input-available',
      toolCallId,
      toolName: ASK_PERSON,
      input,
      title: text,
      ...OURS,
      providerMetadata: { thinkon: { path } },
    }
    return isApproval
      ? [asked, { type: 'tool-approval-request', toolCallId, approvalId: toolCallId }]
      : [asked]
  }
  const output: UIMessageChunk =
    answer === undefined
      ? { type: 'tool-output-error', toolCallId, errorText: 'it was not answered', ...OURS }
      : { type: 'tool-output-available', toolCallId, output: answer, ...OURS }
  if (!isApproval) return [output]
  const approved = readApproval(answer).allowed
  const responded: UIMessageChunk = { type: 'tool-approval-response', approvalId: toolCallId, approved }
  return [responded, approved ? output : { type: 'tool-output-denied', toolCallId }]
}

const ASK_PERSON = 'ask_person'

/** What a client gets of a large value. */
function bounded(value: unknown): unknown {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  if (text.length <= MAX_VALUE) return value ?? null
  return shorten(text, MAX_VALUE)
}

const MAX_VALUE = 16_000
