/** The options that commands share, and how their values are read. */
import { resolve } from 'node:path'
import { HOSTS } from '../config/cluster-settings.ts'
import type { OnOutage } from '../kernel/services.ts'
import {
  checkDepth,
  errorText,
  isObject,
  type Limits,
  nearest,
  parseJson,
  STANDINGS,
  type Standing,
  ThinkonError,
} from '../protocol/index.ts'
import type { Strategies } from '../strategies/registry.ts'
import type { StrategyFlag } from '../strategies/strategy-module.ts'
import { LANGS, type Lang } from '../views/words.ts'
import { type OptionSpec, type OptionSpecs, textOption, type Values } from './command.ts'

/** Every command has these. */
export const BASIC_OPTIONS: OptionSpecs = {
  store: { type: 'string', value: '<file>', help: 'where runs are kept (THINKON_STORE; .thinkon/runs.db)' },
  host: {
    type: 'string',
    value: HOSTS.join('|'),
    help: 'who works on runs: this process, or the workers of a cluster (THINKON_HOST; local)',
  },
  workspace: { type: 'string', value: '<folder>', help: 'the folder to work in (the current folder)' },
  trust: { type: 'boolean', help: "trust the folder's configuration as it is now (thinkon trust)" },
  json: { type: 'boolean', help: 'JSON lines instead of text' },
  lang: { type: 'string', value: 'en|zh', help: "language of the output (the goal's language)" },
  help: { type: 'boolean', short: 'h', help: 'print this help' },
}

/** Commands that work on a run have these too. */
export const WORK_OPTIONS: OptionSpecs = {
  model: {
    type: 'string',
    value: '<spec>',
    help: 'the model: openai:…, anthropic:…, google:…, ollama:…, http://host/v1#…, module:<file>; a,b: b answers while a is out',
  },
  mcp: {
    type: 'string',
    multiple: true,
    value: '<server>',
    help: 'use the tools of this MCP server: a command line or a URL; may be repeated',
  },
  yes: {
    type: 'boolean',
    short: 'y',
    help: 'permit whatever tools ask for; answer questions with their fallback, first choice or "yes"',
  },
  record: {
    type: 'string',
    value: '<file>',
    help: 'append the model traffic to a file; --model replay:<file> answers from it',
  },
  'on-outage': {
    type: 'string',
    value: 'wait|fail',
    help: 'if no model can be reached: the run waits and can be resumed (default), or the step fails',
  },
  quiet: { type: 'boolean', short: 'q', help: 'print the result only' },
}

/** Commands that resume a run have these too. */
export const RESUME_OPTIONS: OptionSpecs = {
  strict: { type: 'boolean', help: 'refuse to resume if a prompt of an open block or a model has changed' },
}

/** What tools may do unasked is decided when a run starts and holds for all of it. */
const { yes, record, 'on-outage': onOutage, quiet, ...MODEL_OPTIONS } = WORK_OPTIONS
export const START_OPTIONS: OptionSpecs = {
  strategy: { type: 'string', value: '<name>', help: 'the strategy (THINKON_STRATEGY; auto)' },
  option: {
    type: 'string',
    multiple: true,
    value: '<key=value>',
    help: 'an option of the strategy; the value is JSON or text; may be repeated',
  },
  check: {
    type: 'string',
    value: 'auto|always|never',
    help: 'whether the result is held against the goal before the run ends, by program and by one model call (auto)',
  },
  output: {
    type: 'string',
    value: '<file>',
    help: 'a JSON Schema, as a file or as text: the result is given as a JSON value that fits it',
  },
  file: {
    type: 'string',
    multiple: true,
    value: '<file>',
    help: 'a file for the run, named in its goal; one outside the workspace is copied into inputs/; may be repeated',
  },
  ...MODEL_OPTIONS,
  yes: yes as OptionSpec,
  ask: {
    type: 'boolean',
    help: 'let tools ask for permission, and models ask questions, without a terminal; thinkon answer replies',
  },
  record: record as OptionSpec,
  'on-outage': onOutage as OptionSpec,
  quiet: quiet as OptionSpec,
}

export const LIMIT_OPTIONS: OptionSpecs = {
  'max-depth': { type: 'string', value: '<n>', help: 'levels below the root (8)' },
  'max-tokens': { type: 'string', value: '<n>', help: 'input and output tokens (2000000)' },
  'max-calls': { type: 'string', value: '<n>', help: 'model and tool calls (1000)' },
  'max-time': {
    type: 'string',
    value: '<time>',
    help: 'active time: 90s, 5m, 1h, 500ms; a bare number is seconds (1h)',
  },
  'max-cost': { type: 'string', value: '<usd>', help: 'US dollars (10)' },
}

/** The same for a run that is resumed. */
export const RAISE_OPTIONS: OptionSpecs = Object.fromEntries(
  Object.entries(LIMIT_OPTIONS).map(([name, option]) => [
    name,
    { ...option, help: `give the run more from now on: ${option.help.replace(/ \([^)]*\)$/, '')}` },
  ]),
)

/** Limits that are raised where nothing is resumed would be lost. */
export function refuseRaise(values: Values): void {
  const [name] = Object.keys(LIMIT_OPTIONS).filter((option) => values[option] !== undefined)
  if (name !== undefined)
    throw badInput(`--${name} is for a run that is resumed: add --resume, or give it to thinkon resume`)
}

export function langOption(values: Values): Lang | undefined {
  return oneOfOption(values, 'lang', LANGS)
}

export function outageOption(values: Values): OnOutage | undefined {
  return oneOfOption(values, 'on-outage', ['wait', 'fail'])
}

export function oneOfOption<T extends string>(
  values: Values,
  name: string,
  allowed: readonly T[],
): T | undefined {
  const given = textOption(values, name)
  const found = allowed.find((one) => one === given)
  if (given === undefined || found !== undefined) return found
  throw badInput(`--${name} must be ${allowed.join(' or ')}, not "${given}"${meant(given, allowed)}`)
}

export function budgetOptions(values: Values): Partial<Limits> {
  const budget: Partial<Limits> = {}
  const whole: [string, keyof Limits][] = [
    ['max-depth', 'depth'],
    ['max-tokens', 'tokens'],
    ['max-calls', 'calls'],
  ]
  for (const [option, limit] of whole) {
    const given = textOption(values, option)
    if (given !== undefined) budget[limit] = wholeNumber(`--${option}`, given)
  }
  const time = textOption(values, 'max-time')
  if (time !== undefined) budget.timeMs = duration('--max-time', time)
  const cost = textOption(values, 'max-cost')
  if (cost !== undefined) budget.costUsd = amount('--max-cost', cost)
  return budget
}

/** `--option key=value` (the value is read as JSON if it parses, otherwise as text), the strategy's own flags, and `--check`, which most have. */
export function strategyOptions(
  values: Values,
  flags: Readonly<Record<string, StrategyFlag>> = {},
): Record<string, unknown> {
  const options: Record<string, unknown> = values.check === undefined ? {} : { check: values.check }
  for (const [flag, { option, type }] of Object.entries(flags)) {
    const given = values[flag]
    if (given === true) options[option] = true
    else if (typeof given === 'string') options[option] = flagValue(`--${flag}`, type, given)
  }
  for (const given of (values.option ?? []) as readonly string[]) {
    const equals = given.indexOf('=')
    if (equals < 1) throw badInput(`--option must be key=value, not "${given}"`)
    options[given.slice(0, equals)] = jsonOrText(given.slice(equals + 1))
  }
  return options
}

function flagValue(what: string, type: StrategyFlag['type'], text: string): unknown {
  if (type === 'whole') return wholeNumber(what, text)
  if (type === 'json') return jsonOrText(text)
  if (type === 'path') return resolve(text)
  if (type !== 'number') return text
  if (text.trim() === '' || !Number.isFinite(Number(text)))
    throw badInput(`${what} must be a number, not "${text}"`)
  return Number(text)
}

function jsonOrText(text: string): unknown {
  const value = parseJson(text)
  return value === undefined ? text : value
}

export function wholeNumber(what: string, text: string, least = 0): number {
  const value = Number(text)
  if (/^\d+$/.test(text) && Number.isSafeInteger(value) && value >= least) return value
  throw badInput(`${what} must be a whole number of ${least} or more, not "${text}"`)
}

export function jsonObject(what: string, text: string, example = '{"value": …}'): Record<string, unknown> {
  let value: unknown
  try {
    // Editors and shells on Windows begin a file with a byte order mark.
    value = JSON.parse(text.replace(/^\ufeff/, ''))
  } catch (error) {
    throw badInput(`${what} is not JSON: ${errorText(error)}`)
  }
  checkDepth(value, what)
  if (isObject(value)) return value
  throw badInput(`${what} must be a JSON object such as ${example}`)
}

const UNITS_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }
const DAY_MS = 86_400_000
const AGES_MS: Record<string, number> = { m: 60_000, h: 3_600_000, d: DAY_MS, w: 7 * DAY_MS }

export function age(what: string, text: string): number {
  const [, number, unit] = /^(\d+(?:\.\d+)?)(m|h|d|w)$/.exec(text) ?? []
  if (number !== undefined) return Math.round(Number(number) * (AGES_MS[unit as string] as number))
  throw badInput(`${what} must be an age such as 30d, 2w, 12h or 90m, not "${text}"`)
}

/** The statuses that are asked for; several are separated by commas. */
export function statusOption(values: Values): Standing[] | undefined {
  const given = textOption(values, 'status')
  if (given === undefined) return undefined
  return given.split(',').map((name) => {
    const known = STANDINGS.find((status) => status === name.trim())
    if (known !== undefined) return known
    throw badInput(
      `--status must be one or several of ${STANDINGS.join(', ')}, not "${name}"${meant(name.trim(), STANDINGS)}`,
    )
  })
}

export function duration(what: string, text: string): number {
  const [, number, unit = 's'] = /^(\d+(?:\.\d+)?)(ms|s|m|h)?$/.exec(text) ?? []
  if (number !== undefined) return Math.round(Number(number) * (UNITS_MS[unit] as number))
  throw badInput(`${what} must be a time such as 90s, 5m, 1h or 500ms, not "${text}"`)
}

export function amount(what: string, text: string): number {
  if (/^\d+(\.\d+)?$/.test(text)) return Number(text)
  throw badInput(`${what} must be an amount such as 0.50, not "${text}"`)
}

/** `: did you mean "wait"?` */
export function meant(given: string, names: Iterable<string>): string {
  const near = nearest(given, names)
  return near === undefined ? '' : `: did you mean "${near}"?`
}

export function checkStrategy(name: string, strategies: Strategies): void {
  if (strategies.has(name)) return
  const names = [...strategies.keys()]
  const message = `there is no strategy "${name}"${meant(name, names) || `; there are: ${names.join(', ')}`}`
  throw new ThinkonError('NO_SUCH_STRATEGY', message, { data: { name, available: names } })
}

export function badInput(message: string, data?: Record<string, unknown>): ThinkonError {
  return new ThinkonError('BAD_INPUT', message, data === undefined ? {} : { data })
}
