/** The fields of a `plan-next`: those of the protocol, and none that control structure or rewrite state. */
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

const STRUCTURE =
  /^(?:ids?|uuid|paths?|child|children|parents?|ancestors?|node|root|depth|max_depth|level|tcb|current_node|currentNode|\w+_(?:ids?|path|children)|\w+(?:Ids?|Path|Children))$/
const STATE = /^(?:think|done|\w+_done|update_goal|updateDone|updateGoal)$/

export function checkFields(value: JsonObject, report: Report): void {
  for (const { where, name, within } of walk(value, (place) => place === 'executor_call.inputs')) {
    if (name === undefined) continue
    // A reply may name a field like a method that every object has.
    const known = Object.hasOwn(KNOWN, within) ? KNOWN[within] : undefined
    if (known?.includes(name)) continue
    if (STRUCTURE.test(name)) report('STRUCTURE_FIELD', where)
    else if (within === '' && STATE.test(name)) report('REWRITES_STATE', where)
    else if (known !== undefined) report('UNKNOWN_FIELD', where, instead(name, within, known))
  }
}

function instead(name: string, within: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  if (meant !== undefined) return `did you mean "${meant}"`
  const place = Object.keys(KNOWN).find((one) => one !== within && KNOWN[one]?.includes(name))
  if (place !== undefined) return `it belongs into ${place === '' ? 'the outer object' : `"${place}"`}`
  return 'leave it out'
}

export interface Field {
  readonly where: string
  readonly value: unknown
  /** None for an item of a list. */
  readonly name?: string
  /** The place of the object or list that it is in. */
  readonly within: string
}

/** Every field and item, outer before inner, in order. Without recursion: a value may be nested to any depth. */
export function* walk(
  root: JsonObject,
  isOpaque: (where: string) => boolean = () => false,
): Generator<Field> {
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
