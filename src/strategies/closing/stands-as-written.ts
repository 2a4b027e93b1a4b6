import { goalText } from '../../protocol/index.ts'
import type { AnswerForm, AnswerRequest } from '../../views/strategy-view.ts'
import { demandsOf } from './demands-of.ts'
import { isSmallGoal } from './is-trivial.ts'
import { isSoFarIn } from './language.ts'

/**
 * The form, if a result that a call writes now will not be sent back: nobody checks it, or it was sent back before. Null if it may be.
 * That it is in the right language shows as it is written.
 */
export function standsAsWritten(asked: AnswerRequest, form: AnswerForm): AnswerForm | null {
  const { goal, options, parts, sentBack } = asked
  const { check = 'auto' } = (options ?? {}) as { readonly check?: string }
  if (check === 'never' || sentBack) return form
  if (check !== 'auto' || parts > 0 || !isSmallGoal(goalText(goal))) return null
  const [demand, ...more] = demandsOf(goal)
  if (demand === undefined) return form
  if (demand.type !== 'language' || more.length > 0) return null
  return { ...form, mayBe: (text) => isSoFarIn(demand, text) }
}
