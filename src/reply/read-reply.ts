/**
 * From what a model said to a value that fits the schema, or to why there is none.
 *
 * 1. A value is returned only when it fits the schema.
 * 2. Every change that reading took is named in `repairs`; none changes the type of a value ("3" is no number).
 * 3. Two different values that fit are refused, and so is one that is followed by another that was meant and can't be read.
 * 4. It never throws for what a model says, and takes time in proportion to its length.
 */

import { isDeepStrictEqual } from 'node:util'
import { isObject, parseJson } from '../protocol/index.ts'
import { checkSchema, type JsonSchema, type Violation } from '../schema/check-schema.ts'
import { type Findings, type Found, findValues } from './find-values.ts'
import { fits } from './fit-value.ts'
import { readYaml } from './read-yaml.ts'
import type { Read, Repair } from './repair.ts'
import { withoutSpans } from './thinking.ts'

export type { Read }

export interface Refused {
  /** In words for the model. */
  readonly error: string
  /** `unreadable`: no JSON in it. `ambiguous`: two readings. `invalid`: read, but it does not fit. */
  readonly kind: 'unreadable' | 'ambiguous' | 'invalid'
  readonly violations: readonly Violation[]
}

export type Reading = Read | Refused

export async function readReply(text: string, schema: JsonSchema): Promise<Reading> {
  return read(text, schema, false)
}

/** `isInner`: the text was inside another, which happens once. */
async function read(text: string, schema: JsonSchema, isInner: boolean): Promise<Reading> {
  const scalar = wholeScalar(text)
  if (scalar !== undefined) return fromScalar(scalar, schema, isInner)
  const known = fieldNames(schema)
  const findings = findValues(text, known)
  const json = await judge(text, findings, schema)
  if (json !== null && (!('error' in json) || json.kind !== 'unreadable')) return json
  const inner = isInner ? null : innerText(text, findings, known)
  if (inner !== null) return inside(inner.text, schema, inner.repair)
  return json ?? fromYaml(text, findings, schema, known)
}

async function fromScalar(scalar: unknown, schema: JsonSchema, isInner: boolean): Promise<Reading> {
  const violations = checkSchema(scalar, schema)
  if (violations.length === 0) return { value: scalar, repairs: [] }
  if (typeof scalar === 'string' && !isInner) return inside(scalar, schema, 'double-encoded')
  return invalid(violations)
}

/** What the text says when it is decoded, or when the brackets around it were left out. */
function innerText(text: string, { thinking }: Findings, known: ReadonlySet<string>): Inner | null {
  const decoded = decodedText(withoutSpans(text, thinking))
  if (decoded !== null) return decoded
  const first = /^\s*"([^"\n]{1,60})"\s*:/.exec(text)?.[1]
  return first !== undefined && known.has(first) ? { text: `{${text}}`, repair: 'brackets-repaired' } : null
}

interface Inner {
  readonly text: string
  readonly repair: Repair
}

/** A reply inside a reply. What was wrong inside is what is wrong. */
async function inside(text: string, schema: JsonSchema, repair: Repair): Promise<Reading> {
  const reading = await read(text, schema, true)
  return 'error' in reading ? reading : { ...reading, repairs: [repair, ...reading.repairs] }
}

/** A number, text, true, false or null that is all of the reply. */
function wholeScalar(text: string): unknown {
  const trimmed = text.trim()
  return /^[{[]/.test(trimmed) ? undefined : parseJson(trimmed)
}

interface Candidate extends Read {
  readonly index: number
  readonly empty: boolean
}

/** Chooses among the values that were found; null when nothing was found that was meant as one. */
async function judge(text: string, findings: Findings, schema: JsonSchema): Promise<Reading | null> {
  const { fitting, misfits, broken } = await sorted(findings, schema)
  // "use {} for an empty one" is no answer beside one that says something.
  const full = fitting.some(({ empty }) => !empty) ? fitting.filter(({ empty }) => !empty) : fitting
  const [first] = full
  if (first !== undefined) {
    const settled = settle(first, full, broken, misfits)
    if ('error' in settled) return settled
    const around = surroundings(text, findings, findings.values[first.index] as Found)
    return { ...settled, repairs: [...new Set([...around, ...settled.repairs])] }
  }
  const last = broken.at(-1)
  if (last !== undefined)
    return { error: `the JSON can't be read: ${last.why}`, kind: 'unreadable', violations: [] }
  // The misfit that comes nearest is what the model is told about.
  const [nearest] = misfits.toSorted((a, b) => a.violations.length - b.violations.length)
  if (nearest === undefined) return null
  const isWhole = findings.values.length === 1 && findings.values[0]?.start === text.search(/\S/)
  return isWhole || misfits.some(({ near }) => near) ? invalid(nearest.violations) : null
}

interface Sorted {
  readonly fitting: Candidate[]
  readonly misfits: { index: number; violations: Violation[]; near: boolean }[]
  readonly broken: { index: number; why: string }[]
}

async function sorted({ values }: Findings, schema: JsonSchema): Promise<Sorted> {
  const { fitting, misfits, broken }: Sorted = { fitting: [], misfits: [], broken: [] }
  for (const [index, found] of values.entries()) {
    const parsed = await parse(found, schema)
    if ('why' in parsed) {
      broken.push({ index, why: parsed.why })
      continue
    }
    const ways = fits(parsed.value, schema)
    for (const { value, repairs } of ways) {
      const all = [...found.repairs, ...parsed.repairs, ...repairs]
      fitting.push({ index, value, repairs: all, empty: isEmpty(value) })
    }
    if (ways.length > 0) continue
    const violations = checkSchema(parsed.value, schema)
    misfits.push({ index, violations, near: hasRequired(parsed.value, schema) })
  }
  return { fitting, misfits, broken }
}

function settle(
  first: Candidate,
  all: readonly Candidate[],
  broken: readonly { index: number }[],
  misfits: readonly { index: number; near: boolean }[],
): Reading {
  const others = all.filter(({ value }) => !isDeepStrictEqual(value, first.value))
  if (others.length > 0) return severalFit(others.length + 1)
  // An example that fits, and then an answer that does not: the example must not be taken for the answer.
  const index = Math.max(...all.map((candidate) => candidate.index))
  const later =
    broken.some((one) => one.index > index) || misfits.some((one) => one.near && one.index > index)
  if (later)
    return ambiguous('the reply has one value that fits and after it one that does not; give exactly one')
  return { value: first.value, repairs: first.repairs }
}

async function parse(found: Found, schema: JsonSchema): Promise<Read | { why: string }> {
  const { content } = found
  if ('broken' in content) return { why: content.broken }
  if ('value' in content) return { value: content.value, repairs: [] }
  const value = parseJson(content.json)
  if (value !== undefined) return { value, repairs: [] }
  try {
    const { jsonrepair } = await import('jsonrepair')
    const repaired: unknown = JSON.parse(jsonrepair(content.json))
    // After a last comma more was to come, unless everything that was asked for is there.
    if (content.openComma && !hasAll(repaired, schema)) return { why: 'it is cut off after a comma' }
    const named = found.repairs.some((repair) => repair === 'syntax-repaired' || repair === 'cut-off-closed')
    return { value: repaired, repairs: named ? [] : ['syntax-repaired'] }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

async function fromYaml(
  text: string,
  findings: Findings,
  schema: JsonSchema,
  known: ReadonlySet<string>,
): Promise<Reading> {
  const values = await readYaml(text, findings, known)
  const ways = values.filter(
    ({ value }) => typeof value === 'object' && checkSchema(value, schema).length === 0,
  )
  const [first] = ways
  if (first !== undefined) {
    const same = ways.every(({ value }) => isDeepStrictEqual(value, first.value))
    return same ? first : severalFit(ways.length)
  }
  const object = values.find(({ value }) => hasRequired(value, schema))
  if (object !== undefined) return invalid(checkSchema(object.value, schema))
  const why = findings.thinking.length > 0 ? 'there is no JSON after the thinking' : 'there is no JSON in it'
  return { error: why, kind: 'unreadable', violations: [] }
}

/** What had to be taken away around the value. */
function surroundings(text: string, { thinking }: Findings, { start, end, fenced }: Found): Repair[] {
  const repairs: Repair[] = thinking.length > 0 ? ['thinking-removed'] : []
  const before = withoutSpans(
    text.slice(0, start),
    thinking.filter((span) => span.end <= start),
  )
  const after = withoutSpans(
    text.slice(end),
    thinking
      .filter((span) => span.start >= end)
      .map((span) => ({ start: span.start - end, end: span.end - end })),
  )
  if (fenced) repairs.push('fence-removed')
  const around = `${fenced ? before.replace(/(?:```|~~~)[^`~]*$/, '') : before} ${fenced ? after.replace(/```|~~~/, '') : after}`
  if (/[^\s\u200b-\u200d\u2060\ufeff]/.test(around)) repairs.push('prose-removed')
  else if (/[\u200b-\u200d\u2060\ufeff]/.test(around)) repairs.push('invisible-removed')
  return repairs
}

/** JSON whose quotes are escaped once too often, or written for HTML. */
function decodedText(text: string): Inner | null {
  if (/&(?:quot|#34|#x22);/i.test(text) && !text.includes('"')) {
    const entity = (all: string, name: string) => ENTITIES[name.toLowerCase()] ?? all
    return { text: text.replace(/&(#?\w{2,6});/g, entity), repair: 'entities-decoded' }
  }
  const from = text.search(/[{[]/)
  const to = Math.max(text.lastIndexOf('}'), text.lastIndexOf(']'))
  if (from < 0 || to < from || !text.includes('\\"') || /(?<!\\)"/.test(text)) return null
  const escaped = text.slice(from, to + 1)
  const inner = parseJson(`"${escaped.replace(/\n/g, '\\n')}"`)
  return typeof inner === 'string' ? { text: inner, repair: 'double-encoded' } : null
}

const ENTITIES: Record<string, string> = {
  quot: '"',
  '#34': '"',
  '#x22': '"',
  apos: "'",
  '#39': "'",
  '#x27': "'",
  lt: '<',
  gt: '>',
  amp: '&',
  nbsp: ' ',
}

function invalid(violations: readonly Violation[]): Refused {
  return { error: 'the value does not fit the schema', kind: 'invalid', violations }
}

function severalFit(count: number): Refused {
  return ambiguous(`the reply has ${count} different values that fit; give exactly one`)
}

function ambiguous(error: string): Refused {
  return { error, kind: 'ambiguous', violations: [] }
}

function isEmpty(value: unknown): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0
}

function hasRequired(value: unknown, { required, properties }: JsonSchema): boolean {
  if (!isObject(value)) return false
  const names = Array.isArray(required) ? required : Object.keys(properties ?? {})
  return names.length > 0 && names.every((name) => Object.hasOwn(value, name))
}

function hasAll(value: unknown, { properties }: JsonSchema): boolean {
  return isObject(value) && Object.keys(properties ?? {}).every((name) => Object.hasOwn(value, name))
}

/** Every field name that the schema mentions. */
function fieldNames(schema: JsonSchema): ReadonlySet<string> {
  const names = new Set<string>()
  const visit = (part: unknown): void => {
    if (typeof part !== 'object' || part === null) return
    for (const name of Object.keys((part as JsonSchema).properties ?? {})) names.add(name)
    for (const inner of Object.values(part)) visit(inner)
  }
  visit(schema)
  return names
}
