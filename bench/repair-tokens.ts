/** JSON in tokens, so that a break knows where it is made; and YAML as models write it, with nothing quoted. */
import { isObject } from '../src/protocol/index.ts'

export interface Token {
  readonly is: 'open' | 'close' | 'comma' | 'colon' | 'key' | 'text' | 'number' | 'word'
  readonly text: string
  /** The white space before it. */
  readonly gap: string
  /** Of the innermost object or list around it. */
  readonly inList: boolean
  readonly path: readonly (string | number)[]
}

export type Layout = 'tight' | 'spaced' | 'lines'

export function tokensOf(value: unknown, layout: Layout): Token[] {
  return written(value, layout, { path: [], gap: '', inList: false })
}

function written(value: unknown, layout: Layout, at: Omit<Token, 'is' | 'text'>): Token[] {
  if (typeof value !== 'object' || value === null) {
    return [{ is: kindOf(value), text: JSON.stringify(value), ...at }]
  }
  const inList = Array.isArray(value)
  const entries = Object.entries(value)
  const pad = (depth: number) => (layout === 'lines' ? `\n${'  '.repeat(depth)}` : '')
  const members = entries.flatMap(([name, inner], index) => {
    const here = { path: [...at.path, inList ? index : name], inList }
    const gap = layout === 'spaced' && index > 0 ? ' ' : pad(at.path.length + 1)
    const comma: Token[] = index > 0 ? [{ is: 'comma', text: ',', gap: '', ...here }] : []
    if (inList) return [...comma, ...written(inner, layout, { ...here, gap })]
    const key: Token = { is: 'key', text: JSON.stringify(name), gap, ...here }
    const colon: Token = { is: 'colon', text: ':', gap: '', ...here }
    return [...comma, key, colon, ...written(inner, layout, { ...here, gap: layout === 'tight' ? '' : ' ' })]
  })
  const end = { ...at, gap: entries.length > 0 ? pad(at.path.length) : '' }
  return [
    { is: 'open', text: inList ? '[' : '{', ...at },
    ...members,
    { is: 'close', text: inList ? ']' : '}', ...end },
  ]
}

export function join(tokens: readonly Token[]): string {
  return tokens.map(({ gap, text }) => gap + text).join('')
}

function kindOf(value: unknown): Token['is'] {
  return typeof value === 'string' ? 'text' : typeof value === 'number' ? 'number' : 'word'
}

export function yamlOf(value: unknown, indent = ''): string {
  if (Array.isArray(value)) {
    return value.map((item) => `${indent}- ${nested(item, `${indent}  `).trimStart()}`).join('\n')
  }
  if (!isObject(value)) return `${indent}${scalar(value)}`
  return Object.entries(value)
    .map(([name, inner]) => {
      const isBlock = typeof inner === 'object' && inner !== null && Object.keys(inner).length > 0
      return `${indent}${name}:${isBlock ? '\n' : ' '}${isBlock ? yamlOf(inner, `${indent}  `) : nested(inner, '')}`
    })
    .join('\n')
}

function nested(value: unknown, indent: string): string {
  const isEmpty = typeof value === 'object' && value !== null && Object.keys(value).length === 0
  return isEmpty ? JSON.stringify(value) : yamlOf(value, indent)
}

/** Only what would be no text, or nothing, has quotes. */
function scalar(value: unknown): string {
  return typeof value === 'string' && !/^[\d.]*$/.test(value) ? value : JSON.stringify(value)
}
