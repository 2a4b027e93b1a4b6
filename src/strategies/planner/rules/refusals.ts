/**
 * Replies that break a rule are refused by its name and asked for again, three times in all; the outcome has the counts. Asking again
 * is a conversation: the refused reply stays in view as the model's turn, and what is wrong with it follows.
 */
import { askUntilValid, type Checked } from '../../../kernel/ask-until-valid.ts'
import type { Brief } from '../../../kernel/brief/brief.ts'
import type { Conversation } from '../../../kernel/brief/conversation.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import { type ModelReply, type Outcome, ThinkonError } from '../../../protocol/index.ts'
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

export interface Asked<T> {
  readonly conversation: Conversation
  /** `problems` are those of the last reply, which the conversation has already. */
  brief(problems: readonly string[]): Brief
  check(reply: ModelReply): Checked<T, BrokenRule>
}

export interface Refusals {
  /** Asks until no rule is broken. Throws LOOP when the last reply repeats what has failed, otherwise INVALID_FORMAT. */
  ask<T>(asked: Asked<T>): Promise<T>
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
    ask: <T>({ conversation, brief, check }: Asked<T>) =>
      askUntilValid<T, BrokenRule>({
        maxAsks: MAX_ASKS,
        async ask(before) {
          const reply = await context.one(context.model(brief(before.map(problemText))))
          const checked = check(reply)
          conversation.reply(reply)
          if (!checked.ok) conversation.say(refusalText(checked.problems))
          return checked
        },
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

function refusalText(broken: readonly BrokenRule[]): string {
  const lines = broken.map((rule) => `- ${problemText(rule)}\n`)
  return `This answer can't be used:\n${lines.join('')}Answer again, whole, with this put right.\n`
}

function refused(path: string, broken: readonly BrokenRule[]): ThinkonError {
  const names = [...new Set(broken.map(({ name }) => name))].join(', ')
  return new ThinkonError(
    broken.some(({ name }) => isRepetition(name)) ? 'LOOP' : 'INVALID_FORMAT',
    `${MAX_ASKS} replies in a row were refused, the last for ${names}`,
    { data: { path, told: broken.map(problemText) } },
  )
}
