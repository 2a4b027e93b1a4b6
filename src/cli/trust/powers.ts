/** The powers of a configuration, as rows of the trust question. Accepts any value. */
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { isObject, showHidden } from '../../protocol/index.ts'
import { wrapWords } from '../../views/text-width.ts'

/** Headings, in the order of the question. */
const HEADINGS = {
  changed: 'has changed',
  code: 'runs code',
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

/** They name files, which have rows of their own. */
const FILES = ['strategies', 'executors', '$schema']
const SECRETS = /^(?:apiKey|secret|tokens?|headers)$/
/** Their keys are names that the configuration chooses. */
const NAMED = /^(?:mcp|budget)$/
const DEEPEST = 8

/** Every setting has a row. */
export function powersOf(value: unknown): Power[] {
  const settings = isObject(value) ? Object.entries(value).filter(([key]) => !FILES.includes(key)) : []
  return settings.flatMap(([key, one]) => rowsOf(key, one))
}

/** Rows with the same key are the same. */
export function keyOf({ power, what }: Power): string {
  return `${power}: ${what}`
}

/** A row per value. Objects of a program's own classes, and what only execution shows, are `…`. Of secrets, only variables are shown. */
function rowsOf(path: string, value: unknown, isSecret = false, depth = 0): Power[] {
  if (value === undefined) return []
  if (Array.isArray(value) && depth < DEEPEST)
    return value.flatMap((one) => rowsOf(path, one, isSecret, depth + 1))
  if (isPlain(value) && depth < DEEPEST) {
    const { command, args, ...rest } = value
    const words = (Array.isArray(args) ? [command, ...args] : [command]).map(word).join(' ')
    const rows = Object.entries(rest).flatMap(([key, one]) =>
      rowsOf(`${path}.${key}`, one, isSecret || (!NAMED.test(path) && SECRETS.test(key)), depth + 1),
    )
    return command === undefined ? rows : [{ power: 'starts', what: `${path}: ${words}` }, ...rows]
  }
  return [leafRow(path, textFor(value), isSecret)]
}

function leafRow(path: string, text: string, isSecret: boolean): Power {
  if (path === 'approval.allow') return { power: 'allows', what: text }
  const { host, address } = placeOf(text)
  const variables = text.match(/\$\{\w+\}/g)?.join(' ') ?? ''
  const shown = isSecret ? variables || '…' : host === '' ? address : `${address} ${variables}`
  const power = host !== '' ? 'sends' : path.startsWith('mcp.') ? 'starts' : 'sets'
  return { power, what: `${path}: ${shown}`.trimEnd() }
}

/** Quoted if a shell would need it. */
function word(given: unknown): string {
  const text = textFor(given)
  return /^[\w./:@%+=,${}…-]+$/.test(text) ? text : JSON.stringify(text)
}

function textFor(given: unknown): string {
  return /^(?:object|symbol|function)$/.test(typeof given) ? '…' : String(given)
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return isObject(value) && [Object.prototype, null].includes(Object.getPrototypeOf(value))
}

/** Without a password or a query, which may be secret. The host is empty for text that is no address. */
function placeOf(text: string): { host: string; address: string } {
  if (/^postgres(?:ql)?:/i.test(text)) return postgresPlace(text)
  const { protocol, host, pathname, hash } = /^https?:/i.test(text) ? (URL.parse(text) ?? {}) : {}
  if (host !== undefined) return { host, address: `${protocol}//${host}${pathname}${hash}` }
  return { host: '', address: text.replace(/^(\w+:\/\/)[^/]*@/, '$1').replace(/^(\w+:\/\/[^?]*)\?.*/s, '$1') }
}

const MOST_FILES = 20

/**
 * The lines of the question; `known` is what the person has seen before. Lines longer than `columns` are continued below their beginning,
 * so that no part looks like another line. Only file lists are shortened.
 */
export function describePowers(powers: readonly Power[], known = powers, columns = Infinity): string[] {
  const seen = new Set(known.map(keyOf))
  const width = HEADINGS.sends.length
  return Object.entries(HEADINGS).flatMap(([kind, heading]) => {
    const all = powers.filter(({ power }) => power === kind)
    const most = kind === 'code' || kind === 'blueprints' ? MOST_FILES : all.length
    const lines = all
      .slice(0, most)
      .map((one) => `${showHidden(one.what)}${kind === 'changed' || seen.has(keyOf(one)) ? '' : '  (new)'}`)
    if (all.length > most) lines.push(`and ${all.length - most} more: thinkon trust --json lists all`)
    if (kind === 'code' && all.length > 0) lines.push('and whatever these load')
    const parts = lines.flatMap((line) =>
      columns < Infinity ? wrapWords(line, Math.max(columns - width - 4, 20)) : [line],
    )
    return parts.map((part, at) => `  ${(at === 0 ? heading : '').padEnd(width)}  ${part}`.trimEnd())
  })
}
