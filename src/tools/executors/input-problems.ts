import { nearest } from '../../protocol/index.ts'
import { checkSchema } from '../../schema/check-schema.ts'
import type { InputsSchema } from './executor.ts'

/** What is wrong with the inputs that an executor or a blueprint is given. */
export function inputProblems(schema: InputsSchema, given: unknown): string[] {
  return checkSchema(given, schema).map(({ path, message }) =>
    path.length === 0 ? message : `"${path.join('.')}" ${message}`,
  )
}

export function unknownName(name: string, known: readonly string[]): string {
  const near = nearest(name, known)
  if (near !== undefined) return `unknown "${name}": did you mean "${near}"?`
  return `unknown "${name}"; there ${known.length === 0 ? 'is none' : `are: ${known.join(', ')}`}`
}
