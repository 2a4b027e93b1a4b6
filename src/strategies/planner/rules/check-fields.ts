/** What a `plan-next` may have in its fields and texts. */
import { isObject, nearest, shorten } from '../../../protocol/index.ts'
import { CORE4_FIELDS } from '../schema.ts'
import type { ViolationName } from './violation-table.ts'

export type JsonObject = Readonly<Record<string, unknown>>

/** Takes a violation at a place such as `new_block.plan[2]`; `found` is what the reply has there. */
export type Report = (name: ViolationName, where: string, found?: string) => void

/** Maximum length of a quoted place or text. */
export const MAX_LENGTH = 300

const KNOWN: Readonly<Record<string, readonly string[]>> = {
  '': ['type', 'plan_type', 'new_block', 'success_signal', 'executor_call', 'update_plan'],
  new_block: ['goal', 'plan', 'done'],
  'new_block.goal': CORE4_FIELDS,
  executor_call: ['command', 'inputs', 'expected_observations'],
}
/** The document's schema allows no others in these. */
const CLOSED: readonly string[] = ['', 'new_block']

export const STRUCTURE =
  /^(?:ids?|uuid|paths?|child|children|parents?|ancestors?|node|root|depth|max_depth|level|tcb|current_node|currentNode|\w+_(?:ids?|path|children)|\w+(?:Ids?|Path|Children))$/
const STATE = /^(?:think|done|\w+_done|update_goal|updateDone|updateGoal)$/

/** The fields of the protocol, where it is closed; nowhere one that controls structure or rewrites state. */
export function checkFields(value: JsonObject, report: Report): void {
  for (const { where, name, within } of walk(value, (place) => place === 'executor_call.inputs')) {
    if (name === undefined) continue
    // A reply may name a field like a method that every object has.
    const known = Object.hasOwn(KNOWN, within) ? KNOWN[within] : undefined
    if (known?.includes(name)) continue
    if (STRUCTURE.test(name)) report('STRUCTURE_FIELD', where)
    else if (within === '' && STATE.test(name)) report('REWRITES_STATE', where)
    else if (known !== undefined && CLOSED.includes(within))
      report('UNKNOWN_FIELD', where, instead(name, within, known))
  }
}

function instead(name: string, within: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  if (meant !== undefined) return `did you mean "${meant}"`
  const place = Object.keys(KNOWN).find((one) => one !== within && KNOWN[one]?.includes(name))
  if (place !== undefined) return `it belongs into ${place === '' ? 'the outer object' : `"${place}"`}`
  return 'leave it out'
}

/**
 * The texts of a `plan-next`: no paths into the runtime's folder, and in goals and plans nothing that differs from one planning
 * to the next, such as timestamps and random names. A plain date or time of day is allowed: a goal may be about it.
 */
export function checkTexts(value: JsonObject, given: readonly string[], report: Report): void {
  const isGiven = (found: string) => given.some((text) => text.includes(found))
  for (const { where, value: text } of walk(value)) {
    if (typeof text !== 'string' || where === DELIVERED_TEXT) continue
    // A command reaches the folder by its bare name, too; a text that only mentions it does not.
    const isCommand = where === 'executor_call.command'
    if (isCommand ? OWN_FOLDER.test(text.replace(LEFT_OUT, ' ')) : OWN_PATH.test(text))
      report('THINKON_PATH', where)
    if (!UNSTABLE_MATTERS.test(where)) continue
    const timestamp = timestampIn(text, isGiven)
    if (timestamp !== undefined) report('TIMESTAMP', where, timestamp)
    const random = randomIn(text, isGiven)
    if (random !== undefined) report('RANDOM_TEXT', where, random)
  }
}

/** A text that is delivered may be about anything. */
const DELIVERED_TEXT = 'executor_call.inputs.text'
const OWN_PATH = /(?<![\w.-])\.thinkon[/\\]/i
const OWN_FOLDER = /(?<![\w.-])\.thinkon(?![\w.-])/i
/** What only leaves the folder out of a search: `-not -path './.thinkon/*'`, `--exclude-dir=.thinkon`, `-g '!.thinkon/**'`. */
const LEFT_OUT =
  /(?:(?:-not|!)\s+-i?(?:path|name|wholename)\s+|--exclude(?:-dir)?[=\s]+|(?:-g|--glob)[=\s]*(?=['"]?!))(?:'[^'\s]*'|"[^"\s$`]*"|[^\s;|&<>()'"`$]+)/g
const UNSTABLE_MATTERS = /^(?:new_block\.(?:goal|plan)|update_plan)\b/

const TIMESTAMPS = [
  // 2026-11-15T07:35, 2026/11/15 07:35:32.123Z, 2026年11月15日 07:35
  /(?<!\d)(?:19|20)\d{2}[-/.年]\d{1,2}[-/.月]\d{1,2}日?[T\s_,，-]{0,2}\d{1,2}[:：时h]\d{2}(?:[:：分]\d{2}(?:\.\d+)?)?秒?(?:Z|[+-]\d{2}:?\d{2})?/u,
  // 20261115T073532Z, 20261115-073532, 20261115073532
  /(?<!\d)20\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])[T_-]?(?:[01]\d|2[0-3])[0-5]\d[0-5]\d(?!\d)/,
  // Seconds or milliseconds since 1970, of 2017 to 2033; not where it is a number to calculate with.
  /(?<![\d.])(?=1[5-9]\d{8})(?<![*+×÷^/%=(]\s{0,9})1[5-9]\d{8}(?:\d{3})?(?!\d|\.\d|\s{0,9}[*+×÷^%=)])/,
]

const RANDOM = [
  { form: /(?<![\da-f-])[\da-f]{8}-(?:[\da-f]{4}-){3}[\da-f]{12}(?![\da-f-])/i, name: 'the UUID' },
  // Letters and digits both: neither a word nor a number. From 32 on, so that short commit names pass.
  { form: /(?<![\da-z])(?=[a-f]*\d)(?=\d*[a-f])[\da-f]{32,}(?![\da-z])/i, name: 'the long hexadecimal' },
]

function timestampIn(text: string, isGiven: (found: string) => boolean): string | undefined {
  return TIMESTAMPS.map((form) => form.exec(text)?.[0]).find(
    (found) => found !== undefined && !isGiven(found),
  )
}

function randomIn(text: string, isGiven: (found: string) => boolean): string | undefined {
  for (const { form, name } of RANDOM) {
    const found = form.exec(text)?.[0]
    if (found !== undefined && !isGiven(found)) return `${name} ${found}`
  }
  return undefined
}

interface Field {
  readonly where: string
  readonly value: unknown
  /** None for an item of a list. */
  readonly name?: string
  /** The place of the object or list that it is in. */
  readonly within: string
}

/** Every field and item, outer before inner, in order. Without recursion: a value may be nested to any depth. */
function* walk(root: JsonObject, isOpaque: (where: string) => boolean = () => false): Generator<Field> {
  const open: Field[] = fieldsIn(root, '')
  for (let field = open.pop(); field !== undefined; field = open.pop()) {
    yield field
    if (isOpaque(field.where)) continue
    for (const inner of fieldsIn(field.value, field.where)) open.push(inner)
  }
}

/** In reverse, for the stack. */
function fieldsIn(value: unknown, within: string): Field[] {
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
