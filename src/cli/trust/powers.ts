/** The powers of a configuration, as rows of the trust question. Accepts any value. */
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { isObject, showHidden } from '../../protocol/index.ts'
import { wrapWords } from '../../views/text-width.ts'

/** Headings, in the order of the question. */
const HEADINGS = {
  code: 'runs code, with packages',
  executors: 'runs commands for plans',
  unchecked: 'asks each time, because',
  sets: 'sets',
  plans: 'plans with',
  uses: 'has new or changed files',
} as const

export interface Power {
  /** `uses`: packages and files of commands; only changes are shown. */
  readonly power: keyof typeof HEADINGS
  readonly what: string
  /** Of the file that `what` names. */
  readonly hash?: string
}

const SECRETS = /^(?:apiKey|secret|tokens?|headers)$/
/** Their keys are names that the configuration chooses. */
const NAMED = /^(?:mcp|budget)$/
const DEEPEST = 8

/** Rows with the same key are the same, except for the hash. */
export function keyOf({ power, what, hash }: Power): string {
  return `${hash === undefined ? power : 'file'}: ${what}`
}

/** A row per value. Objects of a program's own classes, and what only execution shows, are `…`. Of secrets, only variables are shown. */
export function powersOf(value: unknown, path = '', isSecret = false, depth = 0): Power[] {
  if (Array.isArray(value) && depth < DEEPEST)
    return value.flatMap((one) => powersOf(one, path, isSecret, depth + 1))
  if (isPlain(value) && depth < DEEPEST) {
    const { command, args = [], $schema, ...rest } = value
    const rows = Object.entries(rest).flatMap(([key, one]) => {
      const isOne = isSecret || (!NAMED.test(path) && SECRETS.test(key))
      return powersOf(one, path === '' ? key : `${path}.${key}`, isOne, depth + 1)
    })
    const words = [command, args].flat().map(textFor).map(quoted).join(' ')
    return command === undefined ? rows : [{ power: 'sets', what: `${path}: ${words}` }, ...rows]
  }
  if (value === undefined || path === '') return []
  const text = textFor(value)
  const variables = text.match(/\$\{\w+\}/g)?.join(' ') ?? ''
  const address = addressIn(text)
  const shown = isSecret ? variables || '…' : address === null ? text : `${address} ${variables}`
  return [{ power: 'sets', what: `${path}: ${shown}`.trimEnd() }]
}

/** If a shell would need it. */
function quoted(word: string): string {
  return /^[\w./:@%+=,${}…-]+$/.test(word) ? word : JSON.stringify(word)
}

function textFor(given: unknown): string {
  return /^(?:object|symbol|function)$/.test(typeof given) ? '…' : String(given)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

/** Without a password or a query, which may be secret. Null for text that is no address. */
function addressIn(text: string): string | null {
  if (/^\s*postgres(?:ql)?:/i.test(text)) return postgresPlace(text).address
  if (!/^\s*(?:https?:|[\w+.-]+:\/\/)/i.test(text)) return null
  const { protocol, host, pathname, hash } = URL.parse(text) ?? {}
  return host === undefined ? 'an address that is not valid' : `${protocol}//${host}${pathname}${hash}`
}

/** The lines of the question. Longer ones than `columns` are continued below their beginning, so that no part looks like another line. */
export function describePowers(powers: readonly Power[], columns = Infinity): string[] {
  const width = HEADINGS.code.length
  return Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const lines = powers
      .filter(({ power }) => power === kind)
      .map(({ what }) => showHidden(what))
      .flatMap((line) => (columns < Infinity ? wrapWords(line, Math.max(columns - width - 4, 20)) : line))
    return lines.map((line, at) => `  ${(at === 0 ? heading : '').padEnd(width)}  ${line}`.trimEnd())
  })
}
