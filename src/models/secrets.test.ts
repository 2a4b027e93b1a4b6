import { expect, it } from 'vitest'
import {
  knownSecrets,
  redact,
  redactDeep,
  redactError,
  redactedDeltas,
  registerSecret,
  withoutPrivateKeys,
} from './secrets.ts'

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

it('takes a secret out of base64, wherever it stands in what is encoded, also in the form for URLs', () => {
  const secret = 'p?>~p4ss-w0rd>>'
  const secrets = knownSecrets({ X_API_KEY: secret })
  for (const before of ['', 'a', 'ab', 'user:', 'a:b:c']) {
    for (const encoding of ['base64', 'base64url'] as const) {
      const clean = redact(Buffer.from(`${before}${secret}, and more`).toString(encoding), secrets)
      expect(clean).toContain('[redacted]')
      expect(Buffer.from(clean.replace('[redacted]', ''), encoding).toString()).not.toContain(
        secret.slice(2, -2),
      )
    }
  }
})

const BLOCK = '-----BEGIN RSA PRIVATE KEY-----\nMIIEow\n-----END RSA PRIVATE KEY-----'

it.each([
  [`a ${BLOCK} b`, 'a [redacted] b'],
  [`${BLOCK}\n${BLOCK}`, '[redacted]\n[redacted]'],
  [BLOCK.replaceAll('\n', '\\n'), '[redacted]'],
  [BLOCK.replaceAll('RSA', 'OPENSSH'), '[redacted]'],
  ['-----BEGIN PGP PRIVATE KEY BLOCK-----\nx\n-----END PGP PRIVATE KEY BLOCK-----', '[redacted]'],
  [BLOCK.slice(0, -30), '[redacted]'],
  [
    '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----',
    '-----BEGIN CERTIFICATE-----\nMIID\n-----END CERTIFICATE-----',
  ],
  ['the words PRIVATE KEY alone', 'the words PRIVATE KEY alone'],
])('takes private keys out, whosever they are: %j', (text, clean) => {
  expect(withoutPrivateKeys({ a: [text] })).toEqual({ a: [clean] })
  expect(redactError(text, [])).toBe(clean)
})

it('takes a password out of a URL in an error', () => {
  expect(redactError('connect postgres://app:s3cr3t@db:5432/x failed', [])).toBe(
    'connect postgres://app:[redacted]@db:5432/x failed',
  )
  expect(redactError('see https://host:8080/a@b', [])).toBe('see https://host:8080/a@b')
})

it('sees a variable that is set or changed later', () => {
  process.env.LATER_DATABASE_URL = 'postgres://app:l4ter-One@db/x'
  expect(redact('l4ter-One', knownSecrets())).toBe('[redacted]')
  process.env.LATER_PASSWORD = 'l4ter-Two'
  expect(redact('l4ter-Two', knownSecrets())).toBe('[redacted]')
  process.env.LATER_PASSWORD = 'l4ter-Three'
  expect(redact('l4ter-Three', knownSecrets())).toBe('[redacted]')
  delete process.env.LATER_DATABASE_URL
  delete process.env.LATER_PASSWORD
  expect(redact('l4ter-One l4ter-Three', knownSecrets())).toBe('l4ter-One l4ter-Three')
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
