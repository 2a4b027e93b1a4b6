import { readFile } from 'node:fs/promises'
import type { JsonSchema } from '../schema/check-schema.ts'
import { textOption, type Values } from './command.ts'
import { badInput, jsonObject } from './options.ts'

/** `--output`: the JSON Schema of the run's value, from a file, or from the option itself where that is JSON. */
export async function outputOption(values: Values): Promise<{ output?: JsonSchema }> {
  const given = textOption(values, 'output')
  if (given === undefined) return {}
  if (given.trimStart().startsWith('{')) return { output: jsonObject('--output', given, EXAMPLE) }
  return { output: jsonObject(`--output ${given}`, await textOf(given), EXAMPLE) }
}

const EXAMPLE = '{"type": "object", …}'

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw badInput(
      `--output must be a file with a JSON Schema, or the schema itself; ${JSON.stringify(file)}: ${why}`,
    )
  }
}
