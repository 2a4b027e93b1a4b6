/**
 * Describes what a caller may give, as data: a table of fields and checks. Types do not reach callers in JavaScript, so every public
 * function checks its arguments by such a table before it does anything, and all of them refuse in the same words.
 */
import { isTooDeep, MAX_DEPTH } from './depth.ts'
import { ThinkonError } from './errors.ts'
import { isObject } from './json.ts'
import { type KeyPath, keyText } from './key-text.ts'
import { meantKey, type Problem, placeText, problemAt, unknownKey, wrongValue } from './problem.ts'

/** What is wrong with the value at this place; nothing if it is right. Must not throw, whatever the value is. */
export type Check = (value: unknown, path: KeyPath) => readonly Problem[]

/** The arguments of a function by name, in order. `options` is what a message leaves out: `createEngine: tools[1].run is missing`. */
export interface Arguments {
  readonly checks: Readonly<Record<string, Check>>
  /** Those that must be given, and what each is. */
  readonly needs?: Readonly<Record<string, string>>
}

/** Throws BAD_INPUT with every problem of the arguments. */
export function checkArguments(
  entrance: string,
  { checks, needs = {} }: Arguments,
  given: readonly unknown[],
): void {
  const problems = Object.entries(checks).flatMap(([name, check], i) => {
    const path = name === 'options' ? [] : [name]
    const value = given[i]
    if (value !== undefined) return check(value, path)
    return needs[name] === undefined ? [] : [missing(path, needs[name])]
  })
  if (problems.length > 0) throw refused(entrance, problems)
}

/** BAD_INPUT: `createEngine: unknown option "modle": did you mean "model"?`, a line for each problem. */
export function refused(entrance: string, problems: readonly Problem[]): ThinkonError {
  const messages = problems.map(({ message }) => message)
  return new ThinkonError('BAD_INPUT', messages.map((message) => `${entrance}: ${message}`).join('\n'), {
    data: { problems: messages },
  })
}

function missing(path: KeyPath, what: string): Problem {
  return problemAt(path, `${placeText(path)} ${path.length === 0 ? 'are' : 'is'} missing: ${what}`)
}

// --- what a value may be

export function must(what: string, holds: (value: unknown) => boolean, allowed?: readonly string[]): Check {
  return (value, path) => (holds(value) ? [] : [wrongValue(path, `must be ${what}`, value, allowed)])
}

export const anything: Check = () => []
export const text = must('a text that is not empty', (value) => typeof value === 'string' && value !== '')
export const anyText = must('a text', (value) => typeof value === 'string')
export const flag = must('true or false', (value) => typeof value === 'boolean')
export const abortSignal = must('an AbortSignal', (value) => value instanceof AbortSignal)

export function func(what = 'a function'): Check {
  return must(what, (value) => typeof value === 'function')
}

export function whole(least: number, most = Number.POSITIVE_INFINITY): Check {
  const range = most === Number.POSITIVE_INFINITY ? `of ${least} or more` : `from ${least} to ${most}`
  const holds = (value: unknown) =>
    Number.isInteger(value) && (value as number) >= least && (value as number) <= most
  return must(`a whole number ${range}`, holds)
}

/** Infinity is one, too: no limit. */
export function amount(least = 0): Check {
  return must(`a number of ${least} or more`, (value) => typeof value === 'number' && value >= least)
}

/** Like `amount`, without fractions. */
export const wholeAmount = must(
  'a whole number of 0 or more',
  (value) => value === Number.POSITIVE_INFINITY || (Number.isInteger(value) && (value as number) >= 0),
)

export function oneOf(allowed: readonly string[]): Check {
  const names = allowed.map((name) => `"${name}"`).join(' or ')
  return must(names, (value) => allowed.includes(value as string), allowed)
}

/** `what` is said where it is no list: `must be a list of texts`. */
export function list(item: Check, what: string): Check {
  return (value, path) =>
    Array.isArray(value)
      ? // A hole in a list is undefined, as it is to whoever walks through it.
        Array.from(value).flatMap((one, i) => item(one, [...path, i]))
      : [wrongValue(path, `must be a list of ${what}`, value)]
}

/** A list of objects that are called by name: no two by the same. */
export function listOfNamed(item: Check, what: string): Check {
  const items = list(item, what)
  return (value, path) => [...items(value, path), ...(Array.isArray(value) ? sameNames(value, path) : [])]
}

function sameNames(value: readonly unknown[], path: KeyPath): readonly Problem[] {
  const names = value.map((one) => (isObject(one) ? one.name : undefined))
  return names.flatMap((name, i) => {
    const first = names.indexOf(name)
    if (typeof name !== 'string' || first === i) return []
    const [one, other] = [keyText([...path, first]), keyText([...path, i])]
    return [problemAt([...path, i], `${one} and ${other} have the same name, "${name}"`)]
  })
}

/** An object with any keys. */
export function record(item: Check, what: string): Check {
  return (value, path) =>
    isObject(value)
      ? Object.entries(value).flatMap(([key, one]) => (one === undefined ? [] : item(one, [...path, key])))
      : [wrongValue(path, `must be an object: ${what}`, value)]
}

/** A check for each field: a field that is added to the type is missed here by the compiler. */
export type Fields<T> = Readonly<Record<keyof T, Check>>

interface FieldsOptions {
  /** Fields that must be there, and what each is. */
  readonly needs?: Readonly<Record<string, string>>
  /** Keys that belong elsewhere, and where that is. */
  readonly elsewhere?: Readonly<Record<string, string>>
  /** Other keys are left alone: an instance of a class has some of its own. */
  readonly open?: boolean
}

/** An object with these fields and no others. A field that is undefined counts as left out. */
export function fields(checks: Readonly<Record<string, Check>>, options: FieldsOptions = {}): Check {
  const { needs = {}, elsewhere = {}, open = false } = options
  const known = Object.keys(checks)
  const unknown = (key: string, path: KeyPath): Problem => {
    const place = Object.hasOwn(elsewhere, key) ? elsewhere[key] : undefined
    if (place === undefined) return unknownKey(path, key, known, path.length === 0 ? 'option' : 'key')
    return { path: [...path, key], message: `"${key}" is an option of ${place}`, atKey: true }
  }
  const absent = (key: string, value: object, path: KeyPath, needed: string): Problem => {
    const problem = missing([...path, key], needed)
    return open ? orMisnamed(problem, key, value) : problem
  }
  return (value, path) => {
    if (!isObject(value)) return [wrongValue(path, 'must be an object', value)]
    const strange = open ? [] : Object.keys(value).filter((key) => !Object.hasOwn(checks, key))
    const problems = strange.map((key) => unknown(key, path))
    // Most fields are left out: nothing is made for them.
    for (const key of known) {
      const needed = needs[key]
      if (value[key] !== undefined) problems.push(...(checks[key] as Check)(value[key], [...path, key]))
      else if (needed !== undefined) problems.push(absent(key, value, path, needed))
    }
    return problems
  }
}

/** An open object may have the field under a name of another tool. */
function orMisnamed(problem: Problem, key: string, value: object): Problem {
  const others = Object.keys(value).filter((name) => name !== key)
  const other = others.find((name) => meantKey(name, [key]).includes('did you mean'))
  return other === undefined ? problem : { ...problem, message: `${problem.message} (here it is "${other}")` }
}

/** The first kind that the value is of says what else it must be; without one, it must be `what`. */
export function either(
  what: string,
  ...kinds: readonly [is: (value: unknown) => boolean, then: Check][]
): Check {
  return (value, path) => {
    const kind = kinds.find(([is]) => is(value))
    return kind === undefined ? [wrongValue(path, `must be ${what}`, value)] : kind[1](value, path)
  }
}

export const isText = (value: unknown): boolean => typeof value === 'string'
export const isFunction = (value: unknown): boolean => typeof value === 'function'
export const isList = (value: unknown): boolean => Array.isArray(value)

/** What the journal can hold. JSON would leave a function out and fail at a bigint: both are refused. */
export const json: Check = (value, path) =>
  isTooDeep(value)
    ? [problemAt(path, `${placeText(path)} is nested deeper than ${MAX_DEPTH} levels, or contains itself`)]
    : jsonProblems(value, path)

function jsonProblems(value: unknown, path: KeyPath): readonly Problem[] {
  if (Array.isArray(value)) return value.flatMap((item, i) => jsonProblems(item, [...path, i]))
  if (isObject(value))
    return Object.entries(value).flatMap(([key, item]) => jsonProblems(item, [...path, key]))
  return NOT_JSON.has(typeof value) ? [wrongValue(path, 'must be JSON', value)] : []
}

const NOT_JSON: ReadonlySet<string> = new Set(['function', 'symbol', 'bigint'])
