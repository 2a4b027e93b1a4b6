/** What the doctor finds: rows of its report, grouped by area. */
export const AREAS = [
  'system',
  'config',
  'store',
  'model',
  'keys',
  'providers',
  'servers',
  'tools',
  'approval',
  'sandbox',
  'mcp',
  'executors',
  'memory',
  'webhooks',
  'terminal',
] as const
export type Area = (typeof AREAS)[number]

/** `bad`: no run can start. `warn`: something won't work. `note`: neither good nor bad. */
export type Level = 'good' | 'note' | 'warn' | 'bad'

export interface Finding {
  readonly area: Area
  readonly level: Level
  readonly text: string
  /** What it is about within its area: a role, a server. */
  readonly name?: string
  /** What to do about it. */
  readonly todo?: string
  /** For programs. */
  readonly data?: Readonly<Record<string, unknown>>
}

export function finding(area: Area, level: Level, text: string, more: Partial<Finding> = {}): Finding {
  return { area, level, text, ...more }
}
