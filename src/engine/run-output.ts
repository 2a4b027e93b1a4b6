/**
 * The `output` of runs. Its JSON Schema is recorded with the run, and checks the value in whatever process the run goes on. The caller's
 * own schema is here only while the caller is: it checks beyond JSON Schema, and makes the type that the caller gets.
 */
import { type AnyStore, eventAt } from '../kernel/store.ts'
import { knownSecrets, redactDeep } from '../models/secrets.ts'
import { ThinkonError } from '../protocol/index.ts'
import type { GivenSchema } from './schemas/given-schema.ts'
import type { ValueMaker } from './schemas/typed-outcome.ts'

/** The caller's own schema of one run. */
export interface Output extends ValueMaker {
  /** As recorded. */
  readonly json: Readonly<Record<string, unknown>>
}

/** The outputs of the runs that an engine works on. */
export interface Outputs {
  readonly store: AnyStore
  readonly outputs: Map<string, Output>
}

/** Throws BAD_INPUT for what is no schema. */
export async function readOutput(given: GivenSchema | undefined): Promise<Output | null> {
  if (given === undefined) return null
  const { schemaOf } = await import('./schemas/read-schema.ts')
  const { json, check } = await schemaOf(given, 'output', 'the value')
  await requireUsable(json)
  return { json: redactDeep(json), check, made: null }
}

/** A value must not count as checked by a part of the schema that checks nothing. */
async function requireUsable(json: Output['json']): Promise<void> {
  const { TYPES, unknownType } = await import('./schemas/unknown-type.ts')
  const wrong = unknownType(json)
  if (wrong !== null) {
    const message = `output: "${wrong}" is no type of JSON Schema; there are: ${TYPES.join(', ')}`
    throw new ThinkonError('BAD_INPUT', message)
  }
  const { uncheckedPart } = await import('../schema/check-schema.ts')
  const unchecked = uncheckedPart(json)
  if (unchecked !== undefined) throw new ThinkonError('BAD_INPUT', `output: ${unchecked}`)
}

/** What is wrong with the value, in words for the model. */
export async function problemsIn(output: Output, value: unknown): Promise<readonly string[]> {
  const checked = await output.check(structuredClone(value))
  if (!checked.ok) return redactDeep(checked.problems, knownSecrets())
  output.made = { of: JSON.stringify(value), value: checked.value }
  return []
}

/** The caller's schema holds from now on until the run ends here. Throws BAD_INPUT for a run that was started without one. */
export async function attachOutput({ store, outputs }: Outputs, id: string, output: Output): Promise<void> {
  const start = (await store.has(id)) ? await eventAt(store, id, 1) : undefined
  if (start?.type === 'run-start' && start.config.output === undefined)
    throw new ThinkonError('BAD_INPUT', `run ${id} was started without an output: it has no value`)
  outputs.set(id, output)
}

export function detachOutput({ outputs }: Outputs, id: string, output: Output): void {
  if (outputs.get(id) === output) outputs.delete(id)
}
