/** What a person sends in. Signals are numbered per run, path and name; none is lost, each is taken once. */
export interface Signal {
  readonly path: string
  /** `cancel`, `skip`, `redo`, `message`, `answer`, or any name that a strategy waits for. */
  readonly name: string
  readonly number: number
  readonly value: unknown
}

/** Signals the kernel itself understands; every other name waits for a strategy to ask for it. */
export const CONTROL_SIGNALS = ['cancel', 'skip', 'redo', 'message'] as const
export type ControlSignal = (typeof CONTROL_SIGNALS)[number]

export function isControlSignal(name: string): name is ControlSignal {
  return (CONTROL_SIGNALS as readonly string[]).includes(name)
}

export interface Question {
  readonly text: string
  readonly choices?: readonly string[]
  /** Taken when the person sends none, by `--yes`, or when the time is up. */
  readonly fallback?: string
}

/** What a person said with a signal. */
export function signalText(value: unknown): string {
  if (value === undefined || value === null) return ''
  return typeof value === 'string' ? value : JSON.stringify(value)
}
