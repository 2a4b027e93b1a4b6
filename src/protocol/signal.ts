import type { ModelRequest } from './model.ts'

/** A message from outside to a block. Signals are numbered per run, path and name; none is lost, each is taken once. */
export interface Signal {
  readonly path: string
  /** `cancel`, `skip`, `redo`, `message`, a name that a strategy listens to, or the name of the question that it answers. */
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

/** The kind of question that asks for permission. */
export const APPROVE = 'approve'

/** What a block asks. */
export interface Question {
  readonly text: string
  readonly choices?: readonly string[]
  /** With `choices`: any other text is an answer, too. */
  readonly other?: boolean
  /** JSON Schema of the answer. */
  readonly output?: Readonly<Record<string, unknown>>
  /** Used for an empty answer, by `--yes`, and when the wait times out. */
  readonly fallback?: string
  /** Set if a tool is called that the run's caller executes: the answer is its result. */
  readonly call?: { readonly tool: string; readonly input: unknown }
  /** Set if a person is the model: the request as a model gets it. The answer is the reply: its text, or `{ text?, toolCalls }`. */
  readonly request?: Omit<ModelRequest, 'input'>
  /** Set if a tool asks for permission: what would be called, whole. The text may show a part of it. */
  readonly permission?: { readonly tool: string; readonly input: unknown }
}

/** Who answers a question: a person, or the run's caller, who executes a tool. */
export type Answerer = 'person' | 'caller'

export function answererOf({ call }: Pick<Question, 'call'>): Answerer {
  return call === undefined ? 'person' : 'caller'
}

/** The names of a block's questions: `answer`, `answer-2`, `answer-3`. An answer to one of them can't reach another. */
export class QuestionNames {
  /** Made on first use: most blocks ask nothing. */
  private used: Set<string> | null = null

  next(kind: string): string {
    for (let count = 1; ; count++) {
      const name = count === 1 ? kind : `${kind}-${count}`
      if (this.take(name)) return name
    }
  }

  /** False if the name is in use. */
  take(name: string): boolean {
    this.used ??= new Set()
    if (this.used.has(name)) return false
    this.used.add(name)
    return true
  }
}

/** Whether a question was asked under this kind of name: `approve-2` of `approve`. */
export function isQuestionName(name: string, kind: string): boolean {
  return name === kind || (name.startsWith(`${kind}-`) && /^\d+$/.test(name.slice(kind.length + 1)))
}

/** The text of a signal's value. */
export function signalText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
