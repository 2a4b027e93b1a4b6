/** The powers of a configuration, as rows of the trust question. Accepts any value. */
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { isObject, showHidden } from '../../protocol/index.ts'
import { wrapWords } from '../../views/text-width.ts'

/** Headings, in the order of the question. */
const HEADINGS = {
  changed: 'has changed',
  code: 'runs code, with packages',
  starts: 'starts MCP servers',
  executors: 'runs commands for plans',
  unchecked: 'asks each time, because',
  sends: 'sends prompts and keys to',
  allows: 'allows without asking',
  sets: 'sets',
  blueprints: 'plans by blueprints',
} as const

export interface Power {
  readonly power: keyof typeof HEADINGS
  readonly what: string
}

const SECRETS = /^(?:apiKey|secret|tokens?|headers)$/
/** Their keys are names that the configuration chooses. */
const NAMED = /^(?:mcp|budget)$/
const DEEPEST = 8

/** Rows with the same key are the same. */
export function keyOf({ power, what }: Power): string {
  return `${power}: ${what}`
}

/** A row per value. Objects of a program's own classes, and what only execution shows, are `…`. Of secrets, only variables are shown. */
export function powersOf(value: unknown, path = '', isSecret = false, depth = 0): Power[] {
  if (Array.isArray(value) && depth < DEEPEST)
    return value.flatMap((one) => powersOf(one, path, isSecret, depth + 1))
  if (isPlain(value) && depth < DEEPEST) {
    const { command, args = [], $schema, ...rest } = value
    const rows = Object.entries(rest).flatMap(([key, one]) =>
      powersOf(
        one,
        path === '' ? key : `${path}.${key}`,
        isSecret || (!NAMED.test(path) && SECRETS.test(key)),
        depth + 1,
      ),
    )
    const words = [command, args].flat().map(textFor).map(quoted).join(' ')
    return command === undefined ? rows : [{ power: 'starts', what: `${path}: ${words}` }, ...rows]
  }
  return value === undefined || path === '' ? [] : [rowFor(path, textFor(value), isSecret)]
}

function rowFor(path: string, text: string, isSecret: boolean): Power {
  if (path === 'approval.allow') return { power: 'allows', what: text }
  const { host, address } = placeOf(text)
  const variables = text.match(/\$\{\w+\}/g)?.join(' ') ?? ''
  const shown = isSecret ? variables || '…' : host === '' ? address : `${address} ${variables}`
  const power = host !== '' ? 'sends' : path.startsWith('mcp.') ? 'starts' : 'sets'
  return { power, what: `${path}: ${shown}`.trimEnd() }
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

/** Without a password or a query, which may be secret. The host is empty for text that is no address. */
function placeOf(text: string): { host: string; address: string } {
  if (/^\s*postgres(?:ql)?:/i.test(text)) return postgresPlace(text)
  if (!/^\s*(?:https?:|[\w+.-]+:\/\/)/i.test(text)) return { host: '', address: text }
  const { protocol, host, pathname, hash } = URL.parse(text) ?? {}
  return host === undefined
    ? { host: '', address: 'an address that is not valid' }
    : { host, address: `${protocol}//${host}${pathname}${hash}` }
}

/**
 * The lines of the question; `known` is what the person has seen before. Lines longer than `columns` are continued below their beginning,
 * so that no part looks like another line.
 */
export function describePowers(powers: readonly Power[], known = powers, columns = Infinity): string[] {
  const seen = new Set(known.map(keyOf))
  const width = HEADINGS.sends.length
  return Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const lines = powers
      .filter(({ power }) => power === kind)
      .map((one) => `${showHidden(one.what)}${kind === 'changed' || seen.has(keyOf(one)) ? '' : '  (new)'}`)
      .flatMap((line) => (columns < Infinity ? wrapWords(line, Math.max(columns - width - 4, 20)) : line))
    return lines.map((line, at) => `  ${(at === 0 ? heading : '').padEnd(width)}  ${line}`.trimEnd())
  })
}
