/** What a tool was called with, for people: `read_file src/a.ts`, `search TODO src max=20`. Texts of several lines are left out. */
import { oneLine, shorten } from './text.ts'

const MAX_CHARS = 100
const MAX_ARGUMENT = 80

export function toolCallText(name: string, input: unknown): string {
  const given =
    typeof input === 'object' && input !== null && !Array.isArray(input)
      ? Object.entries(input).flatMap(([key, value]) => argumentText(key, value))
      : argumentText('', input)
  // An executor is known by its id.
  return shorten([name.replace(/^executor__/, ''), ...given].join(' '), MAX_CHARS)
}

function argumentText(key: string, value: unknown): string[] {
  if (typeof value === 'string') return isShort(value) ? [oneLine(value)] : []
  if (typeof value !== 'number' && typeof value !== 'boolean') return []
  return [key === '' ? String(value) : `${key}=${value}`]
}

function isShort(text: string): boolean {
  const trimmed = text.trim()
  return trimmed !== '' && trimmed.length <= MAX_ARGUMENT && !trimmed.includes('\n')
}
