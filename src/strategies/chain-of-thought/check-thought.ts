/** Whether a reply is a thought: its keys, their types, and the rules on plans. All problems are reported at once. */
import type { Checked } from '../../kernel/ask-until-valid.ts'
import { isObject, shorten } from '../../protocol/index.ts'
import { settledStatus, statusProblems, stepsOf } from './plan.ts'
import { readYaml } from './read-yaml.ts'
import { type Plan, type PlanStep, STATUSES, type StepStatus, type Thought } from './schema.ts'

/** A plan is written anew in every thought. */
export const MAX_STEPS = 60
const MAX_NESTING = 6
const MAX_PROBLEMS = 8

export interface ReadThought {
  readonly thought: Thought
  /** What had to be repaired before the reply could be read. */
  readonly repairs: readonly string[]
}

/**
 * Takes a reply as text, or as the value that a program gave. `strategies` are those that a step may name; without them, an
 * unknown name is noticed only when the step is solved.
 */
export function checkReply(
  reply: unknown,
  thoughtNumber: number,
  strategies?: readonly string[],
): Checked<ReadThought> {
  const reading = typeof reply === 'string' ? readYaml(reply) : { value: reply, repairs: [] }
  if ('error' in reading) return { ok: false, problems: [reading.error] }
  const problems: string[] = []
  const thought = thoughtOf(reading.value, thoughtNumber, problems)
  if (problems.length === 0) problems.push(...planProblems(thought, strategies))
  return problems.length === 0
    ? { ok: true, value: { thought, repairs: reading.repairs } }
    : { ok: false, problems: problems.slice(0, MAX_PROBLEMS).map((problem) => shorten(problem, 500)) }
}

function thoughtOf(value: unknown, thoughtNumber: number, problems: string[]): Thought {
  const given = isObject(value) ? value : {}
  const isBlank = typeof given.current_thinking === 'string' && given.current_thinking.trim() === ''
  const thinking = isBlank ? '' : textIn(given.current_thinking)
  if (thinking === undefined) problems.push('current_thinking must be a text')
  const evaluation = textIn(given.evaluation)
  if (evaluation === undefined && isGiven(given.evaluation)) problems.push('evaluation must be a text')
  const needed = given.next_thought_needed
  if (needed === false && thinking === '')
    problems.push('current_thinking is empty: in the thought that concludes it is the answer')
  if (typeof needed !== 'boolean')
    problems.push(`next_thought_needed must be true or false without quotes, not ${shown(needed)}`)
  if (!Array.isArray(given.planning))
    problems.push(`planning must be a list of steps, not ${shown(given.planning)}`)
  return {
    thought_number: thoughtNumber,
    current_thinking: thinking ?? '',
    planning: planOf(given.planning, '', problems),
    next_thought_needed: needed === true,
    ...(evaluation === undefined ? {} : { evaluation }),
  }
}

function planOf(given: unknown, above: string, problems: string[]): Plan {
  if (!Array.isArray(given)) return []
  if (above.split('.').length > MAX_NESTING) {
    problems.push(`the plan is nested more than ${MAX_NESTING} deep at step ${above.slice(0, -1)}`)
    return []
  }
  return given.map((step, i) => stepOf(step, `${above}${i + 1}`, problems))
}

/** Fields that make no sense with the status are dropped: the result of a Pending step, the mark of one not in doubt. */
function stepOf(value: unknown, number: string, problems: string[]): PlanStep {
  const given = isObject(value) ? value : {}
  const text = (key: string): string | undefined => {
    const found = textIn(given[key])
    if (found === undefined && isGiven(given[key])) problems.push(`step ${number}: ${key} must be a text`)
    return found
  }
  const written = statusIn(given.status)
  if (written === undefined)
    problems.push(`step ${number}: status must be ${STATUSES.join(' or ')}, not ${shown(given.status)}`)
  const description = text('description')
  if (description === undefined) problems.push(`step ${number} has no description`)
  const [result, mark, strategy] = [text('result'), text('mark'), text('strategy')]
  const below = given.sub_steps
  if (isGiven(below) && !Array.isArray(below))
    problems.push(`step ${number}: sub_steps must be a list of steps`)
  const subSteps = planOf(below, `${number}.`, problems)
  const status = settledStatus(written ?? 'Pending', subSteps)
  return {
    description: description ?? '',
    status,
    ...(result === undefined || status === 'Pending' ? {} : { result }),
    ...(mark === undefined || status !== 'Verification Needed' ? {} : { mark }),
    ...(subSteps.length === 0 ? {} : { sub_steps: subSteps }),
    ...(strategy === undefined ? {} : { strategy }),
  }
}

/** The document's spelling of it, whatever the case. */
function statusIn(value: unknown): StepStatus | undefined {
  const words =
    typeof value === 'string'
      ? value
          .toLowerCase()
          .replace(/[\s_-]+/g, ' ')
          .trim()
      : ''
  return STATUSES.find((status) => status.toLowerCase() === words)
}

function planProblems({ planning, next_thought_needed }: Thought, strategies?: readonly string[]): string[] {
  const steps = stepsOf(planning)
  if (steps.length === 0 && next_thought_needed) return ['planning is empty: make a plan']
  if (steps.length > MAX_STEPS)
    return [`the plan has ${steps.length} steps, and may have ${MAX_STEPS}: put what is Done together`]
  const unknown = steps.flatMap(({ number, step: { strategy } }) =>
    strategy === undefined || strategies === undefined || strategies.includes(strategy)
      ? []
      : `step ${number}: there is no strategy ${shown(strategy)}; there are: ${strategies.join(', ')}`,
  )
  return [...statusProblems(planning), ...unknown]
}

/** A text, or a number or boolean that programs and YAML make of texts such as 7 or true; undefined if empty. */
function textIn(value: unknown): string | undefined {
  if (typeof value !== 'string')
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  const text = value.trim()
  return text === '' ? undefined : text
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null && (typeof value !== 'string' || value.trim() !== '')
}

function shown(value: unknown): string {
  return value === undefined ? 'missing' : shorten(JSON.stringify(value) ?? String(value), 80)
}
