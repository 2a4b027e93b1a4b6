import { readFileText } from '../files/open-file.ts'
import { badInput, jsonObject } from './options.ts'

/** An option that is a JSON object, called `what`, or the name of a file with one. */
export async function jsonOrFile(
  option: string,
  given: string,
  what: string,
  example: string,
): Promise<Record<string, unknown>> {
  if (/^\s*[{[]/.test(given)) return jsonObject(option, given, example)
  return jsonObject(`${option} ${given}`, textOf(option, given, what), example)
}

function textOf(option: string, file: string, what: string): string {
  try {
    return readFileText(file)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : (error as Error).message
    throw badInput(`${option} must be ${what}, or a file with it; ${JSON.stringify(file)}: ${why}`)
  }
}
