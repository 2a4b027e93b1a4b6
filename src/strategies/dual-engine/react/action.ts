/**
 * What an action is, and the registry of those a loop may take. An action is data and functions of its parameters: a schema, a
 * switch, a verifier, and a handler that either begins operations (and may then go on beside the loop) or runs to an end.
 */
import type { Op } from '../../../kernel/durable.ts'
import type { Answer } from '../../../kernel/strategy.ts'
import type { Result } from '../../../protocol/index.ts'
import type { DualOptions } from '../schema.ts'
import type { Loop } from './loop.ts'

export type Params = Readonly<Record<string, unknown>>

/** What an action came to, as the loop is told. */
export interface Observation {
  /** In words of ours or of the model. */
  readonly text: string
  /** From outside: it stands in a fence. */
  readonly data?: string
  /** By which the whole can be read. */
  readonly ref?: string
  readonly failed?: true
  /** It survives compaction: a decision, or what a person said. */
  readonly keep?: true
  /** It ends the loop. */
  readonly answer?: Answer
}

export interface Begun {
  readonly ops: readonly Op[]
  read(results: readonly Result[]): Observation
}

export interface Action {
  readonly name: string
  readonly description: string
  /** JSON Schema of its parameters, by name. */
  readonly params: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly required: readonly string[]
  /** Parameters that people like to read while they come in. */
  readonly streamFields: readonly string[]
  /** The option that switches it off. */
  readonly allowedBy?: keyof DualOptions
  /** With `"aside": true` the loop goes on while it runs. */
  readonly mayGoAside?: true
  /** There is something it could work on. */
  available?(loop: Loop): boolean
  /** What is wrong with the parameters here, as a sentence for the model. */
  verify?(params: Params, loop: Loop): string | null
  begin?(params: Params, loop: Loop): Begun
  run?(params: Params, loop: Loop): Promise<Observation>
}

/** An action that was chosen, and can be taken. */
export interface Decision {
  readonly action: Action
  readonly params: Params
  readonly thought: string
}

export interface Registry {
  readonly actions: readonly Action[]
  /** The decision, or what is wrong with it. */
  decide(value: unknown, loop: Loop): Decision | { readonly problem: string }
}

/** Those that are switched on and have something to work on. */
export function createRegistry(all: readonly Action[], loop: Loop): Registry {
  const { options } = loop.context
  const actions = all.filter(
    ({ allowedBy, available }) =>
      (allowedBy === undefined || options[allowedBy] !== false) && (available?.(loop) ?? true),
  )
  const names = actions.map(({ name }) => name).join(', ')
  return {
    actions,
    decide(value) {
      if (typeof value !== 'object' || value === null || Array.isArray(value))
        return { problem: 'Answer with one JSON object that has an "action".' }
      const { action: name, human_readable_thought: thought, ...params } = value as Record<string, unknown>
      const action = actions.find((one) => one.name === name)
      if (action === undefined)
        return { problem: `There is no action ${JSON.stringify(name) ?? 'given'}; there are: ${names}.` }
      const missing = action.required.filter((param) => isMissing(params[param]))
      if (missing.length > 0)
        return {
          problem: `The action ${action.name} needs ${missing.map((param) => `"${param}"`).join(', ')}.`,
        }
      const read = readParams(action, params)
      const wrong = typeof read === 'string' ? read : (action.verify?.(read, loop) ?? null)
      if (wrong !== null) return { problem: wrong }
      return { action, params: read as Params, thought: typeof thought === 'string' ? thought : '' }
    },
  }
}

/** The parameters, a number or a truth where a text is meant as text; or what is of the wrong type, as a sentence. */
function readParams({ name, params: schemas }: Action, given: Params): Params | string {
  const read: Record<string, unknown> = {}
  for (const [param, value] of Object.entries(given)) {
    const type = schemas[param]?.type
    if (type !== 'string' || value === null) read[param] = value
    else if (typeof value === 'object')
      return `"${param}" of the action ${name} must be a text, not ${Array.isArray(value) ? 'a list' : 'an object'}.`
    else read[param] = String(value)
  }
  return read
}

function isMissing(value: unknown): boolean {
  return value === undefined || value === null || (typeof value === 'string' && value.trim() === '')
}
