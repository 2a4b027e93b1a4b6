/** Whether a plan is the same as one that failed, for the rules against dead loops: sameness is more than equal bytes. */
import { goalText, isObject, stableJson } from '../../../protocol/index.ts'
import { readCommand, SHELL_ID } from '../executor-call.ts'
import type { Attempt, PlanNext } from '../schema.ts'

const REPETITIONS = ['REPEATS_FAILED_BLOCK', 'REPEATS_FAILED_PLAN', 'REPEATS_FAILED_COMMAND'] as const

export type Repetition = (typeof REPETITIONS)[number]

/** Whether the rule of this name is one against repeating what failed. */
export function isRepetition(name: string): boolean {
  return (REPETITIONS as readonly string[]).includes(name)
}

/** A plan as it is remembered when its block has failed. */
export function attemptOf({ new_block, plan_type, executor_call: call }: PlanNext): Attempt {
  const { goal, plan } = new_block
  // Not validated yet: the call may be null.
  const { command, inputs, expected_observations: expected } = call ?? {}
  const called =
    command === undefined ? {} : { command, inputs, ...(Array.isArray(expected) && { expected }) }
  return { goal: goalText(goal), plan_type, plan, ...called }
}

/** Which part of a failed attempt the plan repeats. Of a whole block it is not said that its plan or command repeats, too. */
export function repetitionOf(plan: Attempt, failed: readonly Attempt[]): Repetition | undefined {
  const same = failed.filter((one) => isSame(one, plan))
  if (same.length === 0) return undefined
  if (same.some(({ goal }) => itemKey(goal) === itemKey(plan.goal))) return 'REPEATS_FAILED_BLOCK'
  return plan.plan_type === 'EXECUTE' ? 'REPEATS_FAILED_COMMAND' : 'REPEATS_FAILED_PLAN'
}

/** Equal for items that differ only in case, white space, numbering and final punctuation. */
export function itemKey(item: string): string {
  return item
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(LABEL, '')
    .replace(/[\s.,;:!?。，；、！？…]+$/u, '')
}

/** "1.", "(2)", "-", "•", "step 3:", "第一步：", "步骤2:", "h1:", "假设：", after NFKC. */
const LABEL =
  /^(?:(?:\(?\d{1,2}[.)、:](?!\d)|\(\d{1,2}\)|[-*•·–—](?=\s)|(?:step|hypothesis|probe|h)\s?\d*\s?:|第\s?[一二三四五六七八九十\d]+\s?步\s?[:,、]|(?:步骤|假设)\s?[一二三四五六七八九十\d]*\s?:)\s*)+/u

function isSame(one: Attempt, other: Attempt): boolean {
  return one.plan_type === other.plan_type && workKey(one) === workKey(other) && expectsSame(one, other)
}

/** A call that failed may be made again with another expectation: it may be the expectation that was wrong. */
function expectsSame({ expected: one }: Attempt, { expected: other }: Attempt): boolean {
  const keyOf = (expected: readonly string[]) => JSON.stringify(expected.map(String).map(itemKey).sort())
  return one === undefined || other === undefined || keyOf(one) === keyOf(other)
}

/** The order of hypotheses says nothing, that of steps does. */
function workKey({ plan_type, plan, command = '', inputs }: Attempt): string {
  if (plan_type === 'EXECUTE') return callKey(command, inputs)
  const keys = plan.map(itemKey)
  return JSON.stringify(plan_type === 'PLAN_PROBES' ? keys.sort() : keys)
}

/** The two ways of giving the shell its command are one. */
function callKey(command: string, inputs: unknown): string {
  const { id, text } = readCommand(command)
  if (id === '') return dataKey([command, inputs])
  const given = isObject(inputs) ? inputs : {}
  const rest: unknown[] = id === SHELL_ID && text !== '' ? ['', { ...given, command: text }] : [text, given]
  return dataKey([id, ...rest])
}

/** Equal for equal data, whatever the order of its fields and the spaces in its texts. */
function dataKey(data: readonly unknown[]): string {
  const spacedTexts = (_: string, item: unknown) => (typeof item === 'string' ? spaced(item) : item)
  return stableJson(JSON.parse(JSON.stringify(data), spacedTexts))
}

/** Spaces within and after lines don't count; indentation does, because it may be what was corrected. */
function spaced(text: string): string {
  return text
    .split(/\r?\n/)
    .map((line) => line.trimEnd().replace(/(?<=\S)\s+/g, ' '))
    .join('\n')
    .trim()
}
