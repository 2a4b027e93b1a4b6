import { expect, it } from 'vitest'
import { knownSecrets, redact, redactDeep, redactError, redactedDeltas, registerSecret } from './secrets.ts'

const KEY = 'abcd-1234-"efgh"/5678'

it('knows secrets by the names of variables and from the configuration, and leaves short values alone', () => {
  registerSecret('configured-key-1')
  const known = knownSecrets({
    SOME_API_KEY: KEY,
    GH_TOKEN: 'token-value-1',
    APP_SECRET: 'short',
    DB_SECRET: 'changeme',
    HOME: '/home/somebody',
    TOKENIZERS_PARALLELISM: 'false-or-true',
  })
  expect(known).toContain(KEY)
  expect(known).toContain('token-value-1')
  expect(known).toContain('configured-key-1')
  expect(known).not.toContain('short')
  expect(known).not.toContain('changeme')
  expect(known).not.toContain('/home/somebody')
  expect(known).not.toContain('false-or-true')
})

it('takes a secret out as it is, escaped, encoded and in base64', () => {
  const secrets = knownSecrets({ X_API_KEY: KEY })
  const text = `${KEY} ${JSON.stringify({ k: KEY })} ?k=${encodeURIComponent(KEY)} ${Buffer.from(KEY).toString('base64')}`
  expect(redact(text, secrets)).toBe('[redacted] {"k":"[redacted]"} ?k=[redacted] [redacted]')
})

it('takes a secret out of data, keys included, and leaves other data as it is', () => {
  const secrets = knownSecrets({ X_API_KEY: KEY })
  expect(redactDeep({ a: [{ [KEY]: `x${KEY}` }], b: 1 }, secrets)).toEqual({
    a: [{ '[redacted]': 'x[redacted]' }],
    b: 1,
  })
  const clean = { a: ['b'] }
  expect(redactDeep(clean, secrets)).toBe(clean)
})

it('takes out of errors also what only looks like a key', () => {
  expect(redactError('got Authorization: Bearer abcdef123456789', [])).toBe(
    'got Authorization: Bearer [redacted]',
  )
  expect(redactError('{"x-api-key":"0123456789abcdef"}', [])).toBe('{"x-api-key":"[redacted]"}')
  expect(redactError('Incorrect API key provided: sk-proj-0123456789abcdefghij.', [])).toBe(
    'Incorrect API key provided: [redacted].',
  )
  expect(redactError('at https://host/v1/models?key=AIzaSy0123456789', [])).toBe(
    'at https://host/v1/models?key=[redacted]',
  )
  expect(redactError('max_tokens: too large; ask the basic plan', [])).toBe(
    'max_tokens: too large; ask the basic plan',
  )
})

it('takes a secret out of a stream wherever it is cut', () => {
  const secret = 'abcabcabd-secret'
  for (let size = 1; size <= 20; size++) {
    const sent: string[] = []
    const deltas = redactedDeltas((text) => sent.push(text), [secret])
    const text = `before ${secret} between abcab ${secret}${secret} abcabc`
    for (let at = 0; at < text.length; at += size) deltas.push(text.slice(at, at + size))
    deltas.end()
    expect(sent.join('')).toBe('before [redacted] between abcab [redacted][redacted] abcabc')
  }
})
