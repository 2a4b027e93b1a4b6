// Secrets: names ending in PASSWORD, PASSWD, _KEY, PAT, CREDENTIALS, PRIVATE_KEY, passwords inside URLs, Authorization values, PEM blocks.
import { describe, expect, it } from 'vitest'
import { knownSecrets, redact, redactedDeltas } from '../../src/models/secrets.ts'
import { PLAIN_VARIABLES, SECRET_VARIABLES } from './variables.ts'

it('there are 60 realistic variables with a secret, and more than 30 without', () => {
  expect(SECRET_VARIABLES.length).toBe(60)
  expect(PLAIN_VARIABLES.length).toBeGreaterThan(30)
})

describe('a secret in a variable is removed, in every written form', () => {
  it.each(SECRET_VARIABLES)('%s', (name, value, ...hidden) => {
    const secrets = knownSecrets({ [name]: value })
    for (const text of shown(value, hidden)) {
      const clean = redact(text, secrets)
      for (const part of hidden) expect(clean).not.toContain(part)
    }
  })

  it.each(SECRET_VARIABLES)('%s, in a stream, wherever it is cut', (name, value, ...hidden) => {
    const secrets = knownSecrets({ [name]: value })
    const text = `before ${value} between ${hidden.join(' and ')} after`
    for (const size of [1, 7, 64, 1_000]) {
      let sent = ''
      const deltas = redactedDeltas((piece) => {
        sent += piece
      }, secrets)
      for (let at = 0; at < text.length; at += size) deltas.push(text.slice(at, at + size))
      deltas.end()
      for (const part of hidden) expect(sent).not.toContain(part)
      expect(sent).toMatch(/^before .* between .* after$/s)
    }
  })
})

describe('what is no secret is left as it is', () => {
  it.each(PLAIN_VARIABLES)('%s=%s', (name, value) => {
    const text = `${name}=${value} ${JSON.stringify({ value })} a postgres server on port 12345678`
    expect(redact(text, knownSecrets({ [name]: value }))).toBe(text)
  })
})

it('all variables of one environment are looked through in time, also with values that are long', () => {
  const long = [
    'a',
    '=',
    '://',
    '-----BEGIN PRIVATE KEY-----',
    '"key":',
    'bearer ',
    'a:',
    '{"a":',
    '\\n',
    'x@',
  ]
  const env = Object.fromEntries(long.map((part, i) => [`LONG_${i}_KEY`, part.repeat(100_000 / part.length)]))
  expect(knownSecrets(env).length).toBeGreaterThan(0)
})

/** As it is, quoted, escaped, encoded; and in base64, alone and within a header. */
function shown(value: string, hidden: readonly string[]): string[] {
  return [value, ...hidden].flatMap((text) => [
    text,
    `TOKEN=${text};`,
    JSON.stringify({ text }),
    JSON.stringify(JSON.stringify({ text })),
    `?q=${encodeURIComponent(text)}`,
  ])
}
