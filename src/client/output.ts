/** The `output` of runs: the service gets its JSON Schema and checks the value by it; a schema of a library also makes the value here. */
import { isAiSdkSchema } from '../engine/schemas/ai-sdk-schema.ts'
import type { GivenSchema } from '../engine/schemas/given-schema.ts'
import { checkOf } from '../engine/schemas/read-schema.ts'
import { isOurs, schemaJson } from '../engine/schemas/schema-json.ts'
import { isStandardSchema } from '../engine/schemas/standard-schema.ts'
import type { ValueMaker } from '../engine/schemas/typed-outcome.ts'

export async function outputJson(given: GivenSchema | undefined): Promise<object | undefined> {
  return given === undefined ? undefined : schemaJson(given, 'output')
}

/** Null for what is only JSON Schema: the service has checked all that it says. */
export function valueMaker(given: GivenSchema): ValueMaker | null {
  const makes =
    isStandardSchema(given) ||
    isOurs(given) ||
    (isAiSdkSchema(given) ? given.validate !== undefined : typeof given === 'function')
  return makes ? { check: checkOf(given, 'output', 'the value'), made: null } : null
}
