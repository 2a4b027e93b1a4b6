/**
 * The rules of `plan-next`: what an answer of the Planner breaks, by name, with the sentence that the model is told. Any JSON
 * can be given; nothing is thrown.
 */
import { type Core4, isObject, nearest, shorten } from '../../../protocol/index.ts'
import { readCommand, SHELL_ID, unknownExecutor } from '../executors/executor-call.ts'
import { MAX_ITEMS, MIN_ITEMS, PLAN_TYPES, type PlanNext, type PlanType } from '../schema.ts'
import { type Attempt, attemptOf, itemKey, type Repetition, repetitionOf } from './repetition.ts'
import { randomIn, timestampIn } from './unstable-text.ts'
import { VIOLATIONS, type ViolationName } from './violation-table.ts'
import { guessWordsIn, sequenceWordsIn } from './words.ts'

export { type Attempt, attemptOf, VIOLATIONS, type ViolationName }

export interface Violation {
  readonly name: ViolationName
  /** Like `new_block.plan[2]`; empty for the whole answer. */
  readonly where: string
  /** One sentence for the model: what is wrong and what to do instead. */
  readonly told: string
}

export interface Situation {
  /** Failed attempts of the block that is planned for. */
  readonly attempts: readonly Attempt[]
  /** Ids of the executors there are. */
  readonly executors: readonly string[]
  /** Texts of the context. A timestamp or an id that stands there is no whim of the model: the same context has it again. */
  readonly given?: readonly string[]
}

export type Warning = 'NO_SUCCESS_SIGNAL' | 'SUCCESS_SIGNAL_WITH_EXECUTE' | 'NO_EXPECTED_OBSERVATIONS'

export function violationsOf(value: unknown, situation: Situation): Violation[] {
  const found: Violation[] = []
  const say: Say = (name, where, what = '') =>
    found.push({ name, where, told: VIOLATIONS[name].told(where, shorten(what, MAX_LENGTH)) })

  if (!isObject(value)) say('NOT_AN_OBJECT', '', value === undefined ? 'no JSON' : kindOf(value))
  else if (value.type === 'plan-return')
    say('WRONG_TYPE', 'type', '"plan-return"') // all else is another form's
  else {
    checkType(value, say)
    checkFields(value, say)
    checkBlock(value, say)
    checkRest(value, situation, say)
    checkTexts(value, situation.given ?? [], say)
    checkRepetition(value, situation.attempts, say)
  }
  return found.sort((a, b) => ORDER.indexOf(a.name) - ORDER.indexOf(b.name)).slice(0, MAX_TOLD)
}

/** What the document says an answer should have, and need not. */
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

const REPETITIONS: Readonly<Record<Repetition, true>> = {
  REPEATS_FAILED_BLOCK: true,
  REPEATS_FAILED_PLAN: true,
  REPEATS_FAILED_COMMAND: true,
}

/** Whether it is the anti-dead-loop rule that was broken. */
export function isRepetition(name: string): name is Repetition {
  return Object.hasOwn(REPETITIONS, name)
}

type Say = (name: ViolationName, where: string, what?: string) => void
type Fields = Readonly<Record<string, unknown>>

const ORDER = Object.keys(VIOLATIONS)
/** More at once is no help. */
const MAX_TOLD = 20
const MAX_LENGTH = 300
/** Items of a plan; one with more is refused as it is. */
const MAX_READ = 50

function checkType({ type, plan_type }: Fields, say: Say): void {
  if (type !== 'plan-next') say('WRONG_TYPE', 'type', shown(type))
  if (!isPlanType(plan_type)) say('UNKNOWN_PLAN_TYPE', 'plan_type', shown(plan_type))
}

const GOAL = 'new_block.goal'
const PLAN = 'new_block.plan'

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['type', 'plan_type', 'new_block', 'success_signal', 'executor_call', 'update_plan'],
  new_block: ['goal', 'plan', 'done'],
  [GOAL]: ['intent', 'deliverable', 'metric', 'constraint'],
  executor_call: ['command', 'inputs', 'expected_observations'],
}

const STRUCTURE =
  /^(?:ids?|uuid|paths?|child|children|parents?|ancestors?|node|root|depth|max_depth|level|tcb|current_node|currentNode|\w+_(?:ids?|path|children)|\w+(?:Ids?|Path|Children))$/
const STATE = /^(?:think|done|\w+_done|update_goal|updateDone|updateGoal)$/

function checkFields(value: Fields, say: Say): void {
  for (const { where, name, within } of walk(value, (place) => place === 'executor_call.inputs')) {
    if (name === undefined) continue
    // A field may be named like a method that every object has.
    const known = Object.hasOwn(KNOWN, within) ? KNOWN[within] : undefined
    if (known?.includes(name)) continue
    if (STRUCTURE.test(name)) say('STRUCTURE_FIELD', where)
    else if (within === '' && STATE.test(name)) say('REWRITES_STATE', where)
    else if (known !== undefined) say('UNKNOWN_FIELD', where, instead(name, within, known))
  }
}

function instead(name: string, within: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  if (meant !== undefined) return `did you mean "${meant}"`
  const place = Object.keys(KNOWN).find((one) => one !== within && KNOWN[one]?.includes(name))
  if (place !== undefined) return `it belongs into ${place === '' ? 'the outer object' : `"${place}"`}`
  return 'leave it out'
}

function checkBlock({ new_block: block, plan_type: type }: Fields, say: Say): void {
  if (!isObject(block)) {
    say('MISSING_NEW_BLOCK', 'new_block', kindOf(block))
    return
  }
  checkGoal(block.goal, say)
  checkPlan(block.plan, isPlanType(type) ? type : undefined, say)
  if (block.done === undefined) say('MISSING_DONE', 'new_block.done')
  else if (!Array.isArray(block.done) || block.done.length > 0)
    say('DONE_NOT_EMPTY', 'new_block.done', kindOf(block.done))
}

function checkGoal(goal: unknown, say: Say): void {
  if (goal === undefined || goal === null) say('MISSING_GOAL', GOAL)
  else if (isObject(goal)) checkCore4(goal, say)
  else if (typeof goal !== 'string') say('GOAL_NOT_CORE4', GOAL, kindOf(goal))
  else if (!isSaid(goal)) say('EMPTY_GOAL', GOAL)
}

function checkCore4(goal: Fields, say: Say): void {
  for (const name of KNOWN[GOAL] as readonly string[])
    if (typeof goal[name] !== 'string') say('GOAL_NOT_CORE4', `${GOAL}.${name}`, kindOf(goal[name]))
  // What there is to deliver, measure or respect may be nothing; what it is for may not.
  if (typeof goal.intent === 'string' && !isSaid(goal.intent)) say('EMPTY_GOAL', `${GOAL}.intent`)
}

function checkPlan(plan: unknown, type: PlanType | undefined, say: Say): void {
  if (!Array.isArray(plan)) say('PLAN_NOT_TEXTS', PLAN, kindOf(plan))
  else if (type === 'EXECUTE') {
    if (plan.length > 0) say('EXECUTE_WITH_PLAN', PLAN, itemCount(plan))
  } else {
    checkItems(plan, PLAN, 'PLAN_NOT_TEXTS', say)
    if (type === undefined) return
    if (plan.length < MIN_ITEMS) say('TOO_FEW_ITEMS', PLAN, itemCount(plan))
    if (plan.length > MAX_ITEMS) say('TOO_MANY_ITEMS', PLAN, itemCount(plan))
    const read = plan.slice(0, MAX_READ)
    checkDuplicates(read, type, say)
    checkWords(read, type, say)
  }
}

function checkItems(items: readonly unknown[], where: string, name: ViolationName, say: Say): void {
  items.forEach((item, i) => {
    if (typeof item !== 'string') say(name, `${where}[${i}]`, kindOf(item))
    else if (item.trim() === '') say('EMPTY_ITEM', `${where}[${i}]`)
  })
}

/** The same step may well come again later (the tests, before and after); the same hypothesis may not. */
function checkDuplicates(plan: readonly unknown[], type: PlanType, say: Say): void {
  const keys = plan.map((item) => (isSaid(item) ? itemKey(item) : ''))
  keys.forEach((key, i) => {
    const before = keys.indexOf(key, type === 'PLAN_STEPS' ? Math.max(0, i - 1) : 0)
    if (key !== '' && before < i) say('DUPLICATE_ITEM', itemPlace(i), `"${itemPlace(before)}"`)
  })
}

function checkWords(plan: readonly unknown[], type: PlanType, say: Say): void {
  const read = plan.map((item) => ({
    sequence: typeof item === 'string' ? sequenceWordsIn(item) : [],
    guess: typeof item === 'string' ? guessWordsIn(item) : [],
  }))
  const step = read.find(({ sequence, guess }) => sequence.length > 0 && guess.length === 0)
  const hypothesis = read.find(({ sequence, guess }) => guess.length > 0 && sequence.length === 0)
  if (step !== undefined && hypothesis !== undefined) {
    say('PLAN_MIXED', PLAN, `${quoted(step.sequence)} beside ${quoted(hypothesis.guess)}`)
    return
  }
  read.forEach(({ sequence, guess }, i) => {
    if (type === 'PLAN_PROBES' && sequence.length > 0)
      say('PROBE_HAS_SEQUENCE_WORD', itemPlace(i), quoted(sequence))
    if (type === 'PLAN_STEPS' && guess.length > 0) say('STEP_HAS_GUESS_WORD', itemPlace(i), quoted(guess))
  })
}

function checkRest(value: Fields, { executors }: Situation, say: Say): void {
  const { plan_type: type, success_signal: signal, executor_call: call, update_plan: update } = value
  if (signal !== undefined && typeof signal !== 'string')
    say('SUCCESS_SIGNAL_NOT_TEXT', 'success_signal', kindOf(signal))
  if (type === 'EXECUTE') {
    if (isObject(call)) checkCall(call, executors, say)
    else say('EXECUTE_WITHOUT_CALL', 'executor_call', call === undefined ? 'nothing' : kindOf(call))
  } else if (call !== undefined && isPlanType(type)) say('CALL_WITHOUT_EXECUTE', 'executor_call', type)
  if (Array.isArray(update)) checkItems(update, 'update_plan', 'UPDATE_PLAN_NOT_TEXTS', say)
  else if (update !== undefined) say('UPDATE_PLAN_NOT_TEXTS', 'update_plan', kindOf(update))
}

function checkCall(
  { command, inputs, expected_observations: expected }: Fields,
  executors: readonly string[],
  say: Say,
): void {
  const lacks = (field: string, what: string) => say('CALL_INCOMPLETE', `executor_call.${field}`, what)
  if (!isSaid(command)) lacks('command', `${kindOf(command)}; give the command, like "shell: <command>"`)
  else {
    const { id, text } = readCommand(command)
    // Where nothing is known of executors the document has plans written for the generic one.
    const ids = executors.length > 0 ? executors : [SHELL_ID]
    if (!ids.includes(id)) say('CALL_UNKNOWN_EXECUTOR', 'executor_call.command', unknownExecutor(id, ids))
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

function checkTexts(value: Fields, given: readonly string[], say: Say): void {
  const isGiven = (found: string) => given.some((text) => text.includes(found))
  for (const { where, value: text } of walk(value)) {
    if (typeof text !== 'string') continue
    // A command reaches the folder itself, too; a text that names it builds no path.
    const own = where === 'executor_call.command' ? OWN_FOLDER : OWN_PATH
    if (own.test(text)) say('THINKON_PATH', where)
    if (!UNSTABLE_MATTERS.test(where)) continue
    const timestamp = timestampIn(text, isGiven)
    if (timestamp !== undefined) say('TIMESTAMP', where, timestamp)
    const random = randomIn(text, isGiven)
    if (random !== undefined) say('RANDOM_TEXT', where, random)
  }
}

const OWN_PATH = /(?<![\w.-])\.thinkon[/\\]/i
const OWN_FOLDER = /(?<![\w.-])\.thinkon(?![\w.-])/i
const UNSTABLE_MATTERS = /^(?:new_block\.(?:goal|plan)|update_plan)\b/

function checkRepetition(value: Fields, failed: readonly Attempt[], say: Say): void {
  const { plan_type: type, new_block: block, executor_call: call } = value
  if (failed.length === 0 || !isPlanType(type) || !isObject(block)) return
  const { plan } = block
  const goal = isCore4(block.goal) || typeof block.goal === 'string' ? block.goal : ''
  if (type === 'EXECUTE' ? !isObject(call) || !isSaid(call.command) : !isTexts(plan) || plan.length === 0)
    return
  const repeated = repetitionOf(
    attemptOf({ plan_type: type, new_block: { goal, plan }, executor_call: call } as PlanNext),
    failed,
  )
  if (repeated !== undefined) say(repeated, type === 'EXECUTE' ? 'executor_call' : PLAN)
}

interface Place {
  readonly where: string
  readonly value: unknown
  /** Of a field; an item of a list has none. */
  readonly name?: string
  /** Where the object is that has the field. */
  readonly within: string
}

/** Every field and item, outer before inner, in order. Without recursion: a value may be nested as deep as it likes. */
function* walk(root: Fields, isLeft: (where: string) => boolean = () => false): Generator<Place> {
  const open: Place[] = placesIn(root, '')
  for (let place = open.pop(); place !== undefined; place = open.pop()) {
    yield place
    if (isLeft(place.where)) continue
    for (const inner of placesIn(place.value, place.where)) open.push(inner)
  }
}

/** Last first, as a stack takes them. */
function placesIn(value: unknown, within: string): Place[] {
  if (Array.isArray(value))
    return value
      .map((item, i) => ({ where: shorten(`${within}[${i}]`, MAX_LENGTH), value: item, within }))
      .reverse()
  if (!isObject(value)) return []
  const inner = within === '' ? '' : `${within}.`
  return Object.entries(value)
    .map(([name, item]) => ({ where: shorten(`${inner}${name}`, MAX_LENGTH), value: item, name, within }))
    .reverse()
}

function isCore4(value: unknown): value is Core4 {
  return (
    isObject(value) && (KNOWN[GOAL] as readonly string[]).every((name) => typeof value[name] === 'string')
  )
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
