/** Specs of embedding models, and files in specs. */
import { isAbsolute, resolve } from 'node:path'
import { specsOf } from '../kernel/model-choice.ts'
import { addressProblem, FILE_KINDS } from '../kernel/model-spec.ts'

/** What is wrong with the spec of an embedding model; undefined if nothing is. */
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

const FILE_SPEC = new RegExp(`^(${FILE_KINDS.join('|')}):(.+)$`, 's')

/** A file in a spec is relative to the folder of the file that contains the spec. */
export function absoluteSpec(spec: string, folder: string): string {
  const [, kind = '', file = ''] = FILE_SPEC.exec(spec) ?? []
  return kind === '' || isAbsolute(file) ? spec : `${kind}:${resolve(folder, file)}`
}

/** The same for a text that names several models. */
export function absoluteSpecs(specs: string, folder: string): string {
  return specsOf(specs)
    .map((spec) => absoluteSpec(spec, folder))
    .join(',')
}
