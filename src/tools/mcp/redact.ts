/** Removes a server's secrets from texts. */
import { type McpServerConfig, REDACTED } from '../../protocol/index.ts'

export interface Redact {
  /** For errors: everything in the configuration that could be a key. */
  error(text: string): string
  /** For results, where harmless values must stay: only headers, and what is named like a key. */
  result(text: string): string
}

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|private|dsn|signature/i
const PLAIN_HEADERS = /^(accept|accept-language|content-type|user-agent|x-mcp-.*)$/i

export function redactor(config: McpServerConfig): Redact {
  const keys = 'url' in config ? httpKeys(config) : stdioKeys(config)
  const suspects = 'url' in config ? [] : Object.values(config.env ?? {})
  return { error: hider([...keys, ...suspects]), result: hider(keys) }
}

function httpKeys({ url, headers }: Extract<McpServerConfig, { url: string }>): string[] {
  const { password, searchParams } = new URL(url)
  const values = Object.entries(headers ?? {}).filter(([name]) => !PLAIN_HEADERS.test(name))
  // Of `Bearer abc`, `abc` is a key by itself.
  const keys = values.flatMap(([, value]) => [value, ...value.split(/\s+/).slice(1)])
  return [...keys, password, ...searchParams.values()]
}

function stdioKeys({ env, args = [] }: Extract<McpServerConfig, { command: string }>): string[] {
  const variables = Object.entries(env ?? {}).filter(([name]) => SECRET_NAME.test(name))
  const options = args.flatMap((arg, at) => {
    const [, name = '', value = ''] = /^--?([A-Za-z-]+)=(.+)$/s.exec(arg) ?? []
    const before = args[at - 1] ?? ''
    const followsName = /^--?[A-Za-z-]+$/.test(before) && SECRET_NAME.test(before)
    return [...(SECRET_NAME.test(name) ? [value] : []), ...(followsName ? [arg] : [])]
  })
  return [...variables.map(([, value]) => value), ...options]
}

function hider(values: readonly string[]): (text: string) => string {
  // Longest first, so that a key that contains another is hidden as a whole. Short values would hide ordinary text.
  const hidden = [...new Set(values)].filter((value) => value.length >= 6).sort((a, b) => b.length - a.length)
  const forms = hidden.flatMap((value) => [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ])
  const unique = [...new Set(forms)]
  return (text) => unique.reduce((rest, value) => rest.replaceAll(value, REDACTED), text)
}
