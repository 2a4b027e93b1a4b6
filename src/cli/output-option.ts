import type { JsonSchema } from '../schema/check-schema.ts'
import { textOption, type Values } from './command.ts'
import { jsonOrFile } from './json-or-file.ts'

/** `--output`: the JSON Schema of the run's value, from a file, or from the option itself where that is JSON. */
export async function outputOption(values: Values): Promise<{ output?: JsonSchema }> {
  const given = textOption(values, 'output')
  if (given === undefined) return {}
  return { output: await jsonOrFile('--output', given, 'a JSON Schema', '{"type": "object", …}') }
}
