/** Thoughts from blocks of another strategy: each candidate is a block of its own, and its result is the thought. */
import { type ErrorData, type Outcome, ThinkonError } from '../../../protocol/index.ts'
import type { ThoughtPayloads } from '../protocol.ts'
import type { TotOptions } from '../schema.ts'
import { stepText, thoughtsOf } from '../sections.ts'
import type { Surroundings } from '../surroundings.ts'
import { type Agent, unwrap } from './agent.ts'

export function strategyGenerator({
  strategy,
  options = {},
}: NonNullable<TotOptions['generator']>): Agent<'generate_thoughts'> {
  return {
    begin({ payload }, context, _again, around) {
      const { num_candidates: of } = payload
      return Array.from({ length: of }, (_, i) =>
        context.call(subGoal(payload, around, i + 1, of), { strategy, options }),
      )
    },
    end(_request, results) {
      const outcomes = results.map((result) => unwrap(result) as Outcome)
      const usable = outcomes.filter(({ status, result }) => THOUGHTS.has(status) && result.trim() !== '')
      if (usable.length === 0) {
        throw ThinkonError.fromJSON(failureOf(outcomes[0] as Outcome))
      }
      return {
        candidates: usable.map(({ result, status }, i) => ({
          temp_id: `cand_${i + 1}`,
          content: result,
          action_type: strategy,
          ...(status === 'completed' ? {} : { metadata: { status } }),
        })),
      }
    },
  }
}

const THOUGHTS: ReadonlySet<Outcome['status']> = new Set<Outcome['status']>(['completed', 'partial'])

/** Complete in itself. A single candidate for the only step is just the problem. */
function subGoal(
  { parent_node, context }: ThoughtPayloads['generate_thoughts'],
  around: Surroundings | null,
  n: number,
  of: number,
): string {
  const { problem, goal, constraints } = context
  const thoughts = thoughtsOf(parent_node)
  if (of === 1 && around?.maxDepth === 1) return problem
  const soFar = thoughts.map((thought, i) => `${i + 1}. ${thought}`)
  return [
    `Give the next step towards the solution of this problem, and only that step: ${problem}`,
    `A solution is known by this: ${[goal, ...constraints].join('; ')}`,
    soFar.length === 0 ? '' : `Steps so far:\n${soFar.join('\n')}`,
    stepText(parent_node.depth + 1, around),
    of === 1 ? '' : `${of} are asked, and each is to go another way; you are number ${n}.`,
  ]
    .filter((part) => part !== '')
    .join('\n')
}

/** Why a block that was to give a thought gave none. */
export function failureOf({
  code = 'STRATEGY_ERROR',
  reason = 'it came to nothing',
  limit,
}: Outcome): ErrorData {
  return { code, message: reason, ...(limit === undefined ? {} : { data: { limit } }) }
}
