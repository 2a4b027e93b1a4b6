/** The `output` of runs: the service gets its JSON Schema and checks the value by it; a schema of a library also makes the value here. */
import type { GivenSchema } from '../engine/schemas/given-schema.ts'
import { libraryCheck } from '../engine/schemas/library-check.ts'
import { schemaJson } from '../engine/schemas/schema-json.ts'
import type { ValueMaker } from '../engine/schemas/typed-outcome.ts'

export async function outputJson(given: GivenSchema | undefined): Promise<object | undefined> {
  return given === undefined ? undefined : schemaJson(given, 'output')
}

/** Null for a plain JSON Schema: the service has checked the value completely. */
export function valueMaker(given: GivenSchema): ValueMaker | null {
  const check = libraryCheck(given, 'output', 'the value')
  return check === null ? null : { check, made: null }
}
