import { ThinkonError } from '../protocol/index.ts'

/** An event that was read, and lacks what everybody relies on. The message says which, and what it lacks. */
export class DamagedEvent extends TypeError {
  readonly run: string
  constructor(run: string, message: string) {
    super(message)
    this.run = run
  }
}

/** What reading events of a run threw, with their place if it is damage. Something else is returned as it is. */
export function unreadable(thrown: unknown, run: string, from: number, to: number): unknown {
  if (thrown instanceof DamagedEvent || !isDamage(thrown)) return thrown
  const place = from >= to ? `event ${to}` : `events ${from} to ${to}`
  return new DamagedEvent(run, `${place} of run ${run} can't be read: ${(thrown as Error).message}`)
}

/** Only that run is affected. `title` is what the store is called. */
export function damagedRun({ message, run }: DamagedEvent, store: string, title = store): ThinkonError {
  return new ThinkonError(
    'STORE_CORRUPT',
    `${title} is damaged: ${message}. Restore it from a backup, or delete the run: thinkon delete ${run}`,
    { data: { store, run } },
  )
}

/**
 * Whether what reading a row threw means that the store is damaged: a row that is missing, a body that is not JSON, is nested too deeply or can't
 * be decompressed, or a time that is none.
 */
export function isDamage(thrown: unknown): boolean {
  const { code } = thrown as { code?: unknown }
  return (
    thrown instanceof SyntaxError ||
    thrown instanceof TypeError ||
    thrown instanceof RangeError ||
    (typeof code === 'string' && code.startsWith('Z_'))
  )
}
