/** The rules of `plan-next`: which of them a reply of the Planner breaks. Takes any JSON, and never throws. */
import { type Core4, isObject, oneLine, shorten } from '../../../protocol/index.ts'
import { readCommand, SHELL_ID, unknownExecutor } from '../executor-call.ts'
import type { Warning } from '../notes.ts'
import {
  type Attempt,
  CORE4_FIELDS,
  MAX_ITEMS,
  MIN_ITEMS,
  PLAN_TYPES,
  type PlanNext,
  type PlanType,
} from '../schema.ts'
import { checkFields, checkTexts, type JsonObject, MAX_LENGTH, type Report } from './check-fields.ts'
import { isOrder } from './orders.ts'
import type { BrokenRule } from './refusals.ts'
import { attemptOf, itemKey, repetitionOf, similarFailure } from './repetition.ts'
import { type Message, VIOLATIONS, type ViolationName } from './violation-table.ts'
import { guessWordsIn, sequenceWordsIn } from './words.ts'

export interface Violation extends BrokenRule {
  readonly name: ViolationName
}

export interface Situation {
  /** Failed attempts of the block that is planned for. */
  readonly attempts: readonly Attempt[]
  /** Ids of the known executors. */
  readonly executors: readonly string[]
  /** Texts of the context. A timestamp or an id found there is not the model's invention: the same context has it again. */
  readonly given?: readonly string[]
}

export function violationsOf(value: unknown, situation: Situation): Violation[] {
  const found: Violation[] = []
  const report: Report = (name, where, what = '') => {
    const message: Message = VIOLATIONS[name]
    found.push({ name, where, message: message(where, shorten(what, MAX_LENGTH)) })
  }

  if (!isObject(value)) report('NOT_AN_OBJECT', '', value === undefined ? 'no JSON' : kindOf(value))
  // The rest would be judged by the rules of another form.
  else if (value.type === 'plan-return') report('WRONG_TYPE', 'type', '"plan-return"')
  else {
    checkType(value, report)
    checkFields(value, report)
    checkBlock(value, report)
    checkRest(value, situation, report)
    checkTexts(value, situation.given ?? [], report)
    checkRepetition(value, situation.attempts, report)
  }
  return found.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)).slice(0, MAX_VIOLATIONS)
}

export function warningsOf(value: unknown): Warning[] {
  if (!isObject(value)) return []
  const signalled = isSaid(value.success_signal)
  if (value.plan_type === 'EXECUTE') {
    const call = isObject(value.executor_call) ? value.executor_call : {}
    const observed = Array.isArray(call.expected_observations) && call.expected_observations.length > 0
    return [
      ...(signalled ? ['SUCCESS_SIGNAL_WITH_EXECUTE' as const] : []),
      ...(observed ? [] : ['NO_EXPECTED_OBSERVATIONS' as const]),
    ]
  }
  return signalled ? [] : ['NO_SUCCESS_SIGNAL']
}

const ORDER = Object.keys(VIOLATIONS)
/** More at once would not help the model. */
const MAX_VIOLATIONS = 20
/** Items that are read of a plan; one with more is refused anyway. */
const MAX_READ = 50

const GOAL = 'new_block.goal'
const PLAN = 'new_block.plan'

function checkType({ type, plan_type }: JsonObject, report: Report): void {
  if (type !== 'plan-next') report('WRONG_TYPE', 'type', shown(type))
  if (!isPlanType(plan_type)) report('UNKNOWN_PLAN_TYPE', 'plan_type', shown(plan_type))
}

function checkBlock({ new_block: block, plan_type: type }: JsonObject, report: Report): void {
  if (!isObject(block)) {
    report('MISSING_NEW_BLOCK', 'new_block', kindOf(block))
    return
  }
  checkGoal(block.goal, report)
  checkPlan(block.plan, isPlanType(type) ? type : undefined, report)
  if (block.done === undefined) report('MISSING_DONE', 'new_block.done')
  else if (!Array.isArray(block.done) || block.done.length > 0)
    report('DONE_NOT_EMPTY', 'new_block.done', kindOf(block.done))
}

function checkGoal(goal: unknown, report: Report): void {
  if (goal === undefined || goal === null) report('MISSING_GOAL', GOAL)
  else if (isObject(goal)) checkCore4(goal, report)
  else if (typeof goal !== 'string') report('GOAL_NOT_CORE4', GOAL, kindOf(goal))
  else if (!isSaid(goal)) report('EMPTY_GOAL', GOAL)
}

function checkCore4(goal: JsonObject, report: Report): void {
  for (const name of CORE4_FIELDS)
    if (typeof goal[name] !== 'string') report('GOAL_NOT_CORE4', `${GOAL}.${name}`, kindOf(goal[name]))
  // There may be nothing to deliver, measure or respect, but never nothing to intend.
  if (typeof goal.intent === 'string' && !isSaid(goal.intent)) report('EMPTY_GOAL', `${GOAL}.intent`)
}

function checkPlan(plan: unknown, type: PlanType | undefined, report: Report): void {
  if (!Array.isArray(plan)) report('PLAN_NOT_TEXTS', PLAN, kindOf(plan))
  else if (type === 'EXECUTE') {
    if (plan.length > 0) report('EXECUTE_WITH_PLAN', PLAN, itemCount(plan))
  } else {
    checkItems(plan, PLAN, 'PLAN_NOT_TEXTS', report)
    if (type === undefined) return
    if (plan.length < MIN_ITEMS) report('TOO_FEW_ITEMS', PLAN, itemCount(plan))
    if (plan.length > MAX_ITEMS) report('TOO_MANY_ITEMS', PLAN, itemCount(plan))
    const read = plan.slice(0, MAX_READ)
    checkDuplicates(read, type, report)
    checkWords(read, type, report)
  }
}

function checkItems(items: readonly unknown[], where: string, name: ViolationName, report: Report): void {
  items.forEach((item, i) => {
    if (typeof item !== 'string') report(name, `${where}[${i}]`, kindOf(item))
    else if (item.trim() === '') report('EMPTY_ITEM', `${where}[${i}]`)
  })
}

/** A step may be repeated later, such as running the tests before and after; a hypothesis may not. */
function checkDuplicates(plan: readonly unknown[], type: PlanType, report: Report): void {
  const keys = plan.map((item) => (isSaid(item) ? itemKey(item) : ''))
  keys.forEach((key, i) => {
    const before = keys.indexOf(key, type === 'PLAN_STEPS' ? Math.max(0, i - 1) : 0)
    if (key !== '' && before < i) report('DUPLICATE_ITEM', itemPlace(i), `"${itemPlace(before)}"`)
  })
}

function checkWords(plan: readonly unknown[], type: PlanType, report: Report): void {
  const items = plan.map((item) => readItem(typeof item === 'string' ? item : ''))
  const mixed = type === 'PLAN_STEPS' ? guessAmongSteps(items) : stepAmongHypotheses(items)
  if (mixed !== undefined) {
    report('PLAN_MIXED', PLAN, `${said(mixed.step)} beside ${said(mixed.hypothesis)}`)
    return
  }
  items.forEach(({ sequence, guess }, i) => {
    if (type === 'PLAN_PROBES' && sequence.length > 0)
      report('PROBE_HAS_SEQUENCE_WORD', itemPlace(i), quoted(sequence))
    if (type === 'PLAN_STEPS' && guess.length > 0) report('STEP_HAS_GUESS_WORD', itemPlace(i), quoted(guess))
  })
}

interface ReadItem {
  readonly text: string
  readonly sequence: readonly string[]
  readonly guess: readonly string[]
}

function readItem(text: string): ReadItem {
  return { text, sequence: sequenceWordsIn(text), guess: guessWordsIn(text) }
}

interface Mixed {
  readonly step: ReadItem | undefined
  readonly hypothesis: ReadItem | undefined
}

/** Some steps guess and others do not: whichever words the others have, they are steps. */
function guessAmongSteps(items: readonly ReadItem[]): Mixed | undefined {
  const hypothesis = items.find(({ guess }) => guess.length > 0)
  const sure = items.filter(({ guess }) => guess.length === 0)
  if (hypothesis === undefined || sure.length === 0) return undefined
  return { step: sure.find(({ sequence }) => sequence.length > 0) ?? sure[0], hypothesis }
}

/** A step by its sequence words beside a guess, or by its form beside anything else. */
function stepAmongHypotheses(items: readonly ReadItem[]): Mixed | undefined {
  const isNext = ({ sequence, guess }: ReadItem) => sequence.length > 0 && guess.length === 0
  const isPlain = ({ text, sequence, guess }: ReadItem) =>
    sequence.length === 0 && guess.length === 0 && isOrder(text)
  const hypothesis = items.find(({ sequence, guess }) => guess.length > 0 && sequence.length === 0)
  const next = items.find(isNext)
  if (next !== undefined && hypothesis !== undefined) return { step: next, hypothesis }
  const step = items.find(isPlain)
  const other = hypothesis ?? items.find((item) => !isNext(item) && !isPlain(item))
  return step === undefined || other === undefined ? undefined : { step, hypothesis: other }
}

/** The words that show what it is, or else the item itself. */
function said(item: ReadItem | undefined): string {
  const { text, sequence, guess } = item as ReadItem
  const words = guess.length > 0 ? guess : sequence
  return words.length > 0 ? quoted(words) : quoted([shorten(text, MAX_QUOTED)])
}

const MAX_QUOTED = 60

function checkRest(value: JsonObject, { executors }: Situation, report: Report): void {
  const { plan_type: type, success_signal: signal, executor_call: call, update_plan: update } = value
  if (signal !== undefined && typeof signal !== 'string')
    report('SUCCESS_SIGNAL_NOT_TEXT', 'success_signal', kindOf(signal))
  if (type === 'EXECUTE') {
    if (isObject(call)) checkCall(call, executors, report)
    else report('EXECUTE_WITHOUT_CALL', 'executor_call', call === undefined ? 'nothing' : kindOf(call))
  } else if (call !== undefined && isPlanType(type)) report('CALL_WITHOUT_EXECUTE', 'executor_call', type)
  if (Array.isArray(update)) checkItems(update, 'update_plan', 'UPDATE_PLAN_NOT_TEXTS', report)
  else if (update !== undefined) report('UPDATE_PLAN_NOT_TEXTS', 'update_plan', kindOf(update))
}

function checkCall(
  { command, inputs, expected_observations: expected }: JsonObject,
  executors: readonly string[],
  report: Report,
): void {
  const lacks = (field: string, what: string) => report('CALL_INCOMPLETE', `executor_call.${field}`, what)
  if (!isSaid(command)) lacks('command', `${kindOf(command)}; give the command, like "shell: <command>"`)
  else {
    const { id, text } = readCommand(command)
    // Without known executors the document has plans use the generic one.
    const ids = executors.length > 0 ? executors : [SHELL_ID]
    if (!ids.includes(id)) report('CALL_UNKNOWN_EXECUTOR', 'executor_call.command', unknownExecutor(id, ids))
    else if (id === SHELL_ID && text === '' && !(isObject(inputs) && isSaid(inputs.command)))
      lacks('command', 'a shell without a command; write "shell: <command>"')
  }
  if (!isObject(inputs)) lacks('inputs', `${kindOf(inputs)}; give an object, {} where there is none`)
  if (!Array.isArray(expected) || !expected.every(isSaid))
    lacks(
      'expected_observations',
      `${Array.isArray(expected) ? 'a list with other things than texts' : kindOf(expected)}; give a list of texts: what shows that it worked`,
    )
}

function checkRepetition(value: JsonObject, failed: readonly Attempt[], report: Report): void {
  const { plan_type: type, new_block: block, executor_call: call } = value
  if (failed.length === 0 || !isPlanType(type) || !isObject(block)) return
  const { plan } = block
  const goal = isCore4(block.goal) || typeof block.goal === 'string' ? block.goal : ''
  if (type === 'EXECUTE' ? !isObject(call) || !isSaid(call.command) : !isTexts(plan) || plan.length === 0)
    return
  const attempt = attemptOf({ plan_type: type, new_block: { goal, plan }, executor_call: call } as PlanNext)
  const repeated = repetitionOf(attempt, failed)
  if (repeated === 'REPEATS_FAILED_GOAL') report(repeated, GOAL, quoted([failedGoal(attempt, failed)]))
  else if (repeated !== undefined) report(repeated, type === 'EXECUTE' ? 'executor_call' : PLAN)
}

function failedGoal(attempt: Attempt, failed: readonly Attempt[]): string {
  return shorten(oneLine(similarFailure(attempt, failed)?.goal ?? ''), MAX_QUOTED)
}

function isCore4(value: unknown): value is Core4 {
  return isObject(value) && CORE4_FIELDS.every((name) => typeof value[name] === 'string')
}

function isPlanType(value: unknown): value is PlanType {
  return (PLAN_TYPES as readonly unknown[]).includes(value)
}

function isSaid(value: unknown): value is string {
  return typeof value === 'string' && value.trim() !== ''
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string')
}

function itemPlace(i: number): string {
  return `${PLAN}[${i}]`
}

function itemCount({ length }: readonly unknown[]): string {
  return length === 1 ? '1 item' : `${length} items`
}

function quoted(words: readonly string[]): string {
  return words.map((word) => `"${word}"`).join(', ')
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'missing'
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? 'an empty list' : 'a list'
  if (typeof value === 'string') return value.trim() === '' ? 'an empty text' : 'a text'
  return typeof value === 'object' ? 'an object' : `${value}`
}

function shown(value: unknown): string {
  return isSaid(value) ? JSON.stringify(value) : kindOf(value)
}
