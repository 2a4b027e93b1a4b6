/** Keeps a part of a cluster running: whenever it ends, it is started again after a pause, which grows while it does not stay up. */
import { setTimeout as pause } from 'node:timers/promises'
import { errorText } from '../protocol/index.ts'

const FIRST_PAUSE_MS = 250
const LONGEST_PAUSE_MS = 3_000
/** One that was up for so long is well: the next pause is short again. */
const WELL_MS = 10_000

export interface Part {
  /** Resolves when it is up, with what resolves when it has ended. */
  start(): Promise<{ readonly ended: Promise<unknown> }>
  /** Hears what happens to it, a line each. */
  say(line: string): void
}

export interface Supervised {
  /** It is not started again. Resolves when no start is under way any more. */
  release(): Promise<void>
}

/** Starts the part; throws if it does not start the first time. */
export async function supervise(part: Part): Promise<Supervised> {
  const releasing = new AbortController()
  const { signal } = releasing
  let starting: Promise<{ ended: Promise<unknown> }> = part.start()
  void watch(await starting)

  async function watch({ ended }: { ended: Promise<unknown> }): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS
    for (let startedMs = Date.now(); ; startedMs = Date.now()) {
      const how = await ended
      if (Date.now() - startedMs > WELL_MS) pauseMs = FIRST_PAUSE_MS
      if (!signal.aborted) part.say(`has ended${exit(how)}, and is started again`)
      for (let isUp = false; !isUp; ) {
        await pause(pauseMs, undefined, { signal }).catch(() => {})
        if (signal.aborted) return
        pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)
        starting = part.start()
        isUp = await starting.then(
          (up) => {
            ended = up.ended
            return true
          },
          (thrown) => {
            part.say(errorText(thrown))
            return false
          },
        )
      }
    }
  }

  return {
    async release() {
      releasing.abort()
      await starting.catch(() => {})
    },
  }
}

function exit(code: unknown): string {
  return typeof code === 'number' ? ` (${code > 128 ? `signal ${code - 128}` : `exit code ${code}`})` : ''
}
