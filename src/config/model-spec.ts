/** The forms of a model spec, and what is wrong with one that has none of them. Whether it can be opened is not checked here. */
import { isAbsolute, resolve } from 'node:path'
import { specsOf } from '../kernel/model-choice.ts'
import { nearest } from '../protocol/index.ts'

/** Of `provider:model`, and of `kind:file`. */
const PROVIDERS = ['openai', 'anthropic', 'google', 'ollama']
const FILES = ['gguf', 'module', 'replay']
const KINDS = [...PROVIDERS, ...FILES, 'embedded']

const FORMS =
  'openai:<model>, anthropic:<model>, google:<model>, ollama:<model>, http://host/v1#<model>, gguf:<file>, ' +
  'module:<file>, replay:<file> or embedded:<name>'

/** Undefined if nothing is wrong. Never repeats an address: it may contain a key. */
export function specProblem(spec: string): string | undefined {
  if (/^https?:/i.test(spec)) return addressProblem(spec)
  const [, kind = spec, rest] = /^([^:]*):([\s\S]*)$/.exec(spec) ?? []
  if (rest === undefined) {
    const provider = providerOf(spec)
    const meant = provider === undefined ? `; there are ${FORMS}` : `: did you mean "${provider}:${spec}"?`
    return `names no provider${meant}`
  }
  if (!KINDS.includes(kind)) {
    const near = nearest(kind, KINDS)
    return `begins with "${kind}:", which is unknown${near === undefined ? `; there are ${FORMS}` : `: did you mean "${near}:"?`}`
  }
  if (rest.trim() !== '') return undefined
  return FILES.includes(kind)
    ? `names no file: write ${kind}:<file>`
    : `names no model: write ${kind}:<model>`
}

/** The same for embedding models. */
export function embeddingSpecProblem(spec: string): string | undefined {
  if (/^https?:/i.test(spec)) return addressProblem(spec)
  const [, kind, rest] = /^([^:]*):([\s\S]*)$/.exec(spec) ?? []
  if (kind !== undefined && EMBEDDERS.includes(kind))
    return rest?.trim() === '' ? `names no model: write ${kind}:<model>` : undefined
  if (kind === undefined && /^text-embedding-(3|ada)/.test(spec))
    return `names no provider: did you mean "openai:${spec}"?`
  return `is not an embedding model; there are ${EMBEDDERS.map((name) => `${name}:<model>`).join(', ')} or http://host/v1#<model>`
}

const EMBEDDERS = ['openai', 'google', 'ollama']

/** A file in a spec is relative to the folder of the file that contains the spec. */
export function absoluteSpec(spec: string, folder: string): string {
  const [, kind = '', file = ''] = /^(gguf|module|replay):(.+)$/s.exec(spec) ?? []
  return kind === '' || isAbsolute(file) ? spec : `${kind}:${resolve(folder, file)}`
}

/** The same for a text that names several models. */
export function absoluteSpecs(specs: string, folder: string): string {
  return specsOf(specs)
    .map((spec) => absoluteSpec(spec, folder))
    .join(',')
}

function addressProblem(spec: string): string | undefined {
  const url = URL.canParse(spec) ? new URL(spec) : undefined
  if (url === undefined) return 'is not an address: write http://127.0.0.1:8080/v1#<model>'
  if (url.username !== '' || url.password !== '' || url.search !== '')
    return 'must not have a key or a query in the address: give apiKey or baseURL beside it, or set THINKON_API_KEY'
  return url.hash.length > 1
    ? undefined
    : 'names no model: write it after #, such as http://127.0.0.1:8080/v1#<model>'
}

function providerOf(model: string): string | undefined {
  if (/^(gpt-|o\d|chatgpt)/i.test(model)) return 'openai'
  if (/^claude/i.test(model)) return 'anthropic'
  return /^gemini/i.test(model) ? 'google' : undefined
}
