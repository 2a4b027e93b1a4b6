import { isObject, type Question, showHidden } from '../protocol/index.ts'

/** A call that asks for permission, whole: a part for each field of its input, hidden characters made visible. */
export function wholeCall({ tool, input }: NonNullable<Question['permission']>): string {
  const parts = isObject(input) ? Object.entries(input) : [['input', input] as const]
  return [tool, ...parts.map(([name, value]) => part(name, value))].join('\n')
}

function part(name: string, value: unknown): string {
  const text = showHidden(typeof value === 'string' ? value : (JSON.stringify(value, null, 1) ?? ''), '\n\t')
  const head = showHidden(name)
  if (!text.includes('\n')) return `${head}: ${text}`
  const rows = text.split('\n').map((row) => `  ${row}`)
  return `${head}:\n${rows.join('\n')}`
}
