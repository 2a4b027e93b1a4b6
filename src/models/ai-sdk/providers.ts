/** Language and embedding models by spec. Each provider's package is an optional peer dependency, loaded when a spec names it. */

import type { ProviderSettings } from '../../kernel/model-choice.ts'
import { type OptionalPackages, optionalPackage } from '../../kernel/optional-package.ts'
import { defined, type ResilienceSettings, ThinkonError } from '../../protocol/index.ts'
import { registerSecret } from '../secrets.ts'
import { replyFetch } from './reply-fetch.ts'

/** What a spec resolves to, for a language model or an embedding. */
export interface Endpoint {
  readonly make: MakesModels
  readonly modelId: string
  /** Contains no secret. */
  readonly id: string
  /** Whose prices and limits apply. */
  readonly provider: string
  readonly resilience?: ResilienceSettings
  /** The context window as the server says it, if it is one that can be asked. */
  window?(): Promise<number | undefined>
  /** The window in use, of a server that drops what does not fit without saying so; known once it has answered. */
  loadedWindow?(): Promise<number | undefined>
}

/** A provider of the AI SDK. */
interface MakesModels {
  (modelId: string): unknown
  embeddingModel(modelId: string): unknown
}

/** Providers with their own package. */
const HOSTED: Readonly<Record<string, Hosted>> = {
  openai: {
    keys: ['OPENAI_API_KEY'],
    load: async (id, settings) => {
      const { createOpenAI } = await orInstall(id, '@ai-sdk/openai')
      return createOpenAI(settings)
    },
  },
  anthropic: {
    keys: ['ANTHROPIC_API_KEY', 'ANTHROPIC_AUTH_TOKEN'],
    load: async (id, settings) => {
      const { createAnthropic } = await orInstall(id, '@ai-sdk/anthropic')
      const token = process.env.ANTHROPIC_API_KEY ? undefined : process.env.ANTHROPIC_AUTH_TOKEN
      return createAnthropic(settings.apiKey || !token ? settings : { ...settings, authToken: token })
    },
  },
  google: {
    keys: ['GOOGLE_GENERATIVE_AI_API_KEY', 'GEMINI_API_KEY', 'GOOGLE_API_KEY'],
    load: async (id, settings) => {
      const { createGoogle } = await orInstall(id, '@ai-sdk/google')
      const apiKey = settings.apiKey ?? firstOf(['GEMINI_API_KEY', 'GOOGLE_API_KEY'])
      const own = process.env.GOOGLE_GENERATIVE_AI_API_KEY
      return createGoogle(own || apiKey === undefined ? settings : { ...settings, apiKey })
    },
  },
}

interface Hosted {
  /** Environment variables, any of which will do. */
  readonly keys: readonly string[]
  load(id: string, settings: Given): Promise<MakesModels>
}

/** The settings that every package accepts. */
interface Given {
  fetch?: typeof fetch
  apiKey?: string
  baseURL?: string
  headers?: Record<string, string>
}

/** The environment variables that a provider's key is taken from; none if the provider has no package of its own. */
export function keyNames(provider: string): readonly string[] {
  return Object.hasOwn(HOSTED, provider) ? (HOSTED[provider]?.keys ?? []) : []
}

const OLLAMA_URL = 'http://127.0.0.1:11434/v1'
/** The server loads a model before its first answer, and runs few at once: the other calls wait there. */
const OLLAMA_RESILIENCE: ResilienceSettings = { firstByteMs: 600_000, maxConcurrent: 4 }

/** Null if the spec names none of these providers. */
export async function endpointOf(spec: string, settings: ProviderSettings): Promise<Endpoint | null> {
  if (/^https?:\/\//i.test(spec)) return urlEndpoint(spec, settings)
  const [provider = '', ...rest] = spec.split(':')
  const modelId = rest.join(':')
  if (provider === 'ollama') return ollamaEndpoint(modelId, settings)
  const hosted = Object.hasOwn(HOSTED, provider) ? HOSTED[provider] : undefined
  return hosted === undefined ? null : hostedEndpoint(provider, hosted, modelId, settings)
}

async function hostedEndpoint(
  provider: string,
  hosted: Hosted,
  modelId: string,
  settings: ProviderSettings,
): Promise<Endpoint> {
  const id = `${provider}:${modelId}`
  if (modelId === '') throw noModel(id, `"${id}" names no model: write ${provider}:<model>`)
  const given = rememberSecrets(settings)
  const make = await hosted.load(id, given)
  if (given.apiKey === undefined && given.headers === undefined && firstOf(hosted.keys) === undefined) {
    const names = hosted.keys.join(' or ')
    throw noModel(id, `${id} needs a key: set ${names} in the environment, or apiKey in the configuration`)
  }
  return { make, modelId, id, provider }
}

/** At OLLAMA_HOST or on this machine. */
async function ollamaEndpoint(modelId: string, settings: ProviderSettings): Promise<Endpoint> {
  const id = `ollama:${modelId}`
  if (modelId === '') throw noModel(id, '"ollama:" names no model: write ollama:<model>')
  const baseURL = settings.baseURL ?? ollamaUrl(process.env.OLLAMA_HOST)
  const make = await compatible('ollama', id, baseURL, rememberSecrets(settings))
  const window = async () => (await import('../measure-window.ts')).measureOllama({ baseURL, modelId })
  const loadedWindow = async () => (await import('../measure-window.ts')).loadedOllama({ baseURL, modelId })
  return { make, modelId, id, provider: 'ollama', resilience: OLLAMA_RESILIENCE, window, loadedWindow }
}

/** `http(s)://host/v1#model`: anything that speaks OpenAI's protocol. */
async function urlEndpoint(spec: string, settings: ProviderSettings): Promise<Endpoint> {
  const url = URL.canParse(spec) ? new URL(spec) : undefined
  const modelId = decodeURIComponent(url?.hash.slice(1) ?? '')
  if (url === undefined || modelId === '') {
    throw noModel(spec, 'an address needs a model after #, such as http://127.0.0.1:8080/v1#my-model')
  }
  if (url.username !== '' || url.password !== '' || url.search !== '') {
    // The spec goes into the journal, and `ps` shows arguments to everyone.
    const safe = `${url.protocol}//${url.host}${url.pathname}#${modelId}`
    throw noModel(
      safe,
      `${safe}: keys and queries don't belong in the address: set THINKON_API_KEY, or apiKey or baseURL in the configuration`,
    )
  }
  const key = settings.apiKey ?? firstOf(['THINKON_API_KEY'])
  const given = rememberSecrets(key === undefined ? settings : { ...settings, apiKey: key })
  const baseURL = settings.baseURL ?? `${url.origin}${url.pathname}`
  const id = `${url.origin}${url.pathname}#${modelId}`
  const make = await compatible('openai-compatible', id, baseURL, given)
  const window = async () => (await import('../measure-window.ts')).measureWindow({ baseURL, modelId })
  return { make, modelId, id, provider: url.host, window }
}

async function compatible(
  name: string,
  id: string,
  baseURL: string,
  { apiKey, headers, fetch }: Given,
): Promise<MakesModels> {
  const { createOpenAICompatible } = await orInstall(id, '@ai-sdk/openai-compatible')
  return createOpenAICompatible({
    name,
    baseURL: baseURL.replace(/(?<!\/)\/+$/, ''),
    includeUsage: true,
    supportsStructuredOutputs: true,
    ...defined({ apiKey, headers, fetch }),
  })
}

/** The package; throws NO_MODEL with the install command if it is missing. */
export function orInstall<Name extends keyof OptionalPackages>(
  id: string,
  name: Name,
): Promise<OptionalPackages[Name]> {
  const missing = (advice: string, data: object) =>
    new ThinkonError('NO_MODEL', `${id} ${advice}`, { data: { model: id, ...data } })
  return optionalPackage(name, missing)
}

/** A host, a host and port, or an address, as Ollama itself accepts it. */
function ollamaUrl(host: string | undefined): string {
  if (host === undefined || host.trim() === '') return OLLAMA_URL
  const url = new URL(/^https?:\/\//.test(host) ? host : `http://${host}`)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !/^https?:\/\//.test(host)) url.port = '11434'
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}/v1`
}

function rememberSecrets({ apiKey, baseURL, headers }: ProviderSettings): Given {
  if (apiKey !== undefined) registerSecret(apiKey)
  for (const [name, value] of Object.entries(headers ?? {})) {
    if (/auth|key|token|secret|cookie/i.test(name)) {
      registerSecret(value)
      registerSecret(value.replace(/^\w+\s+/, ''))
    }
  }
  return defined({ apiKey, baseURL, headers: headers && { ...headers }, fetch: replyFetch })
}

function firstOf(names: readonly string[]): string | undefined {
  for (const name of names) if (process.env[name]) return process.env[name]
  return undefined
}

function noModel(model: string, message: string): ThinkonError {
  return new ThinkonError('NO_MODEL', message, { data: { model } })
}
