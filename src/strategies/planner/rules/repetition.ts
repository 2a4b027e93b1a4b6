/** Whether a plan is the same as one that failed, for the rules against dead loops: sameness is more than equal bytes. */
import { goalText, isObject, type Outcome, stableJson } from '../../../protocol/index.ts'
import { readCommand, SHELL_ID } from '../executor-call.ts'
import type { Attempt, PlanNext } from '../schema.ts'

const REPETITIONS = [
  'REPEATS_FAILED_BLOCK',
  'REPEATS_FAILED_PLAN',
  'REPEATS_FAILED_COMMAND',
  'REPEATS_FAILED_GOAL',
] as const

export type Repetition = (typeof REPETITIONS)[number]

/** Whether the rule of this name is one against repeating what failed. */
export function isRepetition(name: string): boolean {
  return (REPETITIONS as readonly string[]).includes(name)
}

/** A plan as it is remembered when its block has failed; `code` is the error that it failed with. */
export function attemptOf(
  { new_block, plan_type, executor_call: call }: PlanNext,
  code?: Outcome['code'],
): Attempt {
  const { goal, plan } = new_block
  // Not validated yet: the call may be null.
  const { command, inputs, expected_observations: expected } = call ?? {}
  const called =
    command === undefined ? {} : { command, inputs, ...(Array.isArray(expected) && { expected }) }
  const hasRun = code === undefined || !NOT_RUN.has(code)
  return { goal: goalText(goal), plan_type, plan, ...called, ...(!hasRun && { hasRun }) }
}

/** The goal was not tried: another call may reach it. */
const NOT_RUN: ReadonlySet<string> = new Set([
  'BAD_INPUT',
  'NO_SUCH_TOOL',
  'DENIED',
  'INTERRUPTED',
  'CANCELLED',
])

/** Which part of a failed attempt the plan repeats. Of a whole block it is not said that its plan or command repeats, too. */
export function repetitionOf(plan: Attempt, failed: readonly Attempt[]): Repetition | undefined {
  const same = failed.filter((one) => isSame(one, plan))
  if (same.some(({ goal }) => itemKey(goal) === itemKey(plan.goal))) return 'REPEATS_FAILED_BLOCK'
  if (same.length > 0) return plan.plan_type === 'EXECUTE' ? 'REPEATS_FAILED_COMMAND' : 'REPEATS_FAILED_PLAN'
  return similarFailure(plan, failed) === undefined ? undefined : 'REPEATS_FAILED_GOAL'
}

/**
 * The failed attempt at a similar goal, where this one does not split it: one call after a call or after steps, or steps for the third
 * time. What failed as hypotheses was not tried.
 */
export function similarFailure(plan: Attempt, failed: readonly Attempt[]): Attempt | undefined {
  if (plan.plan_type === 'PLAN_PROBES' || correctsExpectation(plan, failed)) return undefined
  const similar = failed.filter(
    (one) => one.plan_type !== 'PLAN_PROBES' && one.hasRun !== false && isSimilar(plan.goal, one.goal),
  )
  if (plan.plan_type === 'EXECUTE') return similar.at(-1)
  const steps = similar.filter((one) => one.plan_type === 'PLAN_STEPS')
  return steps.length < MAX_SPLITS ? undefined : steps.at(-1)
}

const MAX_SPLITS = 2

/** The same command that failed once: what is tried anew is what to expect of it. */
function correctsExpectation(plan: Attempt, failed: readonly Attempt[]): boolean {
  const same = failed.filter((one) => one.plan_type === 'EXECUTE' && workKey(one) === workKey(plan))
  return plan.plan_type === 'EXECUTE' && same.length === 1
}

/** Goals that share most of their words, in any order; of Chinese, which has no spaces, most pairs of characters. */
function isSimilar(one: string, other: string): boolean {
  if (itemKey(one) === itemKey(other)) return true
  const [words, others] = [wordsOf(one), wordsOf(other)]
  const shared = [...words].filter((word) => others.has(word)).length
  return shared >= SIMILAR * (words.size + others.size - shared)
}

const SIMILAR = 0.8

function wordsOf(goal: string): ReadonlySet<string> {
  return new Set(
    itemKey(goal)
      .replace(/[的了]/gu, '')
      .match(/\p{Script=Han}+|[\p{L}\p{N}_]+/gu)
      ?.flatMap((run) => (/^\p{Script=Han}/u.test(run) && run.length > 1 ? pairsOf(run) : [run])),
  )
}

function pairsOf(text: string): string[] {
  return Array.from({ length: text.length - 1 }, (_, i) => text.slice(i, i + 2))
}

/** Equal for items that differ only in case, white space, numbering and final punctuation. */
export function itemKey(item: string): string {
  return item
    .normalize('NFKC')
    .toLowerCase()
    .replace(/\s+/gu, ' ')
    .trim()
    .replace(LABEL, '')
    .replace(/(?<![\s.,;:!?。，；、！？…])[\s.,;:!?。，；、！？…]+$/u, '')
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
