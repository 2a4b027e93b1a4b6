/** What is wrong, in words that a model or a person can act on. */
import { isObject, nearest, shorten } from '../protocol/index.ts'

type Message = (value: unknown, keywordValue: never) => string

const MAX_SHOWN = 60

export const MESSAGES: Readonly<Record<string, Message>> = {
  type: (value, types: string[]) => `must be ${typesText(types)}, not ${valueText(value)}`,
  const: (value, constant: unknown) => `must be ${JSON.stringify(constant)}, not ${valueText(value)}`,
  enum: (value, allowed: unknown[]) =>
    `must be one of ${allowed.map((one) => JSON.stringify(one)).join(', ')}, not ${valueText(value)}`,
  minimum: bound('at least'),
  maximum: bound('at most'),
  exclusiveMinimum: bound('more than'),
  exclusiveMaximum: bound('less than'),
  multipleOf: bound('a multiple of'),
  minLength: (value, least: number) =>
    least === 1 ? 'must not be empty' : counted('at least', least, 'character', [...String(value)].length),
  maxLength: (value, most: number) => counted('at most', most, 'character', [...String(value)].length),
  pattern: (value, pattern: string) => `must match ${pattern}, not ${valueText(value)}`,
  minItems: (value, least: number) => counted('at least', least, 'item', sizeOf(value)),
  maxItems: (value, most: number) => counted('at most', most, 'item', sizeOf(value)),
  uniqueItems: () => 'must not have the same item twice',
  contains: () => 'must have an item of another form',
  minProperties: (value, least: number) => counted('at least', least, 'field', sizeOf(value)),
  maxProperties: (value, most: number) => counted('at most', most, 'field', sizeOf(value)),
  not: () => 'must not have this form',
  false: () => 'must not be there',
}

export function unknownText(name: string, known: readonly string[]): string {
  const meant = nearest(name, known)
  if (meant !== undefined) return `is not a known field: did you mean "${meant}"?`
  return `is not a known field; ${known.length === 0 ? 'there are none' : `the known ones are: ${known.join(', ')}`}`
}

export function typesText(types: readonly string[]): string {
  return [...new Set(types)].map((type) => TYPE_WORDS[type] ?? type).join(' or ')
}

const TYPE_WORDS: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
}

export function valueText(value: unknown): string {
  if (Array.isArray(value)) return 'a list'
  return isObject(value) ? 'an object' : shorten(JSON.stringify(value), MAX_SHOWN)
}

function bound(words: string): Message {
  return (value, limit: number) => `must be ${words} ${limit}, not ${value}`
}

function counted(words: string, limit: number, what: string, count: number): string {
  return `must have ${words} ${limit} ${what}${limit === 1 ? '' : 's'}, not ${count}`
}

function sizeOf(value: unknown): number {
  return Object.keys(value as object).length
}
