import { isObject } from 'thinkon/protocol'
import { type Checked, type OptionRules, readOptions } from 'thinkon/strategies'

export interface OutlineOptions {
  maxParts: number
}

const RULES: OptionRules<OutlineOptions> = {
  maxParts: { type: 'whole', least: 2, most: 20, fallback: 4 },
}

export function checkOptions(given: Readonly<Record<string, unknown>>): OutlineOptions {
  return readOptions('outline', RULES, given)
}

/** A tool call; one that was made natively has an id. */
export interface Call {
  readonly id?: string
  readonly name: string
  readonly input: unknown
}

/** The model's reply: use tools first, split the goal, or write the text. */
export type Draft =
  | { readonly calls: readonly Call[] }
  | { readonly parts: readonly string[] }
  | { readonly text: string }

export const DRAFT = {
  type: 'object',
  properties: {
    tool: { type: 'string' },
    input: {},
    parts: { type: 'array', items: { type: 'string' } },
    text: { type: 'string' },
  },
}

export function checkDraft(value: unknown, maxParts: number): Checked<Draft> {
  if (!isObject(value)) return refused('Answer with one JSON object.')
  const { tool, input, parts, text } = value
  if (typeof tool === 'string') return { ok: true, value: { calls: [{ name: tool, input }] } }
  if (typeof text === 'string') return { ok: true, value: { text } }
  if (!Array.isArray(parts) || !parts.every((part) => typeof part === 'string'))
    return refused('The object needs "text", or "parts" as a list of texts, or "tool".')
  if (parts.length === 0 || parts.length > maxParts) return refused(`Give 1 to ${maxParts} parts.`)
  return { ok: true, value: { parts } }
}

function refused(problem: string): Checked<Draft> {
  return { ok: false, problems: [problem] }
}
