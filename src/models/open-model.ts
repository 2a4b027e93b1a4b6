/** A model from what a caller gives: a model, or a spec. What a spec needs is loaded only when it is used. */
import { pathToFileURL } from 'node:url'
import type { Model } from '../kernel/model.ts'
import { ThinkonError } from '../protocol/index.ts'

export const DEFAULT_MODEL = 'embedded:demo'

export async function openModel(model: Model | string = DEFAULT_MODEL): Promise<Model> {
  if (typeof model !== 'string') return checkModel(model, 'the model')
  const [kind, rest] = split(model)
  if (kind === 'embedded' && rest === 'demo') return (await import('./embedded/demo.ts')).demoModel()
  if (kind === 'module' && rest !== '') return fromModule(model, rest)
  throw new ThinkonError(
    'NO_MODEL',
    `can't use the model "${model}": this version knows module:<file> and ${DEFAULT_MODEL}`,
    { data: { model } },
  )
}

async function fromModule(spec: string, file: string): Promise<Model> {
  let loaded: { default?: unknown }
  try {
    loaded = await import(pathToFileURL(file).href)
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw new ThinkonError('NO_MODEL', `can't load ${spec}: ${why}`, { cause, data: { model: spec } })
  }
  const made = typeof loaded.default === 'function' ? await loaded.default() : loaded.default
  return checkModel(made, spec)
}

function checkModel(value: unknown, what: string): Model {
  const model = value as Model | null | undefined
  if (
    typeof model === 'object' &&
    model !== null &&
    typeof model.call === 'function' &&
    typeof model.id === 'string'
  ) {
    return model
  }
  throw new ThinkonError('NO_MODEL', `${what} is not a model: it needs an "id" and a function "call"`)
}

function split(spec: string): [string, string] {
  const colon = spec.indexOf(':')
  return colon === -1 ? [spec, ''] : [spec.slice(0, colon), spec.slice(colon + 1)]
}
