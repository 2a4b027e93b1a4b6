/**
 * Checks a configuration. Loaded only if there is one: importing `thinkon` does not load zod. A message continues the key's
 * name ("budget.calls must be …"); `explain` in problems.ts appends the value that was given.
 */
import { isIP } from 'node:net'
import { z } from 'zod'
import { LEAST_PROMPT_TOKENS } from '../kernel/brief/prompt-budget.ts'
import { isEmbeddingObject, isModelObject, specsOf } from '../kernel/model-choice.ts'
import { ROLES, TOOL_ACCESS } from '../protocol/index.ts'
import { BUILTIN_TOOLS } from './config.ts'
import { embeddingSpecProblem, specProblem } from './model-spec.ts'
import { OLD_KEYS } from './old-keys.ts'
import type { IssueHints } from './problems.ts'

type Shape = Record<string, z.ZodType>
type Kind = 'text' | 'object' | 'boolean' | 'function' | 'list'

const TEXT = 'must be a text that is not empty'
const text = z.string(TEXT).min(1, TEXT)
const flag = z.boolean('must be true or false')
const texts = (what = 'texts') => z.array(text, `must be a list of ${what}`)
const count = (least: number) => number(`must be a whole number of ${least} or more`, Number.isInteger, least)
const amount = (least = 0) => number(`must be a number of ${least} or more`, () => true, least)
const ms = number('must be a whole number of milliseconds above 0', Number.isInteger, 1)

function number(message: string, holds: (value: number) => boolean, least: number) {
  const right = (value: unknown) => typeof value === 'number' && holds(value) && value >= least
  return z.custom<number>(right, { error: message })
}

/** Infinity means no limit. */
function limit(whole: boolean) {
  const right = (value: unknown) =>
    typeof value === 'number' && value >= 0 && (!whole || value === Infinity || Number.isInteger(value))
  return z.custom<number>(right, { error: `must be a ${whole ? 'whole ' : ''}number of 0 or more` })
}

function oneOf(allowed: readonly string[]) {
  return z.custom<string>((value) => allowed.includes(value as string), {
    error: `must be ${allowed.map((name) => `"${name}"`).join(' or ')}`,
    params: { allowed } satisfies IssueHints,
  })
}

function object(shape: Shape, needed: readonly string[] = []) {
  const keys = Object.keys(shape)
  const known = keys.filter((key) => !(key in OLD_KEYS))
  const unknown = z.custom<never>(() => false, { params: { known } satisfies IssueHints })
  const fields = keys.map((key) => [
    key,
    needed.includes(key) ? shape[key] : (shape[key] as z.ZodType).optional(),
  ])
  return z.object(Object.fromEntries(fields), 'must be an object').catchall(unknown)
}

function map(value: z.ZodType, what: string) {
  return z.record(z.string(), value, `must be an object: ${what}`)
}

/** One of several kinds of value, each with its own check, so that a problem is reported where it occurs. */
function either(kinds: Partial<Record<Kind, z.ZodType | ((value: unknown) => z.ZodType)>>, message: string) {
  return z.unknown().superRefine((value, context) => {
    const schema = kinds[kindOf(value) as Kind]
    if (schema === undefined) return context.addIssue({ code: 'custom', message })
    const { error } = (typeof schema === 'function' ? schema(value) : schema).safeParse(value)
    for (const issue of error?.issues ?? []) context.addIssue({ ...issue } as never)
  })
}

function kindOf(value: unknown): string {
  if (typeof value === 'string') return 'text'
  if (Array.isArray(value)) return 'list'
  if (value === null) return 'other'
  return typeof value
}

/** Fits no value; the message is complete. */
function never(message: string) {
  return z.custom<never>(() => false, { error: message, params: { complete: true } satisfies IssueHints })
}

function checked(problem: (value: string) => string | undefined) {
  return text.superRefine((value, context) => {
    const message = value === '' ? undefined : problem(value)
    if (message !== undefined) context.addIssue({ code: 'custom', message, params: { complete: true } })
  })
}

// --- models

const specBy = (problemOf: (value: string) => string | undefined) =>
  checked((value) => {
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
  maxConcurrent: count(1),
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
const anything = z.unknown()
const headers = map(text, 'header names and texts')
const providerShape = { apiKey: text, baseURL: text, headers }
const modelOr = (other: (value: unknown) => z.ZodType, message: string, list?: z.ZodType) =>
  either(
    {
      text: spec,
      object: (value) => (isModelObject(value) ? anything : other(value)),
      ...(list && { list }),
    },
    message,
  )
const notAModel = never(
  'must be a model spec or a model object: it is not an AI SDK language model, and has no "id" and "call"',
)
const entryShape = {
  model: modelOr(() => notAModel, 'must be a model spec such as "openai:gpt-5", or a model object'),
  ...settings,
  ...providerShape,
  price,
  window: count(LEAST_PROMPT_TOKENS),
  nativeTools: flag,
  resilience: object(resilienceShape),
  trouble: object(resilienceShape),
}
const MODEL =
  'must be a model spec such as "openai:gpt-5", a model object, an object with "model" and settings, or a list of these'
const modelEntry = object(entryShape, ['model'])
const severalModels = z.array(modelOr(() => modelEntry, MODEL)).min(1, 'must name at least one model')
const model = modelOr(() => modelEntry, MODEL, severalModels)
const roleModel = modelOr(roleEntry, MODEL, severalModels)

/** A provider's settings need a model next to them. */
function roleEntry(value: unknown) {
  const isOnlySettings = Object.keys(value as object).every((key) => key in settings)
  return isOnlySettings ? object(entryShape) : modelEntry
}

// --- embeddings

const EMBEDDING =
  'must be a spec such as "openai:text-embedding-3-small", a function of texts, or an AI SDK embedding model'
const embeddingSpec = specBy(embeddingSpecProblem)
const embeddingOr = (other: z.ZodType, message: string) =>
  either(
    {
      text: embeddingSpec,
      function: anything,
      object: (value) => (isEmbeddingObject(value) ? anything : other),
    },
    message,
  )
const embeddingModel = embeddingOr(never(EMBEDDING), EMBEDDING)
const embeddingEntry = object({ model: embeddingModel, name: text, ...providerShape }, ['model'])
const embedding = embeddingOr(embeddingEntry, `${EMBEDDING}, or an object with "model" and settings`)

// --- tools

/** The syntax of the rules in src/tools/approval/policy.ts. */
const RULE = /^\s*(?:tool:)?[\w*-]+\s*(?:\(\s*\S[\s\S]*\))?\s*$/
const rule = checked((value) =>
  RULE.test(value)
    ? undefined
    : `"${value}" is not a rule: write a class (read, write, network, execute) or a tool, and a pattern in parentheses, such as "shell(npm test *)"`,
)
const rules = z.array(rule, 'must be a list of rules such as ["read", "shell(npm test *)"]')

/** The entries that src/tools/builtin/hosts.ts accepts. */
const HOST = /^(?:\*|(?:\*\.)?[^\s/@:*[\]]+|\[[0-9a-f:.]+\])(?::\d{1,5})?$/i
const isHost = (value: string) => {
  const [, network, prefix] = /^([0-9a-f.:]+)\/(\d+)$/i.exec(value) ?? []
  if (network === undefined) return HOST.test(value) || isIP(value) === 6
  return isIP(network) !== 0 && Number(prefix) <= (isIP(network) === 4 ? 32 : 128)
}
const host = checked((value) =>
  isHost(value)
    ? undefined
    : `"${value}" is not a host: write example.com, *.example.com, localhost:8080, 10.0.0.0/8 or *`,
)
const envName = checked((value) =>
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
    env: z.array(envName, 'must be a list of names of environment variables'),
    timeoutMs: ms,
  }),
  http: object({ allow: z.array(host, 'must be a list of hosts'), timeoutMs: ms, maxBytes: count(1) }, [
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
    args: z.array(z.string('must be a text'), 'must be a list of texts'),
    env: map(z.string('must be a text'), 'names and texts'),
    cwd: text,
    ...serverShape,
  },
  ['command'],
)
const address = checked((value) =>
  /^(https?:|\$\{)/i.test(value) ? undefined : 'must begin with http:// or https://',
)
const httpServer = object({ url: address, headers, ...serverShape }, ['url'])
const server = either(
  { text, object: (value) => ('url' in (value as object) ? httpServer : stdioServer) },
  'must be a command line, a URL, or an object with "command" or "url"',
)

export const configSchema = object({
  $schema: z.string('must be a text'),
  model,
  models: object(Object.fromEntries(ROLES.map((role) => [role, roleModel]))),
  strategy: text,
  strategies: z.array(z.unknown(), 'must be a list of strategies, or of files that export one'),
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
  lang: oneOf(['en', 'zh']),
})
