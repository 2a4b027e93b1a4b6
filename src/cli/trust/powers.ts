/** The powers of a configuration, for the trust question. Accepts any value. A setting that is not listed here must be harmless. */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { specsOf } from '../../kernel/model-choice.ts'
import { postgresPlace } from '../../kernel/postgres-place.ts'
import { keyNames } from '../../models/ai-sdk/providers.ts'
import { isObject } from '../../protocol/index.ts'
import { parseServerText } from '../../tools/mcp/server-config.ts'

/** In the order of the question. */
export const POWERS = {
  code: 'runs code',
  starts: 'starts MCP servers',
  unchecked: 'asks each time, because',
  connects: 'connects to MCP servers',
  executors: 'runs commands for plans',
  models: 'uses models',
  keys: 'sends keys',
  allows: 'allows without asking',
  works: 'works in',
  sets: 'sets',
  blueprints: 'plans by blueprints',
} as const

export interface Power {
  readonly power: keyof typeof POWERS
  readonly what: string
}
type Fields = Record<string, unknown>
type Add = (power: Power['power'], what: string) => void

/** Keys whose values are shown as they are; the others are shown in their own way, or change how strategies think. */
const SHOWN = 'approval,workspace,store,host,tools,budget,prices,cluster,telemetry,webhooks,serve'.split(',')

/** Of the configuration's values; code, executors and blueprints are files. */
export function powersOf(value: unknown, folder: string): Power[] {
  const powers = new Map<string, Power>()
  const add: Add = (power, what) => powers.set(keyOf({ power, what }), { power, what })
  const config = fieldsOf(value)
  for (const [name, { command, args, env, cwd, url, headers, ...more }] of serversIn(value)) {
    const words = [
      ...Object.entries(fieldsOf(env)).map(([key, text]) => `${key}=${word(text)}`),
      word(command),
    ]
    const at = isText(cwd) ? `, in ${cwd}` : ''
    if (command !== undefined)
      add('starts', `${name}: ${[...words, ...listOf(args).map(word)].join(' ')}${at}`)
    if (isText(url)) add('connects', `${name}: ${placeOf(url).address}`)
    addKeys(placeOf(url).host, [url, headers], add)
    addValues(`mcp.${name}`, more, add)
  }
  for (const model of modelsIn(config)) addModel(model, folder, add)
  for (const key of SHOWN) addValues(key, config[key], add)
  return [...powers.values()]
}

/** Powers with the same key are the same. */
export function keyOf({ power, what }: Power): string {
  return `${power}: ${what}`
}

/** Files that the configuration names and Thinkon loads as code. */
export function codeNamedIn(value: unknown, folder: string): string[] {
  const modules = modelsIn(fieldsOf(value)).map(({ model }) => /^module:(.+)$/s.exec(String(model))?.[1])
  return [...listOf(fieldsOf(value).strategies), ...modules]
    .filter(isText)
    .map((file) => resolve(folder, file))
}

/** MCP servers by name, each as an object. */
export function serversIn(value: unknown): [string, Fields][] {
  return Object.entries(fieldsOf(fieldsOf(value).mcp)).map(([name, given]) => {
    try {
      return [name, fieldsOf(isText(given) ? parseServerText(given).config : given)]
    } catch {
      return [name, { command: given }]
    }
  })
}

/** A row per value. The variables of an object are sent to its address. */
function addValues(path: string, value: unknown, add: Add): void {
  if (Array.isArray(value)) for (const one of value) addValues(path, one, add)
  else if (isObject(value)) {
    const { host } = placeOf(Object.values(value).find((one) => placeOf(one).host !== ''))
    addKeys(host || path, Object.values(value), add)
    for (const [key, one] of Object.entries(value)) addValues(`${path}.${key}`, one, add)
  } else if (path === 'approval.allow') add('allows', String(value))
  else if (value !== undefined) {
    const isSecret = /\.(?:apiKey|secret|tokens?|headers)\b/.test(path) && !path.startsWith('budget.')
    add('sets', `${path}: ${isSecret ? '…' : placeOf(value).address}`)
  }
}

/** Also those that requests may name. An entry per spec. */
function modelsIn({ model, models, embedding, serve }: Fields): Fields[] {
  const entries = (given: unknown): Fields[] => {
    if (Array.isArray(given)) return given.flatMap(entries)
    const entry = isText(given) ? { model: given } : fieldsOf(given)
    return isText(entry.model) ? specsOf(entry.model).map((spec) => ({ ...entry, model: spec })) : []
  }
  return [model, ...Object.values(fieldsOf(models)), embedding, fieldsOf(serve).models].flatMap(entries)
}

function addModel({ model, baseURL, apiKey, headers, price }: Fields, folder: string, add: Add): void {
  const spec = String(model)
  const [, kind, file = ''] = /^(gguf|module|replay):(.+)$/s.exec(spec) ?? []
  const { host, address } = placeOf(baseURL ?? (/^https?:/i.test(spec) ? spec : ''))
  const name = kind === undefined ? spec : `${kind}:${pathIn(resolve(folder, file), folder)}`
  add('models', host === '' ? name : isText(baseURL) ? `${name} at ${address}` : address)
  if (price !== undefined) add('models', `${name} at the price ${JSON.stringify(price)}`)
  if (kind !== undefined || spec.startsWith('embedded:')) return
  const provider = spec.slice(0, spec.indexOf(':'))
  const usual = /^https?$/i.test(provider) ? 'THINKON_API_KEY' : keyNames(provider)[0]
  const named = variablesIn(apiKey).length > 0 ? [] : ['the key in the configuration']
  const more = apiKey === undefined ? [usual].filter(isText) : named
  addKeys(host || `${provider}'s own host`, [apiKey, headers, baseURL], add, more)
}

function addKeys(host: string, values: readonly unknown[], add: Add, more: readonly string[] = []): void {
  for (const key of [...more, ...values.flatMap(variablesIn)]) add('keys', `${key} → ${host}`)
}

/** Names of environment variables in a text, or in the texts of an object. */
function variablesIn(given: unknown): string[] {
  if (isText(given)) return [...given.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = '']) => name)
  return Object.values(fieldsOf(given)).filter(isText).flatMap(variablesIn)
}

/** Without a password or a query, which may be secret. The host is empty for text that is no address. */
function placeOf(given: unknown): { host: string; address: string } {
  const text = isText(given) ? given : (JSON.stringify(given) ?? '')
  if (/^postgres(?:ql)?:/i.test(text)) return postgresPlace(text)
  const { protocol, host, pathname, hash } = /^https?:/i.test(text) ? (URL.parse(text) ?? {}) : {}
  if (host !== undefined) return { host, address: `${protocol}//${host}${pathname}${hash}` }
  return { host: '', address: text.replace(/^(\w+:\/\/)[^/]*@/, '$1').replace(/^(\w+:\/\/[^?]*)\?.*/s, '$1') }
}

/** Quoted if a shell would need it; `…` for what only execution shows. */
function word(text: unknown): string {
  if (!isText(text)) return '…'
  return /^[\w./:@%+=,${}-]+$/.test(text) ? text : JSON.stringify(text)
}

/** Relative if it is inside the folder. */
export function pathIn(path: string, folder: string): string {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside || '.'
}

export function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}
