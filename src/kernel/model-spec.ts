/** The forms of a model spec, and what is wrong with one that has none of them. Whether it can be opened is not checked here. */
import { nearest } from '../protocol/nearest.ts'

/** Of `provider:model`, and of `kind:file`. */
const PROVIDERS = ['openai', 'anthropic', 'google', 'ollama']
export const FILE_KINDS = ['gguf', 'module', 'replay']
/** The model of whoever has called `thinkon mcp`. */
export const CLIENT_MODEL = 'mcp:client'
/** The model that is a person: every request is a question. */
export const PERSON = 'person'
/** What a spec begins with, unless it is an address. */
export const MODEL_KINDS = [...PROVIDERS, ...FILE_KINDS, 'embedded', 'mcp']

/** As messages list them; the embedded ones come last. */
export const FORMS = [
  ...PROVIDERS.map((kind) => `${kind}:<model>`),
  'http://host/v1#<model>',
  ...FILE_KINDS.map((kind) => `${kind}:<file>`),
  PERSON,
].join(', ')
const ALL_FORMS = `${FORMS} or embedded:<name>`

const MAX_CHARS = 8_000

/** Undefined if nothing is wrong. Never repeats an address: it may contain a key. */
export function specProblem(spec: string): string | undefined {
  if (spec === PERSON) return undefined
  if (spec.length > MAX_CHARS) return `is longer than ${MAX_CHARS} characters`
  if (/^https?:/i.test(spec)) return addressProblem(spec)
  const [, kind = spec, rest] = /^([^:]*):([\s\S]*)$/.exec(spec) ?? []
  if (rest === undefined) {
    const meant = meantSpec(spec)
    return `names no provider${meant === undefined ? `; there are ${ALL_FORMS}` : `: did you mean "${meant}"?`}`
  }
  if (!MODEL_KINDS.includes(kind)) {
    const near = nearest(kind, MODEL_KINDS)
    return `begins with "${kind}:", which is unknown${near === undefined ? `; there are ${ALL_FORMS}` : `: did you mean "${near}:"?`}`
  }
  if (kind === 'mcp' && spec !== CLIENT_MODEL) return `is not ${CLIENT_MODEL}, the only one that begins so`
  if (rest.trim() !== '') return undefined
  return FILE_KINDS.includes(kind)
    ? `names no file: write ${kind}:<file>`
    : `names no model: write ${kind}:<model>`
}

/** The same for a spec that is an address. */
export function addressProblem(spec: string): string | undefined {
  const url = URL.canParse(spec) ? new URL(spec) : undefined
  if (url === undefined) return 'is not an address: write http://127.0.0.1:8080/v1#<model>'
  if (url.username !== '' || url.password !== '' || url.search !== '')
    return 'must not have a key or a query in the address: give apiKey or baseURL beside it, or set THINKON_API_KEY'
  return url.hash.length > 1
    ? undefined
    : 'names no model: write it after #, such as http://127.0.0.1:8080/v1#<model>'
}

/** A model without its provider, or with a slash after it, as gateways write it. */
function meantSpec(spec: string): string | undefined {
  const [, before = '', model] = /^(\w+)\/(.+)$/.exec(spec) ?? []
  if (PROVIDERS.includes(before)) return `${before}:${model}`
  const provider = providerOf(spec)
  return provider && `${provider}:${spec}`
}

function providerOf(model: string): string | undefined {
  if (/^(gpt-|o\d|chatgpt)/i.test(model)) return 'openai'
  if (/^claude/i.test(model)) return 'anthropic'
  return /^gemini/i.test(model) ? 'google' : undefined
}
