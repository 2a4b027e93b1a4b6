/** Replies that break a rule: told by name, asked again, three times in all, and counted in the outcome. */
import type { Answer, Context } from '../../../kernel/strategy.ts'
import { type Outcome, ThinkonError } from '../../../protocol/index.ts'

const MAX_ASKS = 3

/** One reply, with the rules it breaks. */
export interface Asked<T> {
  readonly value: T
  readonly names: readonly string[]
  /** For the model: each with its name. */
  readonly told: readonly string[]
  /** It would do again what has failed. */
  readonly repeats: boolean
}

export interface Refusals {
  /** Asks until nothing is broken. Throws LOOP when the last reply repeats what failed, else INVALID_FORMAT. */
  ask<T>(attempt: (told: readonly string[]) => Promise<Asked<T>>): Promise<T>
  /** Takes over what a child counted. */
  add(child: Outcome): void
  countedIn(answer: Answer): Answer
}

export function createRefusals(context: Context): Refusals {
  const counts: Record<string, number> = {}
  const count = (name: string, times: number) => {
    counts[name] = (counts[name] ?? 0) + times
  }
  return {
    async ask(attempt) {
      let told: readonly string[] = []
      for (let asks = 1; ; asks++) {
        const asked = await attempt(told)
        if (asked.names.length === 0) return asked.value
        for (const name of asked.names) count(name, 1)
        context.emit('planner/reply-refused', { names: asked.names, told: asked.told })
        if (asks === MAX_ASKS) throw refused(context.path, asked)
        told = asked.told
      }
    },
    add({ violations = {} }) {
      for (const [name, times] of Object.entries(violations)) count(name, times)
    },
    countedIn(answer) {
      if (Object.keys(counts).length === 0) return answer
      return {
        ...(typeof answer === 'string' ? { status: 'completed', result: answer } : answer),
        violations: counts,
      }
    },
  }
}

function refused(path: string, { names, told, repeats }: Asked<unknown>): ThinkonError {
  const which = [...new Set(names)].join(', ')
  return new ThinkonError(
    repeats ? 'LOOP' : 'INVALID_FORMAT',
    `${MAX_ASKS} replies in a row were refused, the last for ${which}`,
    { data: { path, told } },
  )
}
