import type { Checked } from '../../kernel/ask-until-valid.ts'
import { errorText, type Outcome, ThinkonError } from '../../protocol/index.ts'
import type { ValueCheck } from './library-check.ts'

export interface ValueMaker {
  readonly check: ValueCheck<unknown>
  /** What its check made of the value that it last accepted. */
  made: { readonly of: string; readonly value: unknown } | null
}

/** The outcome with its value as the caller's schema makes it. */
export async function typedOutcome(ended: Outcome, run: string, output: ValueMaker): Promise<Outcome> {
  const { value: json, ...rest } = ended
  if (json === undefined) return ended
  if (output.made?.of === JSON.stringify(json)) return { ...rest, value: output.made.value }
  const checked = await output.check(structuredClone(json)).catch(brokenCheck)
  if (checked.ok) return { ...rest, value: checked.value }
  if (ended.status !== 'completed') return rest
  const problems = checked.problems.join('; ')
  throw new ThinkonError(
    'BAD_INPUT',
    `run ${run} is completed, but its value does not fit the output that is given here: ${problems}`,
    { data: { problems: checked.problems, value: json } },
  )
}

function brokenCheck(thrown: unknown): Checked<unknown> {
  return { ok: false, problems: [`its check failed: ${errorText(thrown)}`] }
}
