/**
 * Asks a server of the user's own for the context window of a model: once, when the model is opened, with short requests that
 * carry no key and follow no redirect. Servers elsewhere are not asked. Never throws: a server that does not say it leaves
 * the window unknown.
 */

import { boundedBody } from '../protocol/bounded-body.ts'
import { DecodingBudget } from '../protocol/decoding-budget.ts'
import { isObject } from '../protocol/index.ts'

export interface Asked {
  /** The address of the OpenAI-compatible endpoints: `http://127.0.0.1:8080/v1`. */
  readonly baseURL: string
  readonly modelId: string
}

/** Only what the list of models says the server is decides whether it is asked for more. */
export async function measureWindow(asked: Asked): Promise<number | undefined> {
  if (!mayAsk(asked)) return undefined
  const { data } = fields(await getJson(`${asked.baseURL.replace(/(?<!\/)\/+$/, '')}/models`))
  const models = list(data)
  // vLLM, and others that follow it.
  const said = size(models.find(({ id }) => id === asked.modelId)?.max_model_len)
  const ask = models
    .map(({ owned_by: owner }) => SERVERS[String(owner)])
    .find((server) => server !== undefined)
  return said ?? ask?.(asked)
}

const SERVERS: Readonly<Record<string, (asked: Asked) => Promise<number | undefined>>> = {
  llamacpp: llamaCpp,
  organization_owner: lmStudio,
}

/**
 * Ollama loads a model with `num_ctx` of its model file, or with a default of its own: `/api/ps` says what it is while the
 * model is loaded. Otherwise the model's own maximum is all that is known.
 */
export async function measureOllama(asked: Asked): Promise<number | undefined> {
  if (!mayAsk(asked)) return undefined
  const [shown, loaded] = await Promise.all([
    getJson(`${rootOf(asked)}/api/show`, { model: asked.modelId }),
    loadedOllama(asked),
  ])
  const { parameters, model_info: info } = fields(shown)
  const [, configured] = /^num_ctx\s+(\d+)/m.exec(typeof parameters === 'string' ? parameters : '') ?? []
  const trained = Object.entries(fields(info)).find(([name]) => name.endsWith('.context_length'))?.[1]
  return size(configured && Number(configured)) ?? loaded ?? size(trained)
}

/** The window of a model that Ollama has loaded: what is longer it drops without a word. */
export async function loadedOllama(asked: Asked): Promise<number | undefined> {
  if (!mayAsk(asked)) return undefined
  const { models } = fields(await getJson(`${rootOf(asked)}/api/ps`))
  const loaded = list(models).find(
    ({ name, model }) => withTag(name) === withTag(asked.modelId) || model === asked.modelId,
  )
  return size(loaded?.context_length)
}

/** Servers elsewhere are not asked, and none when nothing is to be probed. */
function mayAsk({ baseURL }: Asked): boolean {
  return process.env.THINKON_PROBE !== 'off' && isLocal(baseURL)
}

function rootOf({ baseURL }: Asked): string {
  return baseURL.replace(/\/v1\/*$/, '')
}

/** The part of the context that one request gets. */
async function llamaCpp(asked: Asked): Promise<number | undefined> {
  const props = fields(await getJson(`${new URL(asked.baseURL).origin}/props`))
  return size(fields(props.default_generation_settings).n_ctx) ?? size(props.n_ctx)
}

async function lmStudio(asked: Asked): Promise<number | undefined> {
  const address = `${new URL(asked.baseURL).origin}/api/v0/models/${encodeURIComponent(asked.modelId)}`
  const { loaded_context_length: loaded, max_context_length: most } = fields(await getJson(address))
  return size(loaded) ?? size(most)
}

const TIMEOUT_MS = 1_000
const MAX_BYTES = 4_000_000

async function getJson(url: string, body?: unknown): Promise<unknown> {
  try {
    const response = await fetch(url, {
      redirect: 'error',
      signal: AbortSignal.timeout(TIMEOUT_MS),
      ...(body !== undefined && {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      }),
    })
    const budget = new DecodingBudget(url, { limit: MAX_BYTES })
    if (response.ok) return await boundedBody(response, budget).json()
    await response.body?.cancel()
  } catch {
    // Not reachable, too slow, or not JSON: the window stays unknown.
  }
  return undefined
}

/** This machine, or a name or an address of a private network. */
function isLocal(baseURL: string): boolean {
  if (!URL.canParse(baseURL)) return false
  const host = new URL(baseURL).hostname.replace(/^\[|\]$/g, '')
  return PRIVATE.test(host) || (!host.includes('.') && !host.includes(':'))
}

const PRIVATE =
  /^(?:127\.|10\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.|169\.254\.|::1$|f[cd][0-9a-f]{2}:|.*\.(?:local|internal|lan)$)/i

function withTag(name: unknown): string {
  const text = String(name)
  return text.includes(':') ? text : `${text}:latest`
}

function fields(value: unknown): Record<string, unknown> {
  return isObject(value) ? value : {}
}

function list(value: unknown): Record<string, unknown>[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

function size(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined
}
