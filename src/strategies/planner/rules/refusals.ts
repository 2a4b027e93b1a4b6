/** Replies that break a rule are refused by its name and asked for again, three times in all; the outcome has the counts. */
import { askUntilValid, type Checked } from '../../../kernel/ask-until-valid.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { type Outcome, ThinkonError } from '../../../protocol/index.ts'
import type { PlannerContext } from '../schema.ts'
import { isRepetition } from './repetition.ts'

const MAX_ASKS = 3

export interface BrokenRule {
  readonly name: string
  /** The place in the reply, such as `new_block.plan[2]`; empty for the whole reply. */
  readonly where: string
  /** What is wrong and what to do instead, for the model. */
  readonly message: string
}

/** A rule that the reply breaks as a whole. */
export function broken(name: string, message: string): BrokenRule {
  return { name, where: '', message }
}

/** Asks once; `problems` are those of the last reply, for the model. */
type Ask<T> = (problems: readonly string[]) => Promise<Checked<T, BrokenRule>>

export interface Refusals {
  /** Asks until no rule is broken. Throws LOOP when the last reply repeats what has failed, otherwise INVALID_FORMAT. */
  ask<T>(ask: Ask<T>): Promise<T>
  /** Adds the counts of a child. */
  add(child: Outcome): void
  countedIn(answer: Answer): Answer
}

export function createRefusals(context: PlannerContext): Refusals {
  const counts: Record<string, number> = {}
  const count = (name: string, times: number) => {
    counts[name] = (counts[name] ?? 0) + times
  }
  return {
    ask: <T>(ask: Ask<T>) =>
      askUntilValid<T, BrokenRule>({
        maxAsks: MAX_ASKS,
        ask: (broken) => ask(broken.map(problemText)),
        onRefused(broken) {
          for (const { name } of broken) count(name, 1)
          noteRefused(context, broken)
        },
        giveUp(broken) {
          throw refused(context.path, broken)
        },
      }),
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

export function noteRefused(context: PlannerContext, broken: readonly BrokenRule[]): void {
  context.emit('planner/reply-refused', {
    names: broken.map(({ name }) => name),
    told: broken.map(problemText),
  })
}

/** The value if no rule is broken. */
export function checkedBy<T>(broken: readonly BrokenRule[], value: T): Checked<T, BrokenRule> {
  return broken.length === 0 ? { ok: true, value } : { ok: false, problems: broken }
}

function problemText({ name, where, message }: BrokenRule): string {
  return `${name}${where === '' ? '' : ` (${where})`}: ${message}`
}

function refused(path: string, broken: readonly BrokenRule[]): ThinkonError {
  const names = [...new Set(broken.map(({ name }) => name))].join(', ')
  return new ThinkonError(
    broken.some(({ name }) => isRepetition(name)) ? 'LOOP' : 'INVALID_FORMAT',
    `${MAX_ASKS} replies in a row were refused, the last for ${names}`,
    { data: { path, told: broken.map(problemText) } },
  )
}
