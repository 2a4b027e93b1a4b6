/**
 * What a configuration would do, for the question whether it is trusted. Takes any value, also one that is not valid, and says all
 * of it: what is not shown here must not be able to do harm.
 */
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { specsOf } from '../../kernel/model-choice.ts'
import { keyNames } from '../../models/ai-sdk/providers.ts'
import { DEFAULT_LIMITS, isObject, LIMIT_NAMES } from '../../protocol/index.ts'
import { parseServerText } from '../../tools/mcp/server-config.ts'

/** In the order of the question. */
export const POWERS = {
  code: 'runs code',
  starts: 'starts MCP servers',
  connects: 'connects to MCP servers',
  executors: 'runs commands for plans',
  models: 'uses models',
  cluster: 'sends runs to',
  tells: 'tells of runs',
  serves: 'lets others start runs (thinkon serve)',
  keys: 'sends keys',
  allows: 'allows without asking',
  commands: 'runs commands',
  fetches: 'fetches from',
  places: 'works outside this folder',
  limits: 'changes limits',
  blueprints: 'plans by blueprints',
} as const

export interface Power {
  readonly power: keyof typeof POWERS
  readonly what: string
}

type Fields = Record<string, unknown>

/** Of the configuration's own values; code, executors and blueprints are files. */
export function powersOf(value: unknown, folder: string): Power[] {
  const config = fieldsOf(value)
  const serve = fieldsOf(config.serve)
  const models = [
    config.model,
    ...Object.values(fieldsOf(config.models)),
    config.embedding,
    serve.models,
  ].flatMap(modelsIn)
  const powers = [
    ...Object.entries(fieldsOf(config.mcp)).flatMap(([name, server]) => serverPowers(name, server)),
    ...models.flatMap((model) => modelPowers(model, folder)),
    ...textsOf(fieldsOf(config.approval).allow)
      .filter((rule) => rule.trim() !== 'read')
      .map((rule) => power('allows', rule)),
    ...toolPowers(fieldsOf(config.tools)),
    ...(['workspace', 'store'] as const).flatMap((key) => placePowers(key, config[key], folder)),
    ...limitPowers(fieldsOf(config.budget)),
    ...pricePowers(config, models),
    ...clusterPowers(fieldsOf(config.cluster)),
    ...telemetryPowers(config.telemetry),
    ...(Array.isArray(config.webhooks) ? config.webhooks : []).flatMap(webhookPowers),
    ...servePowers(serve),
  ]
  return [...new Map(powers.map((one) => [keyOf(one), one])).values()]
}

/** Powers with the same key are the same. */
export function keyOf({ power, what }: Power): string {
  return `${power}: ${what}`
}

/** Files that the configuration names and Thinkon executes. */
export function codeNamedIn(value: unknown, folder: string): string[] {
  const config = fieldsOf(value)
  const served = fieldsOf(config.serve).models
  const models = [config.model, ...Object.values(fieldsOf(config.models)), served].flatMap(modelsIn)
  const modules = models.flatMap(({ model }) =>
    isText(model) ? (/^module:(.+)$/s.exec(model)?.[1] ?? []) : [],
  )
  return [...textsOf(config.strategies), ...modules].map((file) => resolve(folder, file))
}

/** Programs in the folder that the commands of MCP servers name: the one that is started, and scripts. A file of data may change as it likes. */
export function serverFilesIn(value: unknown, folder: string): string[] {
  return Object.values(fieldsOf(fieldsOf(value).mcp)).flatMap((given) => {
    const { command, args, cwd } = isText(given) ? serverOf(given) : fieldsOf(given)
    const program = isText(command) && /[\\/]/.test(command) ? [command] : []
    const scripts = textsOf(args).filter((word) => SCRIPT.test(word))
    const paths = [...program, ...scripts].map((file) => resolve(folder, isText(cwd) ? cwd : '', file))
    return paths.filter((path) => !isAbsolute(pathIn(path, folder)))
  })
}

const SCRIPT = /\.(?:[cm]?[jt]sx?|py|rb|sh|bash|pl|php|lua|jar|wasm)$/

/** Whether or not `host` says so: `--host restate` does as well. */
function clusterPowers(cluster: Fields): Power[] {
  const places = ['ingress', 'admin', 'postgres', 'address'].map((key) => cluster[key]).filter(isText)
  return places.flatMap((text) => {
    const { host, address } = placeOf(text)
    return [power('cluster', address), ...keysTo(host, variablesIn(text))]
  })
}

/** Also to whom the environment names: the configuration says that what was said goes along, or adds headers. */
function telemetryPowers(given: unknown): Power[] {
  if (given !== true && !isObject(given)) return []
  const { endpoint, headers, content } = fieldsOf(given)
  const { host, address } = isText(endpoint) ? placeOf(endpoint) : RECEIVER
  const what = content === true ? 'traces with all that is said' : 'traces'
  return [
    power('tells', `${what} → ${address}`),
    ...keysTo(host, [...variablesIn(endpoint), ...variablesIn(headers)]),
  ]
}

const RECEIVER = { host: 'the receiver of the environment', address: 'the receiver of the environment' }

function webhookPowers(given: unknown): Power[] {
  const { url, content } = fieldsOf(given)
  if (!isText(url)) return []
  const { host, address } = placeOf(url)
  const what = content === true ? 'webhooks with goals and results' : 'webhooks'
  return [power('tells', `${what} → ${address}`), ...keysTo(host, variablesIn(url))]
}

/** Who has the token may do what the person may let runs do. */
function servePowers({ listen, tokens, hosts, origins }: Fields): Power[] {
  const known = Array.isArray(tokens) ? tokens.length : 0
  return [
    ...(isText(listen) ? [power('serves', `on ${listen}`)] : []),
    ...(known > 0
      ? [power('serves', `with ${known} ${known === 1 ? 'token' : 'tokens'} of the configuration`)]
      : []),
    ...[...textsOf(hosts), ...textsOf(origins)].map((name) => power('serves', `by way of ${name}`)),
  ]
}

// --- MCP servers

function serverPowers(name: string, given: unknown): Power[] {
  const server = isText(given) ? serverOf(given) : fieldsOf(given)
  const classes = Object.entries(fieldsOf(server.access)).filter(([, access]) => isText(access))
  // Rules are about these classes.
  const trusted = [
    ...(server.trust === true ? [power('allows', `what the MCP server ${name} says that its tools do`)] : []),
    ...classes.map(([tool, access]) =>
      power('allows', `the tool ${tool} of the MCP server ${name} as "${access}"`),
    ),
  ]
  if (isText(server.url)) {
    const { host, address } = placeOf(server.url)
    const keys = [...variablesIn(server.url), ...variablesIn(server.headers)]
    return [power('connects', `${name}: ${address}`), ...keysTo(host, keys), ...trusted]
  }
  if (server.command === undefined) return trusted
  const words = [server.command, ...(Array.isArray(server.args) ? server.args : [])].map(word)
  const env = Object.entries(fieldsOf(server.env)).map(([key, text]) => `${key}=${word(text)}`)
  const cwd = isText(server.cwd) ? `, in ${server.cwd}` : ''
  return [power('starts', `${name}: ${[...env, ...words].join(' ')}${cwd}`), ...trusted]
}

function serverOf(text: string): Fields {
  try {
    return fieldsOf(parseServerText(text).config)
  } catch {
    return { command: text }
  }
}

/** Quoted where a shell would need it; `…` for what only execution tells. */
function word(text: unknown): string {
  if (!isText(text)) return '…'
  return /^[\w./:@%+=,${}-]+$/.test(text) ? text : JSON.stringify(text)
}

// --- models

function modelsIn(given: unknown): Fields[] {
  if (isText(given)) return specsOf(given).map((model) => ({ model }))
  if (Array.isArray(given)) return given.flatMap(modelsIn)
  const entry = fieldsOf(given)
  return isText(entry.model) ? specsOf(entry.model).map((model) => ({ ...entry, model })) : []
}

function modelPowers({ model, baseURL, apiKey, headers }: Fields, folder: string): Power[] {
  const spec = model as string
  const isAddress = /^https?:/i.test(spec)
  const provider = spec.slice(0, spec.indexOf(':'))
  const place = isText(baseURL) ? placeOf(baseURL) : isAddress ? placeOf(spec) : undefined
  const name = isAddress ? placeOf(spec).address : specIn(spec, folder)
  const uses = power('models', isText(baseURL) ? `${name} at ${placeOf(baseURL).address}` : name)
  if (FILES.test(spec)) return [uses]
  const usual = isAddress ? ['THINKON_API_KEY'] : keyNames(provider)
  const keys = apiKey === undefined ? usual.slice(0, 1) : variablesIn(apiKey)
  const literal = apiKey !== undefined && keys.length === 0 ? ['the key in the configuration'] : []
  const all = [...keys, ...literal, ...variablesIn(headers), ...variablesIn(baseURL)]
  return [uses, ...keysTo(place?.host ?? `${provider}'s own host`, all)]
}

const FILES = /^(?:gguf|module|replay|embedded):/

/** A file is named as seen from the folder. */
function specIn(spec: string, folder: string): string {
  const [, kind = '', file = ''] = /^(gguf|module|replay):(.+)$/s.exec(spec) ?? []
  return kind === '' ? spec : `${kind}:${pathIn(resolve(folder, file), folder)}`
}

function keysTo(host: string, keys: readonly string[]): Power[] {
  return keys.map((key) => power('keys', `${key} → ${host}`))
}

/** Without what may be a secret: a password, a query. */
function placeOf(text: string): { host: string; address: string } {
  if (!URL.canParse(text)) return { host: text, address: text }
  const { protocol, host, pathname, hash } = new URL(text)
  return { host, address: `${protocol}//${host}${pathname}${hash}` }
}

/** Names of the environment's variables in a text, or in the texts of an object. */
function variablesIn(given: unknown): string[] {
  if (isText(given)) return [...given.matchAll(/\$\{([A-Za-z_]\w*)\}/g)].map(([, name = '']) => name)
  return Object.values(fieldsOf(given)).filter(isText).flatMap(variablesIn)
}

// --- the rest

function toolPowers({ shell, http }: Fields): Power[] {
  const { sandbox, network, env } = fieldsOf(shell)
  return [
    ...(sandbox === 'off' ? [power('commands', 'outside the sandbox')] : []),
    ...(network === true ? [power('commands', 'with access to the network')] : []),
    ...textsOf(env).map((name) => power('commands', `with ${name} of the environment`)),
    ...textsOf(fieldsOf(http).allow).map((host) => power('fetches', host)),
  ]
}

function placePowers(key: string, given: unknown, folder: string): Power[] {
  if (!isText(given) || given === ':memory:') return []
  const path = resolve(folder, given)
  return isAbsolute(pathIn(path, folder)) ? [power('places', `${key}: ${path}`)] : []
}

/** Relative if it is inside. */
export function pathIn(path: string, folder: string): string {
  const inside = relative(folder, path)
  return inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside) ? path : inside || '.'
}

function limitPowers(budget: Fields): Power[] {
  return LIMIT_NAMES.flatMap((name) => {
    const limit = budget[name]
    const isRaised = typeof limit === 'number' && limit > DEFAULT_LIMITS[name]
    return isRaised ? [power('limits', `${name}: ${limit}`)] : []
  })
}

/** A model that is said to be free is not stopped by a limit in dollars. */
function pricePowers(config: Fields, models: readonly Fields[]): Power[] {
  const given = [
    ...Object.entries(fieldsOf(config.prices)),
    ...models.map(({ model, price }) => [String(model), price] as const),
  ]
  return given.flatMap(([model, price]) => {
    const { input, output } = fieldsOf(price)
    return input === 0 || output === 0 ? [power('limits', `counts ${model} as free`)] : []
  })
}

function power(kind: Power['power'], what: string): Power {
  return { power: kind, what }
}

function fieldsOf(value: unknown): Fields {
  return isObject(value) ? value : {}
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter(isText) : []
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
