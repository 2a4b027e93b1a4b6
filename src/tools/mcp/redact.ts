/** Takes a server's secrets out of texts (K9). */
import type { McpServerConfig } from '../../protocol/index.ts'

export interface Redact {
  /** For errors: everything the configuration passes on that could be a key. */
  error(text: string): string
  /** For results, where a harmless value must stay: only what is named like a key, and headers. */
  result(text: string): string
}

const SECRET_NAME = /key|token|secret|passw|auth|credential|cookie|session|private|dsn|signature/i
const PLAIN_HEADERS = /^(accept|accept-language|content-type|user-agent|x-mcp-.*)$/i
const HIDDEN = '[hidden]'

export function redactor(config: McpServerConfig): Redact {
  const keys: string[] = []
  const suspects: string[] = []
  if ('url' in config) {
    for (const [name, value] of Object.entries(config.headers ?? {}))
      if (!PLAIN_HEADERS.test(name)) keys.push(value, ...value.split(/\s+/).slice(1))
    const url = new URL(config.url)
    keys.push(url.password, ...url.searchParams.values())
  } else {
    for (const [name, value] of Object.entries(config.env ?? {})) {
      if (SECRET_NAME.test(name)) keys.push(value)
      suspects.push(value)
    }
    for (const [at, arg] of (config.args ?? []).entries()) {
      const [, flag, value] = /^--?([A-Za-z-]+)=(.+)$/s.exec(arg) ?? []
      if (flag && value && SECRET_NAME.test(flag)) keys.push(value)
      const before = config.args?.[at - 1] ?? ''
      if (/^--?[A-Za-z-]+$/.test(before) && SECRET_NAME.test(before)) keys.push(arg)
    }
  }
  return { error: hider([...keys, ...suspects]), result: hider(keys) }
}

function hider(values: readonly string[]): (text: string) => string {
  // Longest first, so that a key which contains another is hidden whole. Short ones would hide ordinary text.
  const hidden = [...new Set(values)].filter((value) => value.length >= 6).sort((a, b) => b.length - a.length)
  const forms = hidden.flatMap((value) => [
    value,
    encodeURIComponent(value),
    JSON.stringify(value).slice(1, -1),
  ])
  const unique = [...new Set(forms)]
  return (text) => unique.reduce((rest, value) => rest.replaceAll(value, HIDDEN), text)
}
