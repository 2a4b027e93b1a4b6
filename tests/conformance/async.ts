// Waiting in tests: for a condition, at a gate, for ever.

const POLL_MS = 4
// Ends what hangs, before the test's own time-out does, which could not say what was waited for. Whatever is not hung comes: on a busy
// machine the start of a command alone may take ten seconds.
const PATIENCE_MS = 100_000

/** Waits until it holds; fails, and says what for, when it does not come to hold. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string | (() => string),
): Promise<void> {
  const end = Date.now() + PATIENCE_MS
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain: ${typeof what === 'string' ? what : what()}`)
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

/** The promise's value; fails, and says what for, when it does not settle. */
export async function inTime<T>(promise: Promise<T>, what: string, ms = PATIENCE_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited in vain: ${what}`)), ms)
  })
  try {
    return await Promise.race([promise, late])
  } finally {
    clearTimeout(timer)
  }
}

export async function allOf<T>(items: Iterable<T> | AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

export interface Gate {
  readonly opened: Promise<void>
  open(): void
}

/** Holds effects back until the test opens it. */
export function gate(): Gate {
  let open = () => {}
  const opened = new Promise<void>((resolve) => {
    open = resolve
  })
  return { opened, open }
}

/** An effect that never comes to an end, not even when it is aborted. */
export function never(): Promise<never> {
  return new Promise(() => {})
}

export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
