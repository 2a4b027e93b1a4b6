/** The text of a new configuration. */

export interface NewConfig {
  readonly model?: string
  readonly store?: string
  readonly approval?: Approving
}

/** What tools may do without asking: read; also write files here; or only read, and nothing else even if asked. */
export const APPROVING = ['ask', 'write', 'read-only'] as const
export type Approving = (typeof APPROVING)[number]

export const CONFIG_FORMATS = ['json', 'ts'] as const
export type ConfigFormat = (typeof CONFIG_FORMATS)[number]

const APPROVAL: Record<Approving, object | undefined> = {
  ask: undefined,
  write: { allow: ['read', 'write'] },
  'read-only': { allow: ['read'], deny: ['write', 'execute', 'network'] },
}

/** What the configuration says, without what is the default anyway. */
export function configValue({ model, store, approval = 'ask' }: NewConfig): Record<string, unknown> {
  const rules = APPROVAL[approval]
  return {
    ...(model !== undefined && { model }),
    ...(store !== undefined && { store }),
    ...(rules !== undefined && { approval: rules }),
  }
}

/** `typed`: the package is installed here, so that its types can be imported. */
export function configText(value: object, format: ConfigFormat, typed: boolean): string {
  if (format === 'json') return `${JSON.stringify(value, null, 2)}\n`
  const literal = literalOf(value, '')
  return typed
    ? `import { defineConfig } from 'thinkon'\n\nexport default defineConfig(${literal})\n`
    : `export default ${literal}\n`
}

function literalOf(value: unknown, indent: string): string {
  if (typeof value === 'string') return /['\\]/.test(value) ? JSON.stringify(value) : `'${value}'`
  if (Array.isArray(value)) return `[${value.map((one) => literalOf(one, indent)).join(', ')}]`
  const deeper = `${indent}  `
  const lines = Object.entries(value as object).map(
    ([key, one]) => `${deeper}${key}: ${literalOf(one, deeper)},\n`,
  )
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${indent}}`
}
