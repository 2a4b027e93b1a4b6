/**
 * Checks a configuration. Loaded only if there is one. A message continues the key's name ("budget.calls must be …"); `explain` in
 * problems.ts appends the value that was given.
 */
import { isIP } from 'node:net'
import { LEAST_PROMPT_TOKENS } from '../kernel/brief/prompt-budget.ts'
import { ggufProblem } from '../kernel/gguf-settings.ts'
import { isEmbeddingObject, isModelObject, specsOf } from '../kernel/model-choice.ts'
import { specProblem } from '../kernel/model-spec.ts'
import { ROLES, TOOL_ACCESS } from '../protocol/index.ts'
import { anything, type Check, checked, either, list, map, must, never, object, oneOf } from './checks.ts'
import { BUILTIN_TOOLS, SERVE_SCOPES, WEBHOOK_EVENTS } from './config.ts'
import { embeddingSpecProblem } from './model-spec.ts'

const text = must((value) => typeof value === 'string' && value !== '', 'must be a text that is not empty')
const anyText = must((value) => typeof value === 'string', 'must be a text')
const flag = must((value) => typeof value === 'boolean', 'must be true or false')
const texts = (what = 'texts') => list(text, `must be a list of ${what}`)
const textThat = (problemOf: (value: string) => string | undefined) => checked(text, problemOf)
const count = (least: number) => number(`must be a whole number of ${least} or more`, Number.isInteger, least)
const amount = (least = 0) => number(`must be a number of ${least} or more`, () => true, least)
const ms = number('must be a whole number of milliseconds above 0', Number.isInteger, 1)

function number(message: string, holds: (value: number) => boolean, least: number): Check {
  return must((value) => typeof value === 'number' && holds(value) && value >= least, message)
}

/** Infinity means no limit. */
function limit(whole: boolean): Check {
  const right = (value: unknown) =>
    typeof value === 'number' && value >= 0 && (!whole || value === Infinity || Number.isInteger(value))
  return must(right, `must be a ${whole ? 'whole ' : ''}number of 0 or more`)
}

// --- models

const specBy = (problemOf: (value: string) => string | undefined) =>
  textThat((value) => {
    const problem = problemOf(value)
    return problem === undefined || /^https?:/i.test(value) ? problem : `"${value}" ${problem}`
  })
/** A text may name several models. */
const spec = specBy((value) =>
  specsOf(value)
    .map(specProblem)
    .find((problem) => problem !== undefined),
)
const price = object(
  {
    input: amount(),
    output: amount(),
    cachedInput: amount(),
    cacheWrite: amount(),
    long: object({ above: count(0), input: amount(), output: amount() }, ['above', 'input', 'output']),
  },
  ['input', 'output'],
)
const resilienceShape = {
  maxAttempts: count(1),
  maxTotalMs: ms,
  baseMs: ms,
  capMs: ms,
  firstByteMs: ms,
  idleMs: ms,
  progressMs: ms,
  attemptMs: ms,
  maxConcurrent: count(1),
  requestsPerMinute: count(1),
  tokensPerMinute: count(1),
}
const resilienceOfAll = object({
  ...resilienceShape,
  providers: map(object(resilienceShape), 'names of providers and settings'),
})
const promptTokens = count(LEAST_PROMPT_TOKENS)
const settings = {
  temperature: amount(),
  seed: count(0),
  maxOutputTokens: count(1),
  maxReplyBytes: count(1),
  thinkingTokens: count(0),
  promptTokens,
}
const gguf: Check = (value) => {
  const { key, problem } = ggufProblem(value) ?? {}
  if (problem === undefined) return []
  return [{ path: key === undefined ? [] : [key], message: problem, params: { complete: true } }]
}
const headers = map(text, 'header names and texts')
const providerShape = { apiKey: text, baseURL: text, headers }
const modelOr = (other: Check, message: string, several?: Check) =>
  either(
    {
      text: spec,
      object: (value) => (isModelObject(value) ? [] : other(value)),
      ...(several && { list: several }),
    },
    message,
  )
const notAModel = never(
  'must be a model spec or a model object: it is not an AI SDK language model, and has no "id" and "call"',
)
const entryShape = {
  model: modelOr(notAModel, 'must be a model spec such as "openai:gpt-5", or a model object'),
  ...settings,
  ...providerShape,
  price,
  window: count(LEAST_PROMPT_TOKENS),
  nativeTools: flag,
  gguf,
  resilience: object(resilienceShape),
  trouble: object(resilienceShape),
}
const MODEL =
  'must be a model spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these'
const modelEntry = object(entryShape, ['model'])
const onlySettings = object(entryShape)
const severalModels = list(modelOr(modelEntry, MODEL), MODEL, 'must name at least one model')
const model = modelOr(modelEntry, MODEL, severalModels)
const roleModel = modelOr(roleEntry, MODEL, severalModels)

/** A provider's settings need a model next to them. */
function roleEntry(value: unknown) {
  const isOnlySettings = Object.keys(value as object).every((key) => key in settings)
  return isOnlySettings ? onlySettings(value) : modelEntry(value)
}

// --- embeddings

const EMBEDDING =
  'must be a spec such as "openai:text-embedding-3-small", a function of texts, or an AI SDK embedding model'
const embeddingSpec = specBy(embeddingSpecProblem)
const embeddingOr = (other: Check, message: string) =>
  either(
    {
      text: embeddingSpec,
      function: anything,
      object: (value) => (isEmbeddingObject(value) ? [] : other(value)),
    },
    message,
  )
const embeddingModel = embeddingOr(never(EMBEDDING), EMBEDDING)
const embeddingEntry = object({ model: embeddingModel, name: text, ...providerShape }, ['model'])
const embedding = embeddingOr(embeddingEntry, `${EMBEDDING}, or an object with "model" and settings`)

// --- tools

/** The syntax of the rules in src/tools/approval/policy.ts. */
const RULE = /^\s*(?:tool:)?[\w*-]+\s*(?:\(\s*\S[\s\S]*\))?\s*$/
const rule = textThat((value) =>
  RULE.test(value)
    ? undefined
    : `"${value}" is not a rule: write a class (read, write, network, execute) or a tool, and a pattern in parentheses, such as "shell(npm test *)"`,
)
const rules = list(rule, 'must be a list of rules such as ["read", "shell(npm test *)"]')

/** The entries that src/tools/builtin/hosts.ts accepts. */
const HOST = /^(?:\*|(?:\*\.)?[^\s/@:*[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const isHost = (value: string) => {
  const [, network, prefix] = /^([0-9a-f.:]+)\/(\d+)$/i.exec(value) ?? []
  if (network === undefined) return HOST.test(value) || isIP(value) === 6
  return isIP(network) !== 0 && Number(prefix) <= (isIP(network) === 4 ? 32 : 128)
}
const host = textThat((value) =>
  isHost(value)
    ? undefined
    : `"${value}" is not a host: write example.com, *.example.com, localhost:8080, 10.0.0.0/8 or *`,
)
const envName = textThat((value) =>
  /^[A-Za-z_][A-Za-z0-9_]*$/.test(value)
    ? undefined
    : 'must be the name of an environment variable, without its value',
)
const tools = object({
  builtin: either(
    { boolean: anything, object: object(Object.fromEntries(BUILTIN_TOOLS.map((name) => [name, flag]))) },
    'must be true, false, or an object such as { "shell": false }',
  ),
  shell: object({
    sandbox: oneOf(['auto', 'require', 'off']),
    network: flag,
    env: list(envName, 'must be a list of names of environment variables'),
    timeoutMs: ms,
    limits: object({ processes: count(1), memoryMb: count(1), tmpMb: count(1), fileMb: count(1) }),
  }),
  http: object({ allow: list(host, 'must be a list of hosts'), timeoutMs: ms, maxBytes: count(1) }, [
    'allow',
  ]),
  idempotent: texts('names of tools'),
})

// --- MCP servers

const serverShape = {
  trust: flag,
  only: texts('names of tools'),
  access: map(oneOf(TOOL_ACCESS), 'names of tools and what they do'),
  idempotent: texts('names of tools'),
  startTimeoutMs: ms,
  timeoutMs: ms,
  protocol: oneOf(['auto', 'legacy']),
  // Keys from other clients' files that `command` or `url` already imply.
  type: anything,
  transport: anything,
  disabled: anything,
}
const stdioServer = object(
  {
    command: text,
    args: list(anyText, 'must be a list of texts'),
    env: map(anyText, 'names and texts'),
    cwd: text,
    ...serverShape,
  },
  ['command'],
)
const address = textThat((value) =>
  /^(https?:|\$\{)/i.test(value) ? undefined : 'must begin with http:// or https://',
)
const cluster = object({
  postgres: textThat((value) =>
    /^(postgres(ql)?:|\$\{)/i.test(value) ? undefined : 'must begin with postgres://',
  ),
  version: text,
  drainMs: ms,
  runs: must((value) => Number.isSafeInteger(value) && Number(value) > 0, 'must be a whole number above 0'),
})
const share = must(
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
  'must be a number from 0 to 1',
)
const telemetry = either(
  {
    boolean: anything,
    object: object({
      endpoint: address,
      headers,
      serviceName: text,
      content: flag,
      traces: flag,
      metrics: flag,
      sample: share,
    }),
  },
  'must be true, false, or an object such as { "endpoint": "http://localhost:4318" }',
)
const secrets = list(text, 'must be a secret or a list of secrets', 'must have at least one secret')
const webhook = object(
  {
    url: address,
    secret: either({ text, list: secrets }, 'must be a secret, or a list of secrets'),
    events: list(oneOf(WEBHOOK_EVENTS), 'must be a list of events', 'must have at least one event'),
    content: flag,
  },
  ['url', 'secret'],
)
const httpServer = object({ url: address, headers, ...serverShape }, ['url'])
const server = either(
  { text, object: (value) => ('url' in (value as object) ? httpServer : stdioServer)(value) },
  'must be a command line, a URL, or an object with "command" or "url"',
)

const serveToken = object({ token: text, scopes: list(oneOf(SERVE_SCOPES), 'must be a list of scopes') }, [
  'token',
  'scopes',
])
const serve = object({
  listen: text,
  port: must(
    (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 65_535,
    'must be a port from 0 to 65535',
  ),
  models: list(spec, 'must be a list of model specs'),
  tokens: list(
    either({ text, object: serveToken }, 'must be a token, or an object with "token" and "scopes"'),
    'must be a list of tokens',
  ),
  hosts: texts('names of hosts'),
  origins: texts('origins such as https://example.com'),
  maxRuns: count(1),
  maxStreams: count(1),
  startsPerMinute: count(1),
  maxBodyBytes: count(1),
  maxImportBytes: count(1),
})

export const checkConfig = object({
  $schema: anyText,
  model,
  models: object(Object.fromEntries(ROLES.map((role) => [role, roleModel]))),
  strategy: text,
  strategies: list(anything, 'must be a list of strategies, or of files that export one'),
  // Checked by protocol/route-problems.ts, like the options of the engine.
  options: anything,
  routes: anything,
  fallbacks: anything,
  budget: object({
    depth: limit(true),
    tokens: limit(true),
    calls: limit(true),
    timeMs: limit(true),
    costUsd: limit(false),
  }),
  promptTokens,
  store: text,
  workspace: text,
  prices: map(price, 'model specs and their prices'),
  onOutage: oneOf(['wait', 'fail']),
  resilience: resilienceOfAll,
  trouble: resilienceOfAll,
  approval: object({ allow: rules, ask: rules, deny: rules }),
  tools,
  mcp: map(server, 'names and servers'),
  executors: text,
  embedding,
  host: oneOf(['local', 'cluster']),
  cluster,
  telemetry,
  webhooks: list(webhook, 'must be a list of webhooks'),
  serve,
  lang: oneOf(['en', 'zh']),
})
