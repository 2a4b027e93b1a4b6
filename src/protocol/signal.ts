import type { ModelRequest } from './model.ts'

/** A message from outside to a block. Signals are numbered per run, path and name; none is lost, each is taken once. */
export interface Signal {
  readonly path: string
  /** `cancel`, `skip`, `redo`, `message`, `answer`, or any name that a strategy waits for. */
  readonly name: string
  readonly number: number
  readonly value: unknown
}

/** Signals that the kernel understands; every other name waits until a strategy asks for it. */
export const CONTROL_SIGNALS = ['cancel', 'skip', 'redo', 'message'] as const
export type ControlSignal = (typeof CONTROL_SIGNALS)[number]

export function isControlSignal(name: string): name is ControlSignal {
  return (CONTROL_SIGNALS as readonly string[]).includes(name)
}

/**
 * The name of the signal that answers a block's question: `approve`, then `approve-2`, `approve-3`. So an answer that is given twice, or out of
 * order, reaches no other question than the one it is for.
 */
export function questionName(kind: string, count: number): string {
  return count === 1 ? kind : `${kind}-${count}`
}

export function isQuestionName(name: string, kind: string): boolean {
  return name === kind || (name.startsWith(`${kind}-`) && /^\d+$/.test(name.slice(kind.length + 1)))
}

/** The kind of question that asks for permission. */
export const APPROVE = 'approve'

export interface Question {
  readonly text: string
  readonly choices?: readonly string[]
  /** Used for an empty answer, by `--yes`, and when the wait times out. */
  readonly fallback?: string
  /** Set if a tool is called that the run's caller executes: the answer is its result. */
  readonly call?: { readonly tool: string; readonly input: unknown }
  /** Set if a person is the model: the request as a model gets it. The answer is the reply: its text, or `{ text?, toolCalls }`. */
  readonly request?: Omit<ModelRequest, 'input'>
  /** Set if a tool asks for permission: what would be called, whole. The text may show a part of it. */
  readonly permission?: { readonly tool: string; readonly input: unknown }
}

/** The text of a signal's value. */
export function signalText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
