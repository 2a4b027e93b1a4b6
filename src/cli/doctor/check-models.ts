/** The model of each role, the embedding, keys, providers and local servers. No key is sent anywhere, no model is called. */
import {
  type ChosenModel,
  type ConfiguredModels,
  configuredEmbedding,
  configuredModels,
  type ProbedServers,
  type ThinkonConfig,
} from '../../config/index.ts'
import { choicesOf, type ModelChoice, modelConfig, specOf } from '../../kernel/model-choice.ts'
import { fileProblem } from '../../models/gguf/open-gguf.ts'
import { embeddingName, openEmbedding } from '../../models/open-embedding.ts'
import { openModel } from '../../models/open-model.ts'
import { priceOf } from '../../models/prices.ts'
import { redactError } from '../../models/secrets.ts'
import { thinkingOf } from '../../models/thinking.ts'
import { errorData, ROLES } from '../../protocol/index.ts'
import { type Finding, finding } from './finding.ts'
import { installedVersion } from './installed-version.ts'
import { becauseText, type DoctorWords } from './words.ts'

type Model = ModelChoice

const OPEN_TIMEOUT_MS = 15_000
const REACH_TIMEOUT_MS = 2_000

export async function checkModels(
  chosen: ChosenModel,
  config: ThinkonConfig,
  servers: ProbedServers,
  words: DoctorWords,
): Promise<Finding[]> {
  let models: ConfiguredModels
  try {
    models = configuredModels(chosen, config)
  } catch (thrown) {
    return [
      finding('model', 'bad', errorData(thrown, 'BAD_INPUT').message, {
        data: { spec: choicesOf(chosen.model).map(shownSpec).join(',') },
      }),
    ]
  }
  const why = becauseText(chosen, words)
  const rows: Finding[] = []
  for (const model of choicesOf(models.model))
    rows.push(...(await checkModel(model, `${shownSpec(model)} (${why})`, undefined, servers, words)))
  for (const role of ROLES) {
    for (const model of choicesOf(models.models[role] ?? [])) {
      const text = `${shownSpec(model)}${settingsText(model, words)}`
      rows.push(...(await checkModel(model, text, role, servers, words)))
    }
  }
  return rows
}

/** A run can start without an embedding: the memory is then searched by words only. */
export async function checkEmbedding(
  config: ThinkonConfig,
  servers: ProbedServers,
  words: DoctorWords,
): Promise<Finding[]> {
  let embedding: ReturnType<typeof configuredEmbedding>
  try {
    embedding = configuredEmbedding(config)
  } catch (thrown) {
    return [finding('memory', 'bad', errorData(thrown, 'BAD_INPUT').message)]
  }
  if (embedding === undefined)
    return [
      finding('memory', 'note', words.wordsAlone, { todo: words.giveEmbedding, data: { embedding: null } }),
    ]
  const name = embeddingName(embedding)
  const model = typeof embedding === 'object' && 'model' in embedding ? embedding.model : embedding
  const spec = typeof model === 'string' ? model : ''
  const baseURL = typeof embedding === 'object' && 'baseURL' in embedding ? embedding.baseURL : undefined
  const data = { embedding: name }
  const problem =
    (await cantLoad(name, () => openEmbedding(embedding))) ?? (await cantReach(spec, baseURL, servers, words))
  if (problem === null) return [finding('memory', 'good', words.byMeaning(name), { data })]
  const text = problem.text.includes(name) ? problem.text : `${name}: ${problem.text}`
  const todo = problem.todo === undefined ? {} : { todo: problem.todo }
  return [finding('memory', 'warn', `${words.wordsAlone}: ${text}`, { ...todo, data })]
}

async function checkModel(
  model: Model,
  text: string,
  role: string | undefined,
  servers: ProbedServers,
  words: DoctorWords,
): Promise<Finding[]> {
  const spec = shownSpec(model)
  const about = {
    ...(role === undefined ? {} : { name: role }),
    data: { spec, ...(role === undefined ? {} : { role }) },
  }
  const baseURL = typeof model === 'object' && 'baseURL' in model ? model.baseURL : undefined
  const problem = (await cantOpen(model)) ?? (await cantReach(specOf(model), baseURL, servers, words))
  if (problem !== null) {
    const message = problem.text.includes(spec) ? problem.text : `${text}: ${problem.text}`
    return [
      finding('model', 'bad', message, {
        ...about,
        ...(problem.todo === undefined ? {} : { todo: problem.todo }),
      }),
    ]
  }
  const price = priceText(model, words)
  const unpriced =
    price === null ? [finding('model', 'warn', words.noPrice(spec), { ...about, todo: words.givePrice })] : []
  return [finding('model', 'good', `${text}${price ? ` · ${price}` : ''}`, about), ...unpriced]
}

/** A mistyped address may have a key in it. */
function shownSpec(model: Model): string {
  const spec = specOf(model)
  return /^https?:/i.test(spec) ? spec.replace(/\/\/[^/@]*@/, '//').replace(/\?[^#]*/, '') : spec
}

type Problem = Pick<Finding, 'text' | 'todo'>

/** Loads what the model needs and nothing more: a local model file is not read into memory. */
async function cantOpen(model: Model): Promise<Problem | null> {
  const spec = specOf(model)
  const file = /^gguf:(.+)$/s.exec(spec)?.[1]
  if (file !== undefined && installedVersion('node-llama-cpp') !== null) {
    const problem = fileProblem(file)
    return problem === undefined ? null : { text: `${spec}: ${problem}` }
  }
  return cantLoad(spec, () => openModel(model))
}

async function cantLoad(spec: string, open: () => Promise<unknown>): Promise<Problem | null> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    const message = `${spec} did not load within ${OPEN_TIMEOUT_MS / 1000} s`
    timer = setTimeout(() => reject(new Error(message)), OPEN_TIMEOUT_MS)
  })
  try {
    await Promise.race([open(), late])
    return null
  } catch (thrown) {
    const { message, data } = errorData(thrown, 'NO_MODEL')
    const install = data?.install
    return { text: redactError(message), ...(typeof install === 'string' ? { todo: install } : {}) }
  } finally {
    clearTimeout(timer)
  }
}

/** Only the user's own servers are contacted. */
async function cantReach(
  spec: string,
  given: string | undefined,
  servers: ProbedServers,
  words: DoctorWords,
): Promise<Problem | null> {
  const name = /^ollama:(.+)$/s.exec(spec)?.[1]
  if (name !== undefined && given === undefined) {
    const asked = servers.asked.find((server) => server.name === 'Ollama')
    const ollama = servers.found.find((server) => server.name === 'Ollama')
    if (asked === undefined) return null
    if (ollama === undefined) return { text: words.notReachable(asked.url), todo: words.startOllama }
    const has = ollama.specs.some((one) => one === spec || one === `${spec}:latest`)
    return has ? null : { text: words.notPulled(name), todo: words.pull(name) }
  }
  const url = given ?? (/^https?:/i.test(spec) ? spec.split('#', 1)[0] : undefined)
  if (url === undefined || (await responds(url))) return null
  return {
    text: words.notReachable(URL.canParse(url) ? new URL(url).origin : 'baseURL'),
    todo: words.startServer,
  }
}

/** Any response will do, even a refusal. */
async function responds(url: string): Promise<boolean> {
  try {
    const address = `${url.replace(/(?<!\/)\/+$/, '')}/models`
    const response = await fetch(address, {
      redirect: 'manual',
      signal: AbortSignal.timeout(REACH_TIMEOUT_MS),
    })
    await response.body?.cancel()
    return true
  } catch {
    return false
  }
}

function settingsText(model: Model, words: DoctorWords): string {
  const config = modelConfig(model)
  const { temperature, seed, maxOutputTokens } = config
  const thinkingTokens = config.thinkingTokens ?? thinkingOf(nameIn(specOf(model)))
  const parts = [
    temperature === undefined ? '' : `${words.temperature} ${temperature}`,
    seed === undefined ? '' : `${words.seed} ${seed}`,
    maxOutputTokens === undefined ? '' : words.maxOutput(maxOutputTokens),
    thinkingTokens === undefined ? '' : words.thinking(thinkingTokens),
  ]
  return parts
    .filter((part) => part !== '')
    .map((part) => ` · ${part}`)
    .join('')
}

/** The model's own name in `provider:name` or `http://host/v1#name`. */
function nameIn(spec: string): string {
  return spec.slice(spec.search(/^https?:/i) === 0 ? spec.indexOf('#') + 1 : spec.indexOf(':') + 1)
}

/** Empty if the model is free, null if it may cost something and its price is unknown. */
function priceText(model: Model, words: DoctorWords): string | null {
  const [, provider = '', id = ''] = /^(openai|anthropic|google):(.+)$/s.exec(specOf(model)) ?? []
  const own = typeof model === 'object' && 'price' in model ? model.price : undefined
  const price = own ?? (provider === '' ? undefined : priceOf(provider, id))
  if (price !== undefined) return words.price(price.input, price.output)
  return provider === '' ? '' : null
}

const KEYS = [
  'OPENAI_API_KEY',
  'ANTHROPIC_API_KEY',
  'ANTHROPIC_AUTH_TOKEN',
  'GOOGLE_GENERATIVE_AI_API_KEY',
  'GEMINI_API_KEY',
  'GOOGLE_API_KEY',
  'THINKON_API_KEY',
]

/** Names only. */
export function checkKeys(env: NodeJS.ProcessEnv, words: DoctorWords): Finding[] {
  const names = KEYS.filter((name) => env[name])
  return [finding('keys', 'note', names.join(', ') || words.noKeys, { data: { found: names } })]
}

const PACKAGES: readonly [name: string, serves: string][] = [
  ['@ai-sdk/openai', 'openai'],
  ['@ai-sdk/anthropic', 'anthropic'],
  ['@ai-sdk/google', 'google'],
  ['@ai-sdk/openai-compatible', 'ollama, http://…'],
  ['node-llama-cpp', 'gguf'],
]

export function checkProviders(words: DoctorWords): Finding[] {
  const packages = PACKAGES.map(([name, serves]) => ({ name, serves, version: installedVersion(name) }))
  const installed = packages.filter(({ version }) => version !== null)
  const missing = packages.filter(({ version }) => version === null)
  const text = installed.map(({ serves, version }) => `${serves} ${version}`).join(' · ')
  return [
    finding('providers', installed.length === 0 ? 'note' : 'good', text || words.none, {
      data: { installed: Object.fromEntries(installed.map(({ name, version }) => [name, version])) },
    }),
    ...missing.map(({ name, serves }) =>
      finding('providers', 'note', words.missing, {
        name: serves,
        todo: `npm install ${name}`,
        data: { missing: name },
      }),
    ),
  ]
}

export function checkServers({ found, asked }: ProbedServers, words: DoctorWords): Finding[] {
  if (asked.length === 0) return [finding('servers', 'note', words.notAsked)]
  if (found.length === 0) {
    const list = asked.map(({ name, url }) => `${name} ${new URL(url).host}`).join(', ')
    return [finding('servers', 'note', words.noServers(list), { data: { found: [] } })]
  }
  return found.map(({ name, url, specs }) => {
    const data = { name, url, specs }
    if (specs.length > 0) return finding('servers', 'good', words.server(name, url, firstOf(specs)), { data })
    const todo = name === 'Ollama' ? words.pull('qwen3') : undefined
    return finding('servers', 'warn', words.emptyServer(name, url), {
      data,
      ...(todo === undefined ? {} : { todo }),
    })
  })
}

function firstOf(specs: readonly string[]): readonly string[] {
  return specs.length > 5 ? [...specs.slice(0, 5), `+${specs.length - 5}`] : specs
}
