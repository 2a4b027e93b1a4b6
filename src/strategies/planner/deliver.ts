/**
 * How a block ends. Within a plan its result is the report in four sections, with the deliverable among them: so it stands in the
 * parent's `done`. A block that no Planner planned, such as the root, ends with the deliverable as its result, held against the goal, and
 * the report as its details.
 */
import type { Answer } from '../../kernel/strategy.ts'
import { checkedResult } from '../closing/checked-result.ts'
import { ownSection } from './context-sections.ts'
import type { PlannerContext } from './schema.ts'
import { completionIn, deliverableIn, withDeliverable, wordsFor } from './sections.ts'

/** What a block has when it ends. */
export interface Ended {
  /** Its result is the report, unless `hasReport` is false. */
  readonly answer: Answer
  readonly hasReport?: boolean
  /** What the goal asked for, where it is not a part of the report. */
  readonly deliverable?: string | undefined
  /** Reflect has judged the deliverable as it stands, written by another call. */
  readonly isJudged?: boolean
  /** Ends once more, after what was wrong with the deliverable. */
  again?(wrong: string): Promise<Ended>
}

export async function deliver(context: PlannerContext, ended: Ended): Promise<Answer> {
  const { answer, hasReport = true, deliverable, isJudged = false, again } = ended
  if (!hasReport) return answer
  const { result: report, ...how } = reported(answer)
  const words = wordsFor(context.block.goal)
  if (context.options.start !== undefined)
    return deliverable === undefined
      ? answer
      : { ...how, result: withDeliverable(report, deliverable, words) }
  const textOf = (text: string, given?: string) => given ?? deliverableIn(text) ?? completionIn(text, words)
  const result = textOf(report, deliverable)
  if (result === '') return answer
  if (how.status !== 'completed' || again === undefined) return { ...how, result, details: report }
  let last = report
  const checked = await checkedResult(context, result, {
    async again(wrong) {
      const ended = await again(wrong)
      const { status, result: second } = reported(ended.answer)
      // What could not be put right leaves the first as it is.
      if (status !== 'completed') return ''
      last = second
      return textOf(last, ended.deliverable)
    },
    mendsFiles: canWrite(context),
    judged: isJudged,
    material: [ownSection(context)],
  })
  const unmet = checked.details === undefined ? '' : `\n\n${checked.details}`
  return { ...how, result: checked.result, details: `${last}${unmet}` }
}

function reported(answer: Answer): Exclude<Answer, string> {
  return typeof answer === 'string' ? { status: 'completed', result: answer } : answer
}

/** What is wrong in a file can be put right by one more call. */
export function canWrite({ tools }: PlannerContext): boolean {
  return tools.some(({ access }) => access === 'write')
}
