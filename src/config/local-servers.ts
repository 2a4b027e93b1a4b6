/** Finds model servers on this machine, with short requests that carry no key and follow no redirect. */
import { boundedBody } from '../protocol/bounded-body.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'

export interface LocalServer {
  readonly name: 'Ollama' | 'llama.cpp' | 'LM Studio'
  readonly url: string
  /** The models it offers; empty if it has none yet. */
  readonly specs: readonly string[]
}

export interface ProbedServers {
  readonly found: readonly LocalServer[]
  /** Name and address of every server that was tried. */
  readonly asked: readonly { name: LocalServer['name']; url: string }[]
}

/** The JSON at an address, or undefined if none arrives in time. Must not throw. */
export type GetJson = (url: string) => Promise<unknown>

type Environment = Readonly<Record<string, string | undefined>>

const PROBE_MS = 300
const MOST_BYTES = 1_000_000

export async function probeServers(
  env: Environment,
  get: GetJson = (url) => getJson(url),
): Promise<ProbedServers> {
  if (env.THINKON_PROBE === 'off') return { found: [], asked: [] }
  const servers = [
    { name: 'Ollama', url: ollamaUrl(env.OLLAMA_HOST), list: '/api/tags', specs: ollamaSpecs },
    { name: 'llama.cpp', url: 'http://127.0.0.1:8080', list: '/v1/models', specs: compatibleSpecs },
    { name: 'LM Studio', url: 'http://127.0.0.1:1234', list: '/v1/models', specs: compatibleSpecs },
  ] as const
  const answers = await Promise.all(
    servers.map(async ({ name, url, list, specs }) => {
      const found = url === undefined ? undefined : specs(await get(`${url}${list}`), url)
      return url === undefined || found === undefined ? [] : [{ name, url, specs: found }]
    }),
  )
  const asked = servers.flatMap(({ name, url }) => (url === undefined ? [] : [{ name, url }]))
  return { found: answers.flat(), asked }
}

/** Newest first, as Ollama lists them. */
function ollamaSpecs(answer: unknown): string[] | undefined {
  const { models } = (answer ?? {}) as { models?: unknown }
  return Array.isArray(models) ? textsOf(models, 'name').map((name) => `ollama:${name}`) : undefined
}

/** Many things listen on these ports: the answer must look like OpenAI's list of models. */
function compatibleSpecs(answer: unknown, url: string): string[] | undefined {
  const { object, data } = (answer ?? {}) as { object?: unknown; data?: unknown }
  if (object !== 'list' || !Array.isArray(data)) return undefined
  return textsOf(data, 'id').map((id) => `${url}/v1#${id.replaceAll('%', '%25')}`)
}

/** Only models that generate text, not embedding models. */
function textsOf(list: readonly unknown[], key: string): string[] {
  return list
    .map((item) => (item as Record<string, unknown> | null)?.[key])
    .filter((name): name is string => typeof name === 'string' && name !== '' && !/embed|rerank/i.test(name))
}

/** A host, a host and port, or an address, as Ollama itself accepts it; undefined if it is none of these. */
function ollamaUrl(given: string | undefined): string | undefined {
  const host = given?.trim()
  if (!host) return 'http://127.0.0.1:11434'
  const isAddress = /^https?:\/\//.test(host)
  const text = isAddress ? host : `http://${host}`
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.port === '' && !isAddress) url.port = '11434'
  return `${url.origin}${url.pathname.replace(/(?<!\/)\/+$/, '').replace(/\/v1$/, '')}`
}

export async function getJson(url: string, waitMs = PROBE_MS): Promise<unknown> {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(waitMs) })
    if (response.ok) return await boundedBody(response, new DecodingBudget(url, { limit: MOST_BYTES })).json()
    await response.body?.cancel()
    return undefined
  } catch {
    return undefined
  }
}
