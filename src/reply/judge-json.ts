/** Chooses among the values that a reply gives in JSON, or in something like it. */
import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, type Violation } from '../schema/check-schema.ts'
import { twinsOf } from './bare-words.ts'
import { doubtAbout } from './doubts.ts'
import type { Findings, Found } from './find-values.ts'
import { fits } from './fit-value.ts'
import { ambiguous, doubtful, invalid, misfitAfter, type Reading, severalFit, unreadable } from './reading.ts'
import type { Read, Repair } from './repair.ts'
import { hasRequired, heldIn, isMisplaced, isRival } from './rivals.ts'
import { itemsOf, namesOf } from './schema-forms.ts'
import { spokenBetween } from './thinking.ts'

/** Null when nothing was found that was meant as one. */
export function judgeJson(text: string, findings: Findings, schema: JsonSchema): Reading | null {
  const { fitting, misfits, broken } = sorted(text, findings, schema)
  // "use {} for an empty one" is no answer beside one that says something.
  const full = fitting.some(({ empty }) => !empty) ? fitting.filter(({ empty }) => !empty) : fitting
  const [first] = full
  if (first !== undefined) {
    const settled = settle(first, full, broken, misfits)
    if ('error' in settled) return settled
    if (settled.repairs.some(isOfBrackets) && isMisplaced(settled.value, schema))
      return ambiguous('a bracket is missing, and it is not clear which fields were inside it')
    const doubt = doubtAmong(text, findings, full, schema)
    if (doubt !== null) return doubtful(doubt)
    const around = surroundings(text, findings, findings.values[first.index] as Found)
    return { ...settled, repairs: [...new Set([...around, ...settled.repairs])] }
  }
  const last = broken.at(-1)
  if (last !== undefined) return unreadable(`the JSON can't be read: ${last.why}`)
  const isWhole = findings.values.length === 1 && findings.values[0]?.start === text.search(/\S/)
  return isWhole || misfits.some(({ near }) => near) ? nearestOf(misfits) : null
}

/** What is wrong with a value that was probably meant, such as one in a fence that lacks a field; null when there is none. */
export function judgeMisfits(text: string, findings: Findings, schema: JsonSchema): Reading | null {
  return nearestOf(sorted(text, findings, schema).misfits.filter(({ rival }) => rival))
}

/** The misfit that comes nearest is what the model is told about. */
function nearestOf(misfits: Sorted['misfits']): Reading | null {
  const [nearest] = misfits.toSorted((a, b) => a.violations.length - b.violations.length)
  return nearest === undefined ? null : invalid(nearest.violations)
}

function isOfBrackets(repair: Repair): boolean {
  return repair === 'brackets-repaired' || repair === 'cut-off-closed'
}

interface Candidate extends Read {
  readonly index: number
  readonly empty: boolean
}

interface Sorted {
  readonly fitting: Candidate[]
  readonly misfits: { index: number; violations: Violation[]; near: boolean; rival: boolean }[]
  readonly broken: { index: number; why: string }[]
}

function sorted(text: string, { values }: Findings, schema: JsonSchema): Sorted {
  const { fitting, misfits, broken }: Sorted = { fitting: [], misfits: [], broken: [] }
  for (const [index, found] of values.entries()) {
    const parsed = isPart(text, found, schema) ? PART : parse(found, schema)
    if ('why' in parsed) {
      if (found.isList !== true || wantsList(schema)) broken.push({ index, why: parsed.why })
      continue
    }
    const ways = fits(parsed.value, schema).flatMap((way) => {
      const repairs = [...found.repairs, ...parsed.repairs, ...way.repairs]
      return candidates(index, { value: way.value, repairs }, schema)
    })
    fitting.push(...ways)
    if (ways.length > 0) continue
    const violations = heldIn(parsed.value, schema) ?? checkSchema(parsed.value, schema)
    const near = hasRequired(parsed.value, schema)
    misfits.push({ index, violations, near, rival: near || isRival(parsed.value, schema) })
  }
  return { fitting, misfits, broken }
}

const PART = { why: 'a bracket is missing before it' }
const KEY_BEFORE = /["“”']([^"“”'\n]{1,60})["“”']\s*[:：]\s*$/

/** `"plan": […` and `}, {…` without the bracket around it: what follows is no value of its own. */
function isPart(text: string, { start }: Found, schema: JsonSchema): boolean {
  const before = text.slice(Math.max(0, start - 80), start)
  if (/[\]}]\s*[,，]\s*$/.test(before)) return true
  const key = KEY_BEFORE.exec(before)?.[1]
  return key !== undefined && namesOf(schema).includes(key)
}

/** The value, and what else it may be where its words had no quotes. */
function candidates(index: number, { value, repairs }: Read, schema: JsonSchema): Candidate[] {
  const twins = repairs.includes('words-quoted') ? twinsOf(value) : []
  const fitting = twins.filter((one) => checkSchema(one, schema).length === 0)
  return [value, ...fitting].map((one) => ({ index, value: one, repairs, empty: isEmpty(one) }))
}

function settle(
  first: Candidate,
  all: readonly Candidate[],
  broken: readonly { index: number }[],
  misfits: readonly { index: number; rival: boolean }[],
): Reading {
  const others = all.filter(({ value }) => !isDeepStrictEqual(value, first.value))
  if (others.length > 0) return severalFit(others.length + 1)
  // An example that fits, and then an answer that does not: the example must not be taken for the answer.
  const index = Math.max(...all.map((candidate) => candidate.index))
  const later =
    broken.some((one) => one.index > index) || misfits.some((one) => one.rival && one.index > index)
  if (later) return misfitAfter()
  return { value: first.value, repairs: first.repairs }
}

function parse({ content }: Found, schema: JsonSchema): Read | { why: string } {
  if ('broken' in content) return { why: content.broken }
  if ('value' in content) return { value: content.value, repairs: [] }
  const value = parseJson(content.json)
  if (value === undefined) return { why: 'its brackets and commas do not fit together' }
  // After a last comma more was to come, unless everything that was asked for is there.
  if (content.openComma && !hasAll(value, schema)) return { why: 'it is cut off after a comma' }
  return { value, repairs: [] }
}

/** What is said against the value that fits, which may be there more than once. */
function doubtAmong(
  text: string,
  { values, thinking }: Findings,
  all: readonly Candidate[],
  schema: JsonSchema,
): string | null {
  const places = all.map(({ index }) => index)
  const { end } = values[Math.max(...places)] as Found
  const after = spokenBetween(text, end, text.length, thinking)
  const doubts = places.map((index) => {
    const { start } = values[index] as Found
    return doubtAbout(
      all[0]?.value,
      spokenBetween(text, values[index - 1]?.end ?? 0, start, thinking),
      after,
      schema,
    )
  })
  return doubts.every((doubt) => doubt !== null) ? (doubts[0] ?? null) : null
}

/** What had to be taken away around the value. */
function surroundings(text: string, { thinking }: Findings, { start, end, fenced }: Found): Repair[] {
  const repairs: Repair[] = thinking.length > 0 ? ['thinking-removed'] : []
  const before = spokenBetween(text, 0, start, thinking)
  const after = spokenBetween(text, end, text.length, thinking)
  if (fenced) repairs.push('fence-removed')
  const around = `${fenced ? before.replace(/(?:```|~~~)[^`~]*$/, '') : before} ${fenced ? after.replace(/```|~~~/, '') : after}`
  if (/[^\s\u200b-\u200d\u2060\ufeff]/.test(around)) repairs.push('prose-removed')
  else if (/[\u200b-\u200d\u2060\ufeff]/.test(around)) repairs.push('invisible-removed')
  return repairs
}

function wantsList(schema: JsonSchema): boolean {
  return itemsOf(schema) !== null || namesOf(schema).length === 0
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function hasAll(value: unknown, schema: JsonSchema): boolean {
  return isObject(value) && namesOf(schema).every((name) => Object.hasOwn(value, name))
}
